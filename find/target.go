package find

import (
	"errors"
	"io"

	"github.com/whet-go/whet/internal/find/machine"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/work"
)

// A Target is what is known about a recorded program in addition to its profiles. Rules whose
// inputs are missing do not judge it.
type Target struct {
	Build *recording.Build // nil if unknown
	// Go is the version that built it, in the form of runtime.Version; "" if unknown.
	Go string
	// Level is the GOAMD64 level that the machine it ran on supports, v1 to v4; "" if unknown.
	Level string
	// Requests is the number of requests that the load sent while the CPU profile was taken; 0 if unknown.
	Requests float64
	// Before and After are runtime.MemStats at both ends of the window, as in recordings
	// (recording.MemStatsStartPart, recording.MemStatsEndPart); nil if not recorded.
	Before, After []byte
}

// TargetOf returns what a recording contains about its program besides profiles. Parts that cannot be
// read are treated as missing, because the profiles matter most.
func TargetOf(rec *recording.Recording) Target {
	meta := rec.Meta()
	t := Target{Build: meta.Build, Go: meta.GoVersion}
	// The recorder is assumed to run on this machine.
	if x := meta.Target; meta.GOARCH == "amd64" && (x.Kind != recording.URL && x.Kind != recording.Stored || x.PID != 0) {
		t.Level = machine.Level()
	}
	if n, err := work.Requests(rec, "cpu"); err == nil {
		t.Requests = n.Requests
	}
	t.Before, t.After = wholePart(rec, recording.MemStatsStartPart), wholePart(rec, recording.MemStatsEndPart)
	return t
}

// maxStats is the maximum size of the runtime statistics, which take about 30 KB.
const maxStats = 1 << 20

// wholePart reads a small part of a recording; nil if it is missing or cannot be read.
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
