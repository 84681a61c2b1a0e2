package collect

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source/objfile"
)

// agentInfo is what package agent reports about its process; collect decodes only what
// recording.json has.
type agentInfo struct {
	GoVersion     string           `json:"go_version"`
	GOOS          string           `json:"goos"`
	GOARCH        string           `json:"goarch"`
	GOMAXPROCS    int              `json:"gomaxprocs"`
	NumCPU        int              `json:"num_cpu"`
	Cmdline       []string         `json:"cmdline"`
	Build         *recording.Build `json:"build"`
	BlockRate     int64            `json:"block_rate"`     // -1 if unknown
	MutexFraction int              `json:"mutex_fraction"` // 0 is off
}

// describe fills in the description of the target: from its agent if there is one, else from its
// executable, else from profiles and trace.
func (t *serverRecording) describe() {
	m := &t.meta
	if t.local() {
		t.here()
	}
	if a := t.info; a != nil {
		m.GoVersion, m.GOOS, m.GOARCH = a.GoVersion, a.GOOS, a.GOARCH
		m.GOMAXPROCS, m.NumCPU = a.GOMAXPROCS, a.NumCPU
		m.CommandLine = a.Cmdline
		if a.Build != nil {
			m.Build = a.Build
		}
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

// readExecutable takes the build information and Go version from a binary. It does nothing if the
// file is not a Go program or not readable.
func (s *session) readExecutable(file string) {
	if bi, err := buildinfo.ReadFile(file); err == nil {
		s.setBuild(bi)
	}
}

// openExecutable keeps the binary open for its machine code: the process or the file may be gone at
// the end.
func (s *session) openExecutable(file string) {
	var err error
	if s.binary, err = objfile.Open(file); err != nil {
		s.warn(fmt.Errorf("machine code was not recorded: %w", err))
	}
}

// local reports whether the target runs on this machine.
func (t *serverRecording) local() bool {
	if t.meta.Target.PID != 0 {
		return true
	}
	tcp, ok := t.c.RemoteAddr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
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

// traceGOMAXPROCS reads the trace up to the first event that has the number of processors; 0 if
// there is none.
func (t *serverRecording) traceGOMAXPROCS() int {
	if !t.w.Has(recording.TracePart) {
		return 0
	}
	rc, err := t.w.Part(recording.TracePart)
	if err != nil {
		return 0
	}
	defer func() { _ = rc.Close() }() // only read
	r, err := reader.Open(context.Background(), rc)
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
				return int(min(m.Value.Uint64(), math.MaxInt32))
			}
		}
	}
}

// anyProfile calls f with the recorded profiles until it returns true.
func (s *session) anyProfile(f func(*profile.Profile) bool) {
	for _, name := range []string{"goroutine", "goroutine.start", "cpu", "heap.live"} {
		if p := s.profile(name); p != nil && f(p) {
			return
		}
	}
}

// guessBuild finds the main module through the source file of main.main: from the go.mod above it
// if the file is on this machine, from the path itself if the target was built with -trimpath. It
// returns nil if neither works.
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

// toolchainDir matches the version in the path of a standard library file, in the go command's
// downloads and in usual installations.
var toolchainDir = regexp.MustCompile(
	`(?:toolchain@v[\d.]+-|/)(go1\.\d+(?:\.\d+|rc\d+|beta\d+)?)[^/]*/(?:go/)?src/runtime/`)

// guessGoVersion takes the Go version from the paths of standard library files.
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
