package collect

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// agentInfo is what package agent answers about its process; collect reads only
// what goes into recording.json.
type agentInfo struct {
	GoVersion  string           `json:"go_version"`
	GOMAXPROCS int              `json:"gomaxprocs"`
	NumCPU     int              `json:"num_cpu"`
	PID        int              `json:"pid"`
	Cmdline    []string         `json:"cmdline"`
	Build      *debug.BuildInfo `json:"build"`
}

// describe fills in what the target is. Its agent knows best, then its
// executable, then what profiles and trace give away.
func (t *sitting) describe() {
	m := &t.meta
	var a agentInfo
	for _, raw := range []json.RawMessage{t.agentStart, t.agentEnd} {
		if raw != nil && json.Unmarshal(raw, &a) == nil {
			break
		}
	}
	if a.GoVersion != "" {
		m.GoVersion = a.GoVersion
	}
	if a.Build != nil {
		t.setBuild(a.Build)
	}
	if len(a.Cmdline) > 0 {
		m.CommandLine = a.Cmdline
	}
	m.GOMAXPROCS, m.NumCPU = a.GOMAXPROCS, a.NumCPU
	if m.Target.PID != 0 {
		t.here()
	}
	if m.GOMAXPROCS == 0 {
		m.GOMAXPROCS = t.traceGOMAXPROCS()
	}
	if m.Build == nil {
		m.Build = t.guessBuild()
	}
	if m.GoVersion == "" {
		m.GoVersion = t.guessGoVersion()
	}
}

// readExecutable takes build info and Go version from a binary.
func (s *session) readExecutable(file string) {
	bi, err := buildinfo.ReadFile(file)
	if err != nil {
		return // not a Go program, or not ours to read
	}
	s.setBuild(bi)
}

func (s *session) setBuild(bi *debug.BuildInfo) {
	s.meta.Build = recording.BuildOf(bi)
	if bi.GoVersion != "" {
		s.meta.GoVersion = bi.GoVersion
	}
	for _, set := range bi.Settings {
		switch set.Key {
		case "GOOS":
			s.meta.GOOS = set.Value
		case "GOARCH":
			s.meta.GOARCH = set.Value
		}
	}
}

// traceGOMAXPROCS reads the trace up to the first place where the runtime says
// the number of processors; 0 when it does not.
func (t *sitting) traceGOMAXPROCS() int {
	if !t.w.Has(recording.TracePart) {
		return 0
	}
	rc, err := t.w.Part(recording.TracePart)
	if err != nil {
		return 0
	}
	defer func() { _ = rc.Close() }() // only read
	r, err := trace.NewReader(rc)
	if err != nil {
		return 0
	}
	for {
		ev, err := r.ReadEvent()
		if err != nil {
			return 0
		}
		if ev.Kind() == trace.EventMetric {
			if m := ev.Metric(); m.Name == "/sched/gomaxprocs:threads" {
				return int(m.Value.Uint64())
			}
		}
	}
}

// anyProfile calls f for the profiles recorded until it returns true.
func (s *session) anyProfile(f func(*profile.Profile) bool) {
	for _, name := range []string{"goroutine", "goroutine.start", "cpu", "heap.live"} {
		if p := s.profiles[name]; p != nil && f(p) {
			return
		}
	}
}

// guessBuild finds the main module through the source file of main.main: the
// go.mod above it when the file is on this machine, the path itself when the
// target was built with -trimpath. Nil when neither tells.
func (s *session) guessBuild() *recording.Build {
	var b *recording.Build
	s.anyProfile(func(p *profile.Profile) bool {
		i := slices.IndexFunc(p.Functions, func(f profile.Function) bool { return f.Name == "main.main" })
		if i < 0 {
			return false
		}
		file := p.Functions[i].File
		switch {
		case filepath.IsAbs(file):
			if mod := moduleAbove(filepath.Dir(file)); mod != "" {
				b = &recording.Build{Main: recording.Module{Path: mod}}
			}
		case strings.Contains(file, "/"):
			pkg := file[:strings.LastIndexByte(file, '/')]
			b = &recording.Build{Path: pkg, Main: recording.Module{Path: profile.GuessModule(pkg)}}
		}
		return true
	})
	return b
}

// moduleAbove reads the module path from the go.mod in dir or above.
func moduleAbove(dir string) string {
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return modfile.ModulePath(data)
		}
		parent := filepath.Dir(dir)
		if parent == dir || !errors.Is(err, os.ErrNotExist) {
			return ""
		}
		dir = parent
	}
}

// toolchainDir matches the version in the path of a standard library file, as
// it is under the go command's own downloads and usual installations.
var toolchainDir = regexp.MustCompile(`(?:toolchain@v[\d.]+-|/)(go1\.\d+(?:\.\d+|rc\d+|beta\d+)?)[^/]*/(?:go/)?src/runtime/`)

// guessGoVersion reads the Go version off the paths of the standard library.
func (s *session) guessGoVersion() string {
	version := ""
	s.anyProfile(func(p *profile.Profile) bool {
		for _, f := range p.Functions {
			if m := toolchainDir.FindStringSubmatch(f.File); m != nil {
				version = m[1]
				return true
			}
		}
		return false
	})
	return version
}
