package recording

import (
	"cmp"
	"encoding/json"
	"runtime/debug"
	"strings"
	"time"

	"github.com/whet-go/whet/profile"
)

// Version is the version of the format that this package writes. It reads this
// and all earlier ones.
const Version = 2

// Names of the parts that are not profiles and not source files.
const (
	MetaPart          = "recording.json"     // Meta, the last part of a finished recording
	StartPart         = "start.json"         // Meta as known before measuring, the first part
	TracePart         = "trace.out"          // execution trace, as runtime/trace writes it
	MemStatsStartPart = "memstats.start.txt" // runtime.MemStats at the window's start, "Name = value" lines
	MemStatsEndPart   = "memstats.end.txt"   // the same at its end
	ProcessPart       = "process.json"       // the process as the operating system sees it
	LoadPart          = "load.json"          // result of the load that ran meanwhile
	CodePart          = "code.json"          // machine code of the hot functions
	BenchPart         = "bench.txt"          // output of the benchmarks, benchstat's input
	AgentPart         = "agent.json"         // what the target's agent reports about its process: {"start": …, "end": …}

	// ArgumentsPart is what was copied of the program's calls (--capture).
	ArgumentsPart = "arguments/calls.json"

	profilePrefix = "profiles/"
	profileSuffix = ".pb.gz"
	sourcePrefix  = "source/"
)

// Meta is recording.json: what was recorded, of which target, and what was unavailable.
type Meta struct {
	Version  int           `json:"version"`        // of the format
	Whet     string        `json:"whet,omitempty"` // version of the recorder
	Created  time.Time     `json:"created"`        // start of the window
	Duration time.Duration `json:"duration_ns"`    // actual length of the window
	Target   Target        `json:"target"`

	GoVersion   string   `json:"go_version,omitempty"`   // that built the target
	GOMAXPROCS  int      `json:"gomaxprocs,omitempty"`   // 0 when unknown
	GOOS        string   `json:"goos,omitempty"`         // of the target
	GOARCH      string   `json:"goarch,omitempty"`       // of the target
	NumCPU      int      `json:"num_cpu,omitempty"`      // of the target's machine; 0 when unknown
	CommandLine []string `json:"command_line,omitempty"` // of the target's process
	Build       *Build   `json:"build,omitempty"`        // nil when unknown

	// Own lists the module or package prefixes that the user declared own code, in addition to the
	// main module.
	Own []string `json:"own,omitempty"`

	Parts   []Part    `json:"parts"`
	Missing []Missing `json:"missing,omitempty"`

	// Interrupted is set if the window ended before the requested time, and if the recording had to
	// be salvaged.
	Interrupted bool `json:"interrupted,omitempty"`
}

// TargetKind is the kind of a target.
type TargetKind string

// The kinds of targets.
const (
	URL     TargetKind = "url"     // a server that answers /debug/pprof/
	Bench   TargetKind = "bench"   // Go packages with benchmarks
	Command TargetKind = "command" // a command that whet started
	Program TargetKind = "program" // a program that recorded itself through package agent
	Stored  TargetKind = "store"   // profiles of a store, merged
)

// Target is what was recorded. Only the fields of its kind are set.
type Target struct {
	Kind    TargetKind `json:"kind"`
	Address string     `json:"address,omitempty"` // pprof base URL, without credentials; selector of a store
	Pattern string     `json:"pattern,omitempty"` // Go package pattern
	Bench   string     `json:"bench,omitempty"`   // -bench regular expression
	Command []string   `json:"command,omitempty"`
	PID     int        `json:"pid,omitempty"` // 0 when not on the recorder's machine
}

// String returns the target as the user named it.
func (t Target) String() string {
	switch t.Kind {
	case Bench:
		return t.Pattern
	case Command, Program:
		if len(t.Command) > 0 {
			return t.Command[0]
		}
	case URL, Stored:
	}
	return t.Address
}

// Build is the build information that the go command embedded in the target's binary.
type Build struct {
	Path     string         `json:"path,omitempty"` // package path of main
	Main     Module         `json:"main"`           // the main module: own code
	Deps     []Module       `json:"deps,omitempty"`
	Settings []BuildSetting `json:"settings,omitempty"`
}

// Module is one module of a build.
type Module struct {
	Path    string  `json:"path"`
	Version string  `json:"version,omitempty"`
	Sum     string  `json:"sum,omitempty"`
	Replace *Module `json:"replace,omitempty"`
}

// BuildSetting is one key and value of debug.BuildInfo.Settings, such as
// "-trimpath" and "true".
type BuildSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// BuildOf converts the runtime's build information. It returns nil for nil.
func BuildOf(bi *debug.BuildInfo) *Build {
	if bi == nil {
		return nil
	}
	b := &Build{Path: bi.Path, Main: moduleOf(bi.Main)}
	for _, d := range bi.Deps {
		b.Deps = append(b.Deps, moduleOf(*d))
	}
	for _, s := range bi.Settings {
		b.Settings = append(b.Settings, BuildSetting{s.Key, s.Value})
	}
	return b
}

// Revision returns the commit that the program was built from, with +dirty after it if files were changed;
// "" if the build information does not have it, also of a nil Build.
func (b *Build) Revision() string {
	if b == nil {
		return ""
	}
	revision, dirty := "", false
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if !isHash(revision) {
		return ""
	}
	if dirty {
		revision += "+dirty"
	}
	return revision
}

// isHash reports whether s can be the hash of a commit.
func isHash(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f')
	})
}

// IsDir reports whether the module is built from a directory: one in a workspace or a replace
// directive, or that of the main module.
func (m Module) IsDir() bool {
	if m.Replace != nil {
		m = *m.Replace
	}
	return m.Version == "" || m.Version == "(devel)"
}

// Foreign returns the paths of the dependencies that are not the user's: all except those that are
// built from a directory, and those below prefixes, which the user declared own.
func (b *Build) Foreign(prefixes []string) []string {
	own := profile.BelowAny(prefixes)
	var out []string
	for _, d := range b.Deps {
		if !d.IsDir() && !own(d.Path) {
			out = append(out, d.Path)
		}
	}
	return out
}

func moduleOf(m debug.Module) Module {
	out := Module{Path: m.Path, Version: m.Version, Sum: m.Sum}
	if m.Replace != nil {
		r := moduleOf(*m.Replace)
		out.Replace = &r
	}
	return out
}

// Kind is the kind of a part.
type Kind string

// The kinds of parts.
const (
	KindProfile Kind = "profile" // gzipped pprof protobuf
	KindTrace   Kind = "trace"   // Go execution trace
	KindSource  Kind = "source"  // a source file
	KindJSON    Kind = "json"
	KindText    Kind = "text"
)

// Part describes one file of the archive.
type Part struct {
	Name   string `json:"name"` // in the archive
	Kind   Kind   `json:"kind"`
	Bytes  int64  `json:"bytes"`            // uncompressed (a profile's own gzip counts as content)
	SHA256 string `json:"sha256,omitempty"` // of those bytes, in hex
	Note   string `json:"note,omitempty"`   // what is special about it, for display

	// Path is a source file's path as in the profiles.
	Path string `json:"path,omitempty"`

	// Start and End bound the window that the part covers; equal for a snapshot.
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

// Missing is a part that could not be recorded.
type Missing struct {
	Part   string `json:"part"`           // profile or part name, such as "block"
	Reason string `json:"reason"`         // why
	Hint   string `json:"hint,omitempty"` // the line of code, or the flag, that enables it
}

// UnmarshalJSON implements [json.Unmarshaler]. Version 1 of the format calls the hint "cure".
func (m *Missing) UnmarshalJSON(data []byte) error {
	type fields Missing
	v := struct {
		fields
		Cure string `json:"cure"`
	}{}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*m = Missing(v.fields)
	m.Hint = cmp.Or(m.Hint, v.Cure)
	return nil
}
