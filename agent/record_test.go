package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/recording"
)

// hoard allocates 64 MB and returns the part that stays live.
func hoard() (kept [][]byte) {
	for i := range 64 {
		b := make([]byte, 1<<20)
		if i%8 == 0 {
			kept = append(kept, b)
		}
	}
	return kept
}

// contend makes a goroutine wait for a lock, and another for a channel.
func contend() {
	var mu sync.Mutex
	hand, done := make(chan int), make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5000 {
				mu.Lock()
				runtime.Gosched()
				mu.Unlock()
			}
		})
	}
	go func() {
		defer close(done)
		for range hand {
			runtime.Gosched()
		}
	}()
	for i := range 1000 {
		hand <- i
	}
	close(hand)
	wg.Wait()
	<-done
}

func open(t *testing.T, path string) *recording.Recording {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func readPart(t *testing.T, r *recording.Recording, name string) []byte {
	t.Helper()
	rc, err := r.Part(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rc.Close() }()
	data, err := io.ReadAll(rc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.whet")
	began := time.Now()
	stop := agent.Recorder{Trace: 50 * time.Millisecond, MutexFraction: 1}.Start(path)
	started := time.Now()
	computed := compute()
	kept := hoard()
	contend()
	worked := time.Since(started)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Errorf("second stop: %v", err)
	}
	runtime.KeepAlive(computed)
	runtime.KeepAlive(kept)

	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Equal(names, []string{path}) {
		t.Errorf("files %v, want only the recording (%v)", names, err)
	}
	r := open(t, path)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings: %v", r.Warnings)
	}
	if errs := r.Verify(); len(errs) > 0 {
		t.Errorf("damaged parts: %v", errs)
	}

	t.Run("meta", func(t *testing.T) {
		m := r.Meta()
		bi, _ := debug.ReadBuildInfo()
		if m.Target.Kind != recording.Program || m.Target.PID != os.Getpid() || m.GoVersion != runtime.Version() ||
			m.Interrupted || !slices.Equal(m.CommandLine, os.Args) ||
			!reflect.DeepEqual(m.Build, recording.BuildOf(bi)) ||
			m.GOMAXPROCS != runtime.GOMAXPROCS(0) || m.NumCPU != runtime.NumCPU() ||
			m.GOOS != runtime.GOOS || m.GOARCH != runtime.GOARCH {
			t.Errorf("meta %+v", m)
		}
		if m.Duration < worked || m.Created.Before(began.Truncate(0)) {
			t.Errorf("recorded %v from %v", m.Duration, m.Created)
		}
		for _, missing := range m.Missing {
			if missing.Part != "goroutineleak" || missing.Hint == "" {
				t.Errorf("missing: %+v", missing)
			}
		}
		// The bytes contain what recording.Meta has, and nothing else.
		raw := readPart(t, r, recording.MetaPart)
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		var meta recording.Meta
		if err := dec.Decode(&meta); err != nil {
			t.Fatal(err)
		}
		again, err := json.MarshalIndent(meta, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if string(again)+"\n" != string(raw) {
			t.Errorf("package recording would write\n%s\nthe agent wrote\n%s", again, raw)
		}
	})

	t.Run("profiles", func(t *testing.T) {
		want := []string{
			"cpu", "heap", "heap.live", "allocs", "block", "mutex", "goroutine", "goroutine.start", "threadcreate",
		}
		if pprof.Lookup("goroutineleak") != nil {
			want = slices.Insert(want, len(want)-1, "goroutineleak")
		}
		if got := r.ProfileNames(); !slices.Equal(got, want) {
			t.Errorf("profiles %v, want %v", got, want)
		}
		for _, test := range []struct {
			profile, sampleType, function string
			least                         int64
		}{
			// Far less than the actual cost: profiles are samples, and cores are shared.
			{"cpu", "cpu", "agent_test.compute", int64(10 * time.Millisecond)},
			{"allocs", "alloc_space", "agent_test.hoard", 32 << 20},
			{"allocs", "alloc_objects", "agent_test.hoard", 32},
			{"heap", "alloc_space", "agent_test.hoard", 32 << 20},
			{"heap.live", "inuse_space", "agent_test.hoard", 1 << 20},
			{"mutex", "contentions", "agent_test.contend", 1},
			{"block", "delay", "agent_test.contend", 1},
			{"goroutine", "goroutine", "agent_test.TestRecord", 1},
			{"goroutine.start", "goroutine", "agent_test.TestRecord", 1},
		} {
			p, err := r.Profile(test.profile)
			if err != nil {
				t.Error(err)
				continue
			}
			if got := cost(t, p, test.sampleType, test.function); got < test.least {
				t.Errorf("%s charges %d %s to %s, want at least %d", test.profile, got, test.sampleType, test.function, test.least)
			}
		}
	})

	t.Run("other parts", func(t *testing.T) {
		if readTrace(t, bytes.NewReader(readPart(t, r, recording.TracePart))) == 0 {
			t.Error("trace holds no events")
		}
		for _, name := range []string{recording.MemStatsStartPart, recording.MemStatsEndPart} {
			stats := string(readPart(t, r, name))
			for _, want := range []string{"# Alloc = ", "# HeapAlloc = ", "# NumGC = ", "# PauseNs = "} {
				if !strings.Contains(stats, want) {
					t.Errorf("%s lacks %q:\n%s", name, want, stats)
				}
			}
			for line := range strings.Lines(stats) {
				if !strings.HasPrefix(line, "# ") || !strings.Contains(line, " = ") {
					t.Errorf("%s: line %q", name, line)
				}
			}
		}
		var infos map[string]agent.Info
		if err := r.JSON(recording.AgentPart, &infos); err != nil {
			t.Fatal(err)
		}
		const allocs = "/gc/heap/allocs:bytes"
		if grown := infos["end"].Memory[allocs] - infos["start"].Memory[allocs]; grown < 64<<20 {
			t.Errorf("allocations grew by %v", grown)
		}
	})

	t.Run("source", func(t *testing.T) {
		_, file, _, _ := runtime.Caller(0)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Skip(err) // built with -trimpath
		}
		got, ok := r.SourceFile(file)
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("%s is not in the recording; it holds %v", file, r.Sources())
		}
		for _, path := range r.Sources() {
			if module := filepath.Dir(filepath.Dir(file)); !strings.HasPrefix(path, module) {
				t.Errorf("the recording holds %s, which is not own code", path)
			}
		}
	})
}

func TestRecordWhatIsFree(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.whet")
	stop := agent.Recorder{Trace: -1}.Start(path)
	err := stop()
	pprof.StopCPUProfile()
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	missing := r.Meta().Missing
	if i := slices.IndexFunc(missing, func(m recording.Missing) bool { return m.Part == "cpu" }); i < 0 ||
		missing[i].Reason == "" {
		t.Errorf("missing %+v, want the CPU profile among them", missing)
	}
	if slices.Contains(r.ProfileNames(), "cpu") {
		t.Error("the recording holds a CPU profile that another caller started")
	}
	if _, err := r.Part(recording.TracePart); !errors.Is(err, recording.ErrNoPart) {
		t.Errorf("trace: %v, want none", err)
	}
	// Samples from an earlier recording do not count.
	if p, err := r.Profile("block"); err != nil {
		t.Error(err)
	} else if len(p.SampleTypes) != 2 {
		t.Errorf("block profile has sample types %v", p.SampleTypes)
	}
}

func TestRecordWhereItCannot(t *testing.T) {
	before := runtime.SetMutexProfileFraction(-1)
	stop := agent.Record(filepath.Join(t.TempDir(), "no", "such", "directory", "run.whet"))
	if err := stop(); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want a missing directory", err)
	}
	if err := stop(); err == nil {
		t.Error("the second call of stop forgot the error")
	}
	if after := runtime.SetMutexProfileFraction(-1); after != before {
		t.Errorf("mutex fraction is %d, was %d", after, before)
	}
}

// A program that exits without calling stop leaves what was known at its start.
func TestRecordOfProgramThatExits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whet")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "WHET_AGENT_TEST_EXIT="+path)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("program ended with %v: %s", err, out)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s exists although the program did not finish it (%v)", path, err)
	}
	r := open(t, path+recording.PartialSuffix)
	m := r.Meta()
	if !m.Interrupted || m.GoVersion != runtime.Version() || m.Target.Kind != recording.Program {
		t.Errorf("meta %+v", m)
	}
	if _, err := r.Profile("goroutine.start"); err != nil {
		t.Error(err)
	}
}

// TestRecordReplaces replaces recordings and empty files only.
func TestRecordReplaces(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		text string
		ok   bool
	}{
		"source":    {"package main", false},
		"short":     {"x", false},
		"empty":     {"", true},
		"recording": {"PK\x03\x04rest", true},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := agent.Recorder{Trace: -1}.Start(path)()
		data, rerr := os.ReadFile(path)
		if rerr != nil {
			t.Fatal(rerr)
		}
		if (err == nil) != tc.ok || !tc.ok && string(data) != tc.text {
			t.Errorf("%s: %v, file has %d bytes", name, err, len(data))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("files left: %q", left)
	}
}
