package memory_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/profile"
)

// fetch gets path from a net/http/pprof server of this process.
func fetch(t testing.TB, path string) []byte {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/debug/pprof/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(err, resp.Status)
	}
	return buf.Bytes()
}

func parse(t testing.TB, data []byte) *memory.Stats {
	t.Helper()
	s, err := memory.ParseMemStats(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The values parsed from the text are those of runtime.ReadMemStats, and the identities of its
// documentation hold, so that every account adds up.
func TestParseMemStats(t *testing.T) {
	var before, after runtime.MemStats
	var s *memory.Stats
	for range 20 {
		runtime.GC() // sweeps as well, so that HeapAlloc does not shrink later
		runtime.ReadMemStats(&before)
		s = parse(t, fetch(t, "heap?debug=1"))
		runtime.ReadMemStats(&after)
		if before.NumGC == after.NumGC {
			break
		}
	}
	if before.NumGC != after.NumGC {
		t.Skip("the collector did not pause")
	}
	if s.NumGC != after.NumGC || s.NumForcedGC != after.NumForcedGC || s.PauseNs != after.PauseNs ||
		s.PauseEnd != after.PauseEnd ||
		s.LastGC != after.LastGC || s.NextGC != after.NextGC || s.DebugGC != after.DebugGC {
		t.Error("collections differ from runtime.ReadMemStats")
	}
	for _, c := range []struct {
		name            string
		low, got, hight uint64
	}{
		{"TotalAlloc", before.TotalAlloc, s.TotalAlloc, after.TotalAlloc},
		{"Mallocs", before.Mallocs, s.Mallocs, after.Mallocs},
		{"Sys", before.Sys, s.Sys, after.Sys},
		{"HeapAlloc", before.HeapAlloc, s.HeapAlloc, after.HeapAlloc},
		{"BuckHashSys", before.BuckHashSys, s.BuckHashSys, after.BuckHashSys},
	} {
		if c.got < c.low || c.got > c.hight {
			t.Errorf("%s = %d, not between %d and %d", c.name, c.got, c.low, c.hight)
		}
	}
	if sum := s.HeapSys + s.StackSys + s.MSpanSys + s.MCacheSys + s.BuckHashSys + s.GCSys + s.OtherSys; sum != s.Sys {
		t.Errorf("parts of Sys add up to %d, not %d", sum, s.Sys)
	}
	if s.HeapInuse+s.HeapIdle != s.HeapSys || s.HeapAlloc > s.HeapInuse || s.HeapReleased > s.HeapIdle {
		t.Errorf("heap: alloc %d, inuse %d, idle %d, released %d, sys %d", s.HeapAlloc, s.HeapInuse, s.HeapIdle,
			s.HeapReleased, s.HeapSys)
	}
}

func sum(a *memory.Account) (all, gos int64) {
	for _, p := range a.Parts {
		all += p.Bytes
		switch p.ID {
		case memory.Files, memory.NotGo, memory.Untouched, memory.Rest:
		default:
			gos += p.Bytes
		}
	}
	return all, gos
}

func TestRealAccount(t *testing.T) {
	start := parse(t, fetch(t, "heap?debug=1"))
	keep := make([][]byte, 0, 10_000)
	for i := range 20_000 {
		b := make([]byte, 4096)
		if i%2 == 0 { // 40 MB, so that sampling each 512 kB gives an estimate
			keep = append(keep, b)
		}
	}
	runtime.GC()
	heap, err := profile.Parse(fetch(t, "heap"), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	end := parse(t, fetch(t, "heap?debug=1"))
	r, err := memory.New(memory.Input{Name: "test", Start: start, End: end, Window: 2 * time.Second, Heap: heap})
	if err != nil {
		t.Fatal(err)
	}
	all, gos := sum(&r.Account)
	if all != r.Total || gos != r.Go || r.Total != int64(end.Sys-end.HeapReleased) {
		t.Errorf("parts add up to %d, Go's to %d; total %d, Go %d, Sys %d", all, gos, r.Total, r.Go, end.Sys)
	}
	if _, ok := r.Part(memory.Unaccounted); ok || len(r.Warnings) > 0 {
		t.Errorf("unaccounted memory: %+v %v", r.Parts, r.Warnings)
	}
	if p, ok := r.Part(memory.Live); !ok || !p.Estimated || p.Bytes < 20<<20 {
		t.Errorf("live heap %+v, want an estimate of about 40 MB", p)
	}
	if r.GC.Count != int64(end.NumGC-start.NumGC) || r.GC.Count < 1 || r.GC.Pauses.N != int(min(r.GC.Count, 256)) {
		t.Errorf("%d collections with %d pauses, want %d", r.GC.Count, r.GC.Pauses.N, end.NumGC-start.NumGC)
	}
	if want := float64(end.TotalAlloc-start.TotalAlloc) / 2; r.GC.AllocRate != want || want < 40e6 {
		t.Errorf("alloc rate %v, want %v", r.GC.AllocRate, want)
	}
	if len(r.Unknown) == 0 {
		t.Error("nothing unknown without process and agent")
	}
	for _, p := range r.Parts {
		if (p.Change != nil) == (p.ID == memory.Live || p.ID == memory.Uncollected) {
			t.Errorf("%s: change %v", p.ID, p.Change)
		}
	}
	runtime.KeepAlive(keep)
}

// Whatever the figures, the parts add up to the total.
func TestAccountAddsUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		s := &memory.Stats{}
		n := func() uint64 { return rnd.Uint64N(1 << (10 + rnd.Uint64N(30))) }
		s.HeapAlloc = n()
		s.HeapInuse = s.HeapAlloc + n()
		s.HeapReleased = n()
		s.HeapIdle = s.HeapReleased + n()
		s.HeapSys = s.HeapInuse + s.HeapIdle
		s.StackInuse = n()
		s.StackSys = s.StackInuse + n()
		s.MSpanSys, s.MCacheSys, s.BuckHashSys, s.GCSys, s.OtherSys = n(), n(), n(), n(), n()
		s.Sys = s.HeapSys + s.StackSys + s.MSpanSys + s.MCacheSys + s.BuckHashSys + s.GCSys + s.OtherSys
		if i%5 == 0 {
			s.Sys += n() // figures that contradict each other
		}
		in := memory.Input{End: s}
		if i%2 == 0 {
			in.Process = &memory.Process{End: &memory.ProcessSample{RSS: int64(n())}}
			if i%4 == 0 {
				in.Process.End.RSSByName = map[string]int64{"/bin/x": int64(n()), "[anon]": int64(n()), "[stack]": 4096}
			}
			if i%8 == 0 {
				in.Process.End.RSSByName["[anon: Go: heap]"] = int64(n())
			}
		}
		if i%3 == 0 {
			in.Agent = &memory.Agent{End: &memory.AgentSample{Memory: map[string]float64{"/gc/heap/live:bytes": float64(n())}}}
		}
		r, err := memory.New(in)
		if err != nil {
			t.Fatal(err)
		}
		all, gos := sum(&r.Account)
		if all != r.Total || gos != r.Go {
			t.Fatalf("%d: parts add up to %d of %d, Go's to %d of %d: %+v", i, all, r.Total, gos,
				r.Go, r.Parts)
		}
		if (len(r.Warnings) > 0) != (i%5 == 0) {
			t.Fatalf("%d: warnings %v", i, r.Warnings)
		}
	}
}

func TestResidentParts(t *testing.T) {
	s := &memory.Stats{}
	s.HeapAlloc, s.HeapInuse, s.HeapSys, s.Sys = 60, 80, 100, 100
	s.HeapIdle, s.HeapReleased = 20, 10
	r, err := memory.New(memory.Input{End: s, Process: &memory.Process{End: &memory.ProcessSample{
		RSS: 130, PeakRSS: 150,
		RSSByName: map[string]int64{"[anon: Go: heap]": 70, "[anon: Go: gc bits]": 5, "/srv": 30, "[heap]": 15, "[stack]": 9},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int64{
		memory.Objects: 60, memory.Fragmentation: 20, memory.Free: 10, memory.Files: 30,
		memory.Untouched: -15, memory.NotGo: 24, memory.Rest: 1,
	} {
		if p, _ := r.Part(id); p.Bytes != want {
			t.Errorf("%s is %d, want %d", id, p.Bytes, want)
		}
	}
	if r.PeakRSS != 150 || r.Total != 130 || r.Released != 10 {
		t.Errorf("%+v", r.Account)
	}
}

// ringStats is a process after n collections, collection i pausing i microseconds.
func ringStats(n uint32) *memory.Stats {
	s := &memory.Stats{}
	s.NumGC = n
	for i := uint32(1); i <= n; i++ {
		s.PauseNs[(i+255)%256] = uint64(i) * 1000
		s.PauseEnd[(i+255)%256] = uint64(i) * 1e9
	}
	return s
}

func TestPauses(t *testing.T) {
	for _, c := range []struct {
		start, end    uint32
		n, of         int
		p50, p99, max time.Duration
	}{
		{0, 0, 0, 0, 0, 0, 0},
		{0, 1, 1, 1, 1, 1, 1},
		{0, 10, 10, 10, 5, 10, 10},
		{10, 20, 10, 10, 15, 20, 20},
		{300, 310, 10, 10, 305, 310, 310},
		{0, 256, 256, 256, 128, 254, 256},
		{100, 1000, 256, 900, 872, 998, 1000},
		{1000, 1000, 0, 0, 0, 0, 0},
	} {
		r, err := memory.New(memory.Input{Start: ringStats(c.start), End: ringStats(c.end), Window: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		p := r.GC.Pauses
		us := time.Microsecond
		if p.N != c.n || p.Of != c.of || p.P50 != c.p50*us || p.P99 != c.p99*us || p.Max != c.max*us {
			t.Errorf("%d to %d: %+v, want %+v", c.start, c.end, p, c)
		}
		n := 0
		for i, b := range p.Histogram {
			n += b.N
			if b.Low >= b.High || i > 0 && b.Low != p.Histogram[i-1].High {
				t.Errorf("%d to %d: buckets %v", c.start, c.end, p.Histogram)
			}
		}
		if n != c.n {
			t.Errorf("%d to %d: %d pauses in the histogram, want %d", c.start, c.end, n, c.n)
		}
		if c.n > 1 && r.GC.Interval != time.Second {
			t.Errorf("%d to %d: a collection each %v, want each second", c.start, c.end, r.GC.Interval)
		}
	}
}

func TestAgent(t *testing.T) {
	a, err := memory.ParseAgent(
		strings.NewReader(`{"start": {"memory": {"/cpu/classes/gc/total:cpu-seconds": 1, "/cpu/classes/total:cpu-seconds": 10}},
		"end": {"gomaxprocs": 2, "memory": {"/cpu/classes/gc/total:cpu-seconds": 2, "/cpu/classes/total:cpu-seconds": 14,
		"/gc/gogc:percent": 100, "/gc/gomemlimit:bytes": 9223372036854775807, "/gc/heap/live:bytes": 70}}}`))
	if err != nil {
		t.Fatal(err)
	}
	one, err := memory.ParseAgent(strings.NewReader(`{"schema": "whet.agent/1", "memory": {"/gc/gogc:percent": 50}}`))
	if err != nil || one.Start != nil || one.End == nil || one.End.Memory["/gc/gogc:percent"] != 50 {
		t.Errorf("one sample: %+v, %v", one, err)
	}
	end := ringStats(3)
	end.HeapAlloc, end.HeapInuse, end.HeapSys, end.Sys = 100, 100, 100, 100
	end.GCCPUFraction = 0.125
	r, err := memory.New(memory.Input{Start: ringStats(1), End: end, Window: time.Second, Agent: a})
	if err != nil {
		t.Fatal(err)
	}
	if *r.GC.GOGC != 100 || *r.GC.MemoryLimit != math.MaxInt64 {
		t.Errorf("GOGC %d, limit %d", *r.GC.GOGC, *r.GC.MemoryLimit)
	}
	if len(r.GC.CPU) != 2 || r.GC.CPU[0].Share != 0.25 || r.GC.CPU[1].Share != 0.125 {
		t.Errorf("CPU shares %+v", r.GC.CPU)
	}
	if p, _ := r.Part(memory.Live); p.Bytes != 70 || p.Estimated {
		t.Errorf("live %+v", p)
	}
	if p, _ := r.Part(memory.Uncollected); p.Bytes != 30 {
		t.Errorf("uncollected %+v", p)
	}
}

func TestGrow(t *testing.T) {
	stats := func(alloc, sys uint64) *memory.Stats {
		s := ringStats(1)
		s.HeapAlloc, s.HeapInuse, s.HeapSys, s.Sys = alloc, alloc, sys, sys
		s.HeapIdle = sys - alloc
		return s
	}
	a, err := memory.New(memory.Input{
		Name: "a", End: stats(10, 20), Process: &memory.Process{End: &memory.ProcessSample{RSS: 25}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := memory.New(memory.Input{
		Name: "b", End: stats(30, 50), Process: &memory.Process{End: &memory.ProcessSample{RSS: 50}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.CompareWith(a)
	grown := int64(0)
	for _, p := range b.Parts {
		if p.Change == nil {
			t.Errorf("%s has no before", p.ID)
		}
		grown += *p.Change
	}
	if want := b.Total - a.Total; grown != want || b.EarlierTotal != 25 {
		t.Errorf("parts grew by %d, the total by %d", grown, want)
	}
}

func TestRestarted(t *testing.T) {
	r, err := memory.New(memory.Input{Start: ringStats(9), End: ringStats(2), Window: time.Second})
	if err != nil || len(r.Warnings) != 1 || r.GC.Count != 2 || r.GC.Window != 0 {
		t.Errorf("%v %+v", err, r)
	}
}

func TestParseErrors(t *testing.T) {
	good := string(fetch(t, "heap?debug=1"))
	for name, text := range map[string]string{
		"empty":    "",
		"profile":  good[:strings.Index(good, "# runtime.MemStats")],
		"cut":      good[:strings.Index(good, "# HeapInuse")],
		"number":   strings.Replace(good, "# Sys = ", "# Sys = x", 1),
		"ring":     strings.Replace(good, "# PauseNs = [", "# PauseNs = [1 ", 1),
		"fraction": strings.Replace(good, "# GCCPUFraction = ", "# GCCPUFraction = 7", 1),
		"negative": strings.Replace(good, "# NumGC = ", "# NumGC = -", 1),
	} {
		if _, err := memory.ParseMemStats(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := memory.New(memory.Input{}); err == nil {
		t.Error("report of nothing")
	}
	for _, text := range []string{
		"", "[]", `{"end":{"rss_bytes":-1}}`,
		`{"end":{"rss_by_name":{"x":9223372036854775807}}}`,
	} {
		if _, err := memory.ParseProcess(strings.NewReader(text)); err == nil {
			t.Errorf("process %q: no error", text)
		}
	}
}

func FuzzParseMemStats(f *testing.F) {
	f.Add(fetch(f, "heap?debug=1"))
	f.Add([]byte("# Sys = 1\n# HeapAlloc = 18446744073709551615\n# HeapSys = 3\n# HeapIdle = 4\n# HeapInuse = 5\n# " +
		"HeapReleased = 6\n# Stack = 7 / 8\n# NumGC = 4294967295\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := memory.ParseMemStats(bytes.NewReader(data))
		if err != nil {
			return
		}
		r, err := memory.New(memory.Input{End: s})
		if err != nil {
			t.Fatal(err)
		}
		if all, gos := sum(&r.Account); all != r.Total || gos != r.Go {
			t.Errorf("parts add up to %d of %d", all, r.Total)
		}
		n := 0
		for _, b := range r.GC.Pauses.Histogram {
			n += b.N
		}
		if n != r.GC.Pauses.N {
			t.Errorf("%d pauses in the histogram of %d", n, r.GC.Pauses.N)
		}
		_ = fmt.Sprint(r)
	})
}
