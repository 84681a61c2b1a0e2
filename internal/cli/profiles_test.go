package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

// The profiles of the tests are of a small service, example.com/leftpad, that
// pads strings and counts requests. They are built with google/pprof's own
// encoder.

// places has the positions of the functions in the profiles.
var places = map[string]string{
	"main.main":            "/home/dev/leftpad/main.go:20",
	"main.handle":          "/home/dev/leftpad/main.go:41",
	"main.handle#log":      "/home/dev/leftpad/main.go:47",
	"main.(*server).count": "/home/dev/leftpad/main.go:63",

	"example.com/leftpad/pad.Pad":                             "/home/dev/leftpad/pad/pad.go:12",
	"example.com/leftpad/internal/statsd.(*Client).Send":      "/home/dev/leftpad/internal/statsd/client.go:88",
	"example.com/leftpad/internal/statsd.(*Client).Send#repl": "/home/dev/leftpad/internal/statsd/client.go:91",
	"example.com/dep/v2/ring.(*Buffer).Push": "/home/dev/go/pkg/mod/" +
		"example.com/dep/v2@v2.1.0/ring/buffer.go:30",

	"fmt.Sprintf":                    "/usr/local/go/src/fmt/print.go:239",
	"fmt.(*pp).doPrintf":             "/usr/local/go/src/fmt/print.go:1023",
	"strings.NewReplacer":            "/usr/local/go/src/strings/replace.go:36",
	"log.Printf":                     "/usr/local/go/src/log/log.go:400",
	"syscall.Write":                  "/usr/local/go/src/syscall/syscall_unix.go:211",
	"net/http.HandlerFunc.ServeHTTP": "/usr/local/go/src/net/http/server.go:2322",
	"net/http.(*conn).serve":         "/usr/local/go/src/net/http/server.go:2060",
	"net/http.readRequest":           "/usr/local/go/src/net/http/request.go:1100",
	"runtime.concatstrings":          "/usr/local/go/src/runtime/string.go:50",
	"runtime.mallocgc":               "/usr/local/go/src/runtime/malloc.go:1056",
	"runtime.memmove":                "/usr/local/go/src/runtime/memmove_amd64.s:150",
	"runtime.gcBgMarkWorker":         "/usr/local/go/src/runtime/mgc.go:1463",
	"runtime.scanobject":             "/usr/local/go/src/runtime/mgcmark.go:1446",
	"runtime.mcall":                  "/usr/local/go/src/runtime/asm_amd64.s:459",
	"runtime.findRunnable":           "/usr/local/go/src/runtime/proc.go:3360",
	"runtime.main":                   "/usr/local/go/src/runtime/proc.go:283",
	"sync.(*Mutex).Unlock":           "/usr/local/go/src/sync/mutex.go:65",
}

// A builder makes a profile from stacks written as "leaf < caller < … < root". "callee + caller" is
// a call that was inlined into the caller.
type builder struct {
	p         *pprof.Profile
	functions map[string]*pprof.Function
	locations map[string]*pprof.Location
}

func newBuilder(types ...string) *builder {
	p := &pprof.Profile{
		TimeNanos:     time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC).UnixNano(),
		DurationNanos: int64(10 * time.Second),
		Mapping: []*pprof.Mapping{{
			ID: 1, Start: 0x400000, Limit: 0x800000, File: "/home/dev/leftpad/leftpad",
			HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
		}},
	}
	for _, t := range types {
		name, u, _ := strings.Cut(t, "/")
		p.SampleType = append(p.SampleType, &pprof.ValueType{Type: name, Unit: u})
	}
	return &builder{p: p, functions: map[string]*pprof.Function{}, locations: map[string]*pprof.Location{}}
}

func (b *builder) line(key string) pprof.Line {
	place, ok := places[key]
	if !ok {
		panic("no place for " + key)
	}
	name, _, _ := strings.Cut(key, "#")
	i := strings.LastIndexByte(place, ':')
	n := int64(0)
	if _, err := fmt.Sscan(place[i+1:], &n); err != nil {
		panic(err)
	}
	f := b.functions[name]
	if f == nil {
		f = &pprof.Function{ID: uint64(len(b.p.Function) + 1), Name: name, SystemName: name, Filename: place[:i]}
		b.functions[name] = f
		b.p.Function = append(b.p.Function, f)
	}
	return pprof.Line{Function: f, Line: n}
}

func (b *builder) add(stack string, values ...int64) *pprof.Sample {
	s := &pprof.Sample{Value: values}
	for _, key := range strings.Split(stack, " < ") {
		l := b.locations[key]
		if l == nil {
			id := uint64(len(b.p.Location) + 1)
			l = &pprof.Location{ID: id, Address: 0x400000 + id*16, Mapping: b.p.Mapping[0]}
			for _, inlined := range strings.Split(key, " + ") {
				l.Line = append(l.Line, b.line(inlined))
			}
			b.locations[key] = l
			b.p.Location = append(b.p.Location, l)
		}
		s.Location = append(s.Location, l)
	}
	b.p.Sample = append(b.p.Sample, s)
	return s
}

func (b *builder) encode() []byte {
	if err := b.p.CheckValid(); err != nil {
		panic(err)
	}
	var buf bytes.Buffer
	if err := b.p.Write(&buf); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

const serveStack = "main.handle < net/http.HandlerFunc.ServeHTTP < net/http.(*conn).serve"

// cpuProfile is 10 s of CPU time at 100 Hz; pad is the number of samples in padding.
func cpuProfile(pad int64) []byte {
	b := newBuilder("samples/count", "cpu/nanoseconds")
	b.p.PeriodType, b.p.Period = &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"}, 10_000_000
	add := func(stack, endpoint string, n int64) {
		s := b.add(stack, n, n*10_000_000)
		if endpoint != "" {
			s.Label = map[string][]string{"endpoint": {endpoint}}
		}
	}
	add("runtime.mallocgc < runtime.concatstrings < example.com/leftpad/pad.Pad < "+serveStack, "/pad", pad/2)
	add("runtime.memmove < runtime.concatstrings < example.com/leftpad/pad.Pad < "+serveStack, "/pad", pad/4)
	add("example.com/leftpad/pad.Pad < "+serveStack, "/pad", pad-pad/2-pad/4)
	send := "example.com/leftpad/internal/statsd.(*Client).Send"
	add("fmt.(*pp).doPrintf < fmt.Sprintf < "+send+" + main.(*server).count < "+serveStack, "/pad", 120)
	add("runtime.mallocgc < strings.NewReplacer < "+send+"#repl + main.(*server).count < "+serveStack, "/pad", 95)
	add("runtime.memmove < example.com/dep/v2/ring.(*Buffer).Push < "+send+" + main.(*server).count < "+serveStack,
		"/health", 15)
	add("syscall.Write < log.Printf < main.handle#log < net/http.HandlerFunc.ServeHTTP < net/http.(*conn).serve", "", 70)
	add("net/http.readRequest < net/http.(*conn).serve", "", 60)
	add("runtime.scanobject < runtime.gcBgMarkWorker", "", 110)
	add("runtime.findRunnable < runtime.mcall", "", 40)
	return b.encode()
}

// otherwise is a CPU profile with a different period and second sample type.
func otherwise(cpu []byte, typ string, period int64) []byte {
	p, err := pprof.ParseData(cpu)
	if err != nil {
		panic(err)
	}
	p.SampleType[1].Type, p.PeriodType.Type, p.Period = typ, typ, period
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// heapProfile is what the service allocates and retains.
func heapProfile() []byte {
	b := newBuilder("alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes")
	b.p.DefaultSampleType = "inuse_space"
	b.p.PeriodType, b.p.Period = &pprof.ValueType{Type: "space", Unit: "bytes"}, 512<<10
	add := func(stack string, size, allocs, live int64) {
		s := b.add(stack, allocs, allocs*size, live, live*size)
		s.NumLabel = map[string][]int64{"bytes": {size}}
	}
	add("runtime.concatstrings < example.com/leftpad/pad.Pad < "+serveStack, 64, 900_000, 1_000)
	add("strings.NewReplacer < example.com/leftpad/internal/statsd.(*Client).Send#repl < "+serveStack, 2048, 12_000, 512)
	add("fmt.Sprintf < example.com/leftpad/internal/statsd.(*Client).Send < "+serveStack, 48, 60_000, 0)
	add("main.main < runtime.main", 1<<20, 4, 4)
	return b.encode()
}

func mutexProfile() []byte {
	b := newBuilder("contentions/count", "delay/nanoseconds")
	b.p.PeriodType, b.p.Period = &pprof.ValueType{Type: "contentions", Unit: "count"}, 1
	b.add("sync.(*Mutex).Unlock < example.com/leftpad/internal/statsd.(*Client).Send < "+serveStack, 320, 45_000_000)
	b.add("sync.(*Mutex).Unlock < log.Printf < main.handle#log < net/http.HandlerFunc.ServeHTTP < net/http.(*conn).serve",
		11, 900_000)
	return b.encode()
}

// stdProfile has no own code.
func stdProfile() []byte {
	b := newBuilder("samples/count", "cpu/nanoseconds")
	b.p.Mapping[0].File = "/usr/local/go/pkg/tool/tool"
	b.add("runtime.scanobject < runtime.gcBgMarkWorker", 30, 300_000_000)
	b.add("fmt.(*pp).doPrintf < fmt.Sprintf < log.Printf", 10, 100_000_000)
	return b.encode()
}

// bareProfile has only addresses.
func bareProfile() []byte {
	b := newBuilder("samples/count", "cpu/nanoseconds")
	b.p.Mapping[0].HasFunctions, b.p.Mapping[0].HasFilenames, b.p.Mapping[0].HasLineNumbers = false, false, false
	for i := range int64(2) {
		l := &pprof.Location{ID: uint64(i + 1), Address: 0x401000 + uint64(i)*64, Mapping: b.p.Mapping[0]}
		b.p.Location = append(b.p.Location, l)
		b.p.Sample = append(b.p.Sample,
			&pprof.Sample{Location: []*pprof.Location{l}, Value: []int64{200 * (i + 1), 2_000_000_000 * (i + 1)}})
	}
	return b.encode()
}

// writeProfiles writes the files of the tests to dir: cpu.pb.gz, before.pb.gz and after.pb.gz
// (CPU), heap.pb.gz, mutex.pb.gz, std.pb.gz (no own code), bare.pb.gz (no names), cut.pb.gz
// (truncated), fast.pb.gz (CPU, with another period), wall.pb.gz (samples of another type), and the
// recordings demo.whet, before.whet (the same) and after.whet. load1.whet and load2.whet have loads
// of 1000 and 2000 requests of the same cost in 10 s, load3.whet has 1000 cheaper ones, and
// fail.whet has 1000, of which a third fail.
func writeProfiles(dir string) error {
	cpu, heap, mutex := cpuProfile(400), heapProfile(), mutexProfile()
	for name, data := range map[string][]byte{
		"cpu.pb.gz": cpu, "before.pb.gz": cpu, "after.pb.gz": cpuProfile(40), "heap.pb.gz": heap, "mutex.pb.gz": mutex,
		"std.pb.gz": stdProfile(), "bare.pb.gz": bareProfile(), "cut.pb.gz": cpu[:len(cpu)/2],
		"fast.pb.gz": otherwise(cpu, "cpu", 2_000_000), "wall.pb.gz": otherwise(cpu, "wall", 10_000_000),
		"old.txt": benchResults(1000), "new.txt": benchResults(900),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	for name, cpu := range map[string][]byte{"demo.whet": cpu, "before.whet": cpu, "after.whet": cpuProfile(40)} {
		if err := writeRecording(filepath.Join(dir, name), cpu, heap, mutex, nil); err != nil {
			return err
		}
	}
	for _, l := range []struct {
		name             string
		pad, count, fail int64
		request          time.Duration
	}{
		{"load1.whet", 400, 100, 0, 10 * time.Millisecond},
		{"load2.whet", 1600, 200, 0, 10 * time.Millisecond},
		{"load3.whet", 40, 100, 0, 6 * time.Millisecond},
		{"fail.whet", 400, 100, 33, 10 * time.Millisecond},
	} {
		if err := writeLoaded(filepath.Join(dir, l.name), cpuProfile(l.pad), heap, l.count, l.fail, l.request); err != nil {
			return err
		}
	}
	return nil
}

// writeLoaded writes a recording of ten seconds with a CPU profile, the allocations of twelve
// seconds, and a load of count requests per second, of which fail fail. Each costs request of CPU
// time.
func writeLoaded(path string, cpu, heap []byte, count, fail int64, request time.Duration) error {
	begin := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	meta := recording.Meta{
		Created: begin, Duration: 10 * time.Second,
		Build: &recording.Build{Path: "example.com/leftpad", Main: recording.Module{Path: "example.com/leftpad"}},
	}
	w, err := recording.Create(path, meta)
	if err != nil {
		return err
	}
	l := &load.Result{
		Schema: load.Schema, Started: begin, Elapsed: 10 * time.Second, Targets: []string{"http://127.0.0.1:8080/pad"},
		Requests: 10 * count, Responses: 10 * count, Status: map[int]int64{200: 10 * (count - fail), 503: 10 * fail},
	}
	for i := range 10 {
		spread := time.Duration(i%3-1) * request / 100
		l.Seconds = append(l.Seconds, load.Second{
			Start: time.Duration(i) * time.Second, Elapsed: time.Second, Responses: count,
			TargetCPU: time.Duration(count) * (request + spread),
		})
	}
	err = errors.Join(
		w.AddRawProfile("cpu", cpu, recording.Part{Start: begin, End: begin.Add(5 * time.Second)}),
		w.AddRawProfile("allocs", heap, recording.Part{Start: begin.Add(-time.Second), End: begin.Add(11 * time.Second)}),
		w.AddRawProfile("heap.live", heap,
			recording.Part{Start: begin.Add(11 * time.Second), End: begin.Add(11 * time.Second)}),
		w.AddJSON(recording.LoadPart, l),
	)
	return errors.Join(err, w.Close(meta))
}

// writeRecording writes a recording with the given profiles, and the execution trace unless it is nil.
func writeRecording(path string, cpu, heap, mutex, trace []byte) error {
	meta := recording.Meta{
		Created: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Duration: 10 * time.Second,
		Target:    recording.Target{Kind: recording.URL, Address: "http://127.0.0.1:8080"},
		GoVersion: "go1.26.1", GOMAXPROCS: 2, GOOS: "linux", GOARCH: "amd64",
		Build: &recording.Build{
			Path: "example.com/leftpad", Main: recording.Module{Path: "example.com/leftpad"},
			Deps: []recording.Module{{Path: "example.com/dep/v2", Version: "v2.1.0"}},
		},
		Missing: []recording.Missing{
			{
				Part: "goroutineleak", Reason: "the service was built without it",
				Hint: "build with GOEXPERIMENT=goroutineleakprofile",
			},
		},
	}
	w, err := recording.Create(path, meta)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		data []byte
	}{
		{"cpu", cpu}, {"allocs", heap}, {"heap.live", heap}, {"mutex", mutex}, {"block", mutex},
	} {
		if err := w.AddRawProfile(part.name, part.data, recording.Part{}); err != nil {
			return err
		}
	}
	if trace != nil {
		if err := w.Add(recording.Part{Name: recording.TracePart}, trace); err != nil {
			return err
		}
	}
	return w.Close(meta)
}

// goroot returns the directory of the Go distribution that runs the tests.
var goroot = func() func(t testing.TB) string {
	find := sync.OnceValues(func() (string, error) {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		return strings.TrimSpace(string(out)), err
	})
	return func(t testing.TB) string {
		t.Helper()
		dir, err := find()
		if err != nil {
			t.Skip("no go command: ", err)
		}
		return dir
	}
}()
