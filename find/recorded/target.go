package recorded

import (
	"errors"
	"io"

	"golang.org/x/sys/cpu"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/recording"
)

// target is what a recording knows of its program apart from the profiles. Parts that cannot be
// read are as if they were not there: the profiles are what counts.
func target(in *input.Kinds) find.Target {
	t := find.Target{Build: in.Build}
	rec := in.Recording
	if rec == nil {
		return t
	}
	t.Go = rec.Meta().GoVersion
	if ranHere(rec.Meta().Target) && rec.Meta().GOARCH == "amd64" {
		t.Level = levelHere()
	}
	t.Before, t.After = wholePart(rec, recording.MemStatsStartPart), wholePart(rec, recording.MemStatsEndPart)
	return t
}

// maxStats bounds what is read of the runtime's statistics, which have some 30 KB.
const maxStats = 1 << 20

// wholePart is a small part of a recording; nil when it has none such that can be read.
func wholePart(rec *recording.Recording, name string) []byte {
	part, err := rec.Part(name)
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(part, maxStats))
	if errors.Join(err, part.Close()) != nil {
		return nil
	}
	return text
}

// ranHere reports whether the recorder ran on the target's machine, which is taken to be this one.
func ranHere(t recording.Target) bool { return t.Kind != recording.URL || t.PID != 0 }

// levelHere is the GOAMD64 level of this machine, "" when it has another architecture:
// https://go.dev/wiki/MinimumRequirements#amd64. Some of v3 (LZCNT, MOVBE) cannot be asked for here; no
// processor has the rest without it.
func levelHere() string {
	x := &cpu.X86
	switch {
	case !x.HasSSE2:
		return ""
	case !x.HasSSE42 || !x.HasPOPCNT || !x.HasSSSE3 || !x.HasCX16:
		return "v1"
	case !x.HasAVX2 || !x.HasBMI1 || !x.HasBMI2 || !x.HasFMA:
		return "v2"
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512CD || !x.HasAVX512DQ || !x.HasAVX512VL:
		return "v3"
	}
	return "v4"
}
