package index

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/indexer"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/trace/index/indextest"
	"github.com/whet-go/whet/trace/model"
)

// Environment variables that make this test binary a program that builds an index.
const (
	childOut   = "WHET_INDEX_OUT"   // file for the index of the trace on standard input
	childLimit = "WHET_INDEX_LIMIT" // maximum size of files in bytes
)

func TestMain(m *testing.M) {
	if out := os.Getenv(childOut); out != "" {
		os.Exit(child(out))
	}
	os.Exit(m.Run())
}

// corpus returns small traces of all versions of the format.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("../../internal/trace/testdata/*.trace")
	if err != nil || len(names) < 10 {
		t.Fatalf("traces %v, %v", names, err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		if all[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// walk reads a whole index.
func walk(t testing.TB, x *Index) {
	t.Helper()
	last := map[uint32]int64{}
	spans := int64(0)
	err := x.Spans(0, x.Info.Duration, func(s Span) bool {
		ok := s.From <= s.To && s.To <= x.Info.Duration && s.From >= last[s.Goroutine]
		if !ok {
			t.Errorf("span %+v after %d in a trace of %d", s, last[s.Goroutine], x.Info.Duration)
		}
		last[s.Goroutine] = s.To
		spans++
		return ok
	})
	if err != nil {
		t.Error(err)
	}
	if spans != x.Info.Spans {
		t.Errorf("%d spans, want %d", spans, x.Info.Spans)
	}
	n := uint32(0)
	if err := x.Goroutines(func(*Goroutine) bool { n++; return true }); err != nil || n != x.Info.Goroutines {
		t.Errorf("%d goroutines, want %d: %v", n, x.Info.Goroutines, err)
	}
	for stream := range Stream(model.Streams) {
		if err := x.Records(stream, 0, x.Info.Duration, func(*Record) bool { return true }); err != nil {
			t.Errorf("stream %d: %v", stream, err)
		}
	}
}

// try builds the index of a trace that may be invalid, and reads it if there is one.
func try(t testing.TB, dir string, data []byte) (Info, error) {
	t.Helper()
	name := filepath.Join(dir, "x")
	in, err := reader.Open(t.Context(), bytes.NewReader(data))
	if err != nil {
		return Info{}, err
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := indexer.Write(t.Context(), in, f, name, indexer.Options{MaxMemory: DefaultMaxMemory})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		return Info{}, err
	}
	x, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	walk(t, x)
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	return info, nil
}

// inState identifies a goroutine and a state.
type inState struct {
	goroutine int64
	state     string
}

// stay is how often and how long a goroutine was in a state.
type stay struct{ count, time int64 }

func inStates(spans []indextest.Span) map[inState]stay {
	all := map[inState]stay{}
	for _, s := range spans {
		key := inState{s.Of, s.State}
		all[key] = stay{all[key].count + 1, all[key].time + s.To - s.From}
	}
	return all
}

// TestVersions compares the indexes of traces of all versions with a plain scan.
func TestVersions(t *testing.T) {
	t.Parallel()
	all := corpus(t)
	// Go's own larger ones, where its source is installed.
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(
		strings.TrimSpace(string(goroot)), "src/internal/trace/internal/tracev1/testdata/*_good",
	))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range more {
		if all[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range all {
		want := indextest.Scan(t, data)
		x := build(t, data)
		walk(t, x)
		ids := ids(t, x)
		var got []indextest.Span
		if err := x.Spans(0, x.Info.Duration, func(s Span) bool {
			got = append(got, x.seen(s, ids))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		all := indextest.In(want.Goroutines, -1, 0, x.Info.Duration)
		if len(all) == 0 && x.Info.Goroutines > 0 {
			t.Errorf("%s: no span", name)
		}
		// The reader of old formats orders simultaneous events at random, and moves them a
		// nanosecond apart.
		slack := int64(0)
		if !strings.HasPrefix(name, "go1.2") || strings.HasPrefix(name, "go1.21") {
			slack = 20
		}
		left := inStates(all)
		for of, s := range inStates(got) {
			l := left[of]
			delete(left, of)
			if s.count != l.count || max(s.time-l.time, l.time-s.time) > slack*s.count {
				t.Errorf("%s, goroutine %d: %+v %q, want %+v", name, of.goroutine, s, of.state, l)
			}
		}
		if len(left) > 0 {
			t.Errorf("%s: the index lacks %v", name, left)
		}
		if x.Info.Damage != "" || max(x.Info.Duration-want.Duration, want.Duration-x.Info.Duration) > slack {
			t.Errorf("%s: %d ns, want %d; %s", name, x.Info.Duration, want.Duration, x.Info.Damage)
		}
	}
}

// TestCut truncates traces everywhere.
func TestCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range corpus(t) {
		whole, err := try(t, dir, data)
		if err != nil || whole.Damage != "" {
			t.Fatalf("%s: %v, %s", name, err, whole.Damage)
		}
		const cuts = 40
		for n := 0; n < len(data); n += 1 + len(data)/cuts {
			info, err := try(t, dir, data[:n])
			switch {
			case err != nil:
				if diag.Hint(err) == "" || len(err.Error()) > 400 {
					t.Errorf("%s, %d bytes of %d: %v, without a hint", name, n, len(data), err)
				}
			case info.Damage == "" && strings.HasPrefix(name, "go1.26"):
				t.Errorf("%s, %d bytes of %d: it is whole", name, n, len(data))
			case info.Events > whole.Events || info.Duration > whole.Duration:
				t.Errorf("%s, %d bytes of %d: %+v, whole: %+v", name, n, len(data), info, whole)
			}
		}
	}
}

// TestFlipped damages traces at random.
func TestFlipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(5, 6))
	indexed := 0
	for name, data := range corpus(t) {
		for range 25 {
			bad := slices.Clone(data)
			for range 1 + r.IntN(3) {
				bad[reader.HeadLen+r.IntN(len(bad)-reader.HeadLen)] ^= 1 << r.IntN(8)
			}
			info, err := try(t, dir, bad)
			if err == nil {
				indexed++
			}
			if t.Failed() || len(info.Damage) > 300 {
				t.Fatalf("%s: %v, %s, %x", name, err, info.Damage, bad)
			}
		}
	}
	if indexed == 0 {
		t.Error("no damaged trace was read at all")
	}
}

// The wire format, and limits of its reader.
const (
	evEventBatch, evCPUSamples        = 1, 6
	oldBatch, oldString               = 1, 37
	maxTables, maxBatches, maxThreads = 64 << 20, 1 << 18, 1 << 14
	maxOldEvents                      = 16 << 20
)

// batchOf returns a batch of a trace.
func batchOf(gen, thread, time uint64, body ...byte) []byte {
	b := []byte{evEventBatch}
	for _, v := range []uint64{gen, thread, time, uint64(len(body))} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, body...)
}

const head122 = "go 1.22 trace\x00\x00\x00"

// some returns a generation in which goroutine 1 runs on processor 0 from a given time.
func some(gen, from uint64, frequency uint64) []byte {
	const procStatus, goStatus, goStop, frequencyEvent = 13, 25, 19, 8
	b := batchOf(gen, 0, from, procStatus, 1, 0, 1, goStatus, 1, 1, 0, 2, goStop, 1, 0, 0)
	return append(b, batchOf(gen, 1<<64-1, from, binary.AppendUvarint([]byte{frequencyEvent}, frequency)...)...)
}

// TestAbsurd reads traces that are crafted to need much memory or time, or to be misread.
func TestAbsurd(t *testing.T) {
	t.Parallel()
	threads := []byte(head122)
	for n := range uint64(maxThreads + 1) {
		threads = append(threads, batchOf(1, n, 1)...)
	}
	old := bytes.Repeat([]byte{8, 1, 8, 1}, maxOldEvents/2+1) // two events of two bytes
	for _, test := range []struct {
		name string
		data []byte
		want string // in the error, or in Damage
	}{
		{"nothing", nil, "an empty file"},
		{"a head that is cut off", []byte("go 1.26 tr"), "cut off in its first bytes"},
		{"a head alone", []byte("go 1.26 trace\x00\x00\x00"), "no events"},
		{"a version to come", []byte("go 1.39 trace\x00\x00\x00"), "unknown or unsupported"},
		{"gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00\x00\x00\x00\x00\x00"), "compressed"},
		{"JSON", []byte(`{"traceEvents":[]}`), "it is JSON"},
		{"text", []byte("hello, this is no trace at all"), "not an execution trace"},
		{"an index", []byte(magic), "an index of a trace"},
		{
			"a batch of 8 exabytes",
			append([]byte(head122), evEventBatch, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
			"invalid batch size",
		},
		{
			"a batch that does not end",
			append([]byte(head122), evEventBatch, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
			"no complete generation",
		},
		{"too many threads", threads, "more than 16384 threads"},
		{
			"generations in the wrong order",
			slices.Concat([]byte(head122), some(2, 100, 1e9), some(1, 1, 1e9)),
			"generation 1 comes after 2",
		},
		{
			"a clock that is too fast",
			slices.Concat([]byte(head122), some(1, 1, 1e9), some(2, 1<<60, 1e9)),
			"ns after the first",
		},
		{"too many events before Go 1.22", append([]byte("go 1.21 trace\x00\x00\x00"), old...), "more than 16777216 events"},
		{
			"strings of a length that cannot be",
			append([]byte("go 1.21 trace\x00\x00\x00"), 0x40|oldBatch, 1, 1, oldString, 1, 0xff, 0xff, 0xff, 0xff, 0x7f),
			"",
		},
	} {
		info, err := try(t, t.TempDir(), test.data)
		text := info.Damage
		if err != nil {
			text = err.Error()
		}
		if text == "" || !strings.Contains(text, test.want) {
			t.Errorf("%s: %q, want %q", test.name, text, test.want)
		}
	}
}

// endless is a trace that repeats a batch.
type endless struct {
	head  io.Reader
	batch []byte
	left  []byte
	read  int64
}

func (e *endless) Read(p []byte) (n int, err error) {
	if n, err = e.head.Read(p); err == nil {
		return n, nil
	}
	if len(e.left) == 0 {
		e.left = e.batch
	}
	n = copy(p, e.left)
	e.left = e.left[n:]
	e.read += int64(n)
	return n, nil
}

// longSample returns a CPU sample of the maximum length.
func longSample() []byte {
	b := []byte{7}
	for range 5 {
		b = binary.AppendUvarint(b, 1<<63)
	}
	return b
}

// TestEndless reads generations without an end.
func TestEndless(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		batch []byte
		want  string
		most  int64
	}{
		{
			batchOf(1, 1<<64-1, 1, append([]byte{evCPUSamples}, bytes.Repeat(longSample(), 1000)...)...),
			"bytes of strings and stacks",
			maxTables,
		},
		{batchOf(1, 1, 1), "batches", 16 * maxBatches},
	} {
		e := &endless{head: strings.NewReader(head122), batch: test.batch}
		_, err := Build(t.Context(), e, filepath.Join(t.TempDir(), "x"), Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || e.read > test.most+1<<20 {
			t.Errorf("%v after %d bytes, want one about %s", err, e.read, test.want)
		}
	}
}

// child builds an index as configured by its environment.
func child(out string) int {
	if err := limitFiles(os.Getenv(childLimit)); err != nil {
		fmt.Println(err)
		return 2
	}
	if _, err := Build(context.Background(), &announcingReader{r: os.Stdin}, out, Options{}); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// announcingReader reports when it is read for the second time: the file exists by then.
type announcingReader struct {
	r     io.Reader
	reads int
}

func (r *announcingReader) Read(p []byte) (int, error) {
	if r.reads++; r.reads == 2 {
		fmt.Println("reading")
	}
	return r.r.Read(p)
}

// start starts this test binary as a program that builds an index.
func start(t *testing.T, out, limit string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childOut+"="+out, childLimit+"="+limit)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdin, bufio.NewReader(stdout)
}

// TestKilled kills a process that builds an index.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "x")
	data := corpus(t)["go1.26.trace"]
	cmd, stdin, stdout := start(t, out, "")
	if _, err := stdin.Write(data[:len(data)/2]); err != nil {
		t.Fatal(err)
	}
	if line, err := stdout.ReadString('\n'); err != nil || line != "reading\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v: want what the killed one had begun", entries, err)
	}
	if ok, err := filepath.Match(PartialPattern(out), entries[0].Name()); err != nil || !ok {
		t.Errorf("%s is left, want a name like %s", entries[0].Name(), PartialPattern(out))
	}
	if _, err := Open(filepath.Join(dir, entries[0].Name())); !errors.Is(err, ErrNotIndex) {
		t.Errorf("what is left: %v", err)
	}
	if _, err := Build(t.Context(), bytes.NewReader(data), out, Options{}); err != nil {
		t.Error(err)
	}
}

// FuzzBuild builds indexes of damaged traces.
func FuzzBuild(f *testing.F) {
	for _, data := range corpus(f) {
		f.Add(data)
		f.Add(data[:len(data)*3/4])
	}
	f.Add(slices.Concat([]byte(head122), some(1, 1<<63, 0))) // a clock without ticks
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip("more than is of use")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := try(t, t.TempDir(), data)
		runtime.ReadMemStats(&after)
		// The reader of old formats takes 32 MB for any trace, twice.
		if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20+uint64(len(data))*4000 {
			t.Errorf("%d bytes take %d of memory: %v", len(data), took, err)
		}
	})
}
