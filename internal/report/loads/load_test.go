package loads

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/load/charts"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
)

// loadResult is the result of an open load whose latencies are drawn from a
// lognormal distribution with a second hump, as of a cache that misses.
func loadResult(t testing.TB, seed uint64, scale float64) *load.Result {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	const rate, seconds = 5000, 10
	r := &load.Result{
		Schema: load.Schema, Targets: []string{"http://127.0.0.1:18080/v1/leftpad/?str=test&len=50"}, Method: "GET",
		Protocol: load.HTTP1, Connections: 64, Engine: load.IOUring, Workers: 1, Model: load.ModelOpen,
		Open:    &load.Open{Rate: rate, Arrivals: load.Poisson},
		Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Elapsed: seconds * time.Second, Warmup: 2 * time.Second,
		Requests: rate * seconds, Responses: rate * seconds, Status: map[int]int64{200: rate * seconds},
		Bytes: rate * seconds * 512, Rate: rate, Connects: 64,
		SendDelay: &load.SendDelay{
			P50: 4 * time.Microsecond, P90: 20 * time.Microsecond, P99: 90 * time.Microsecond,
			P999: 300 * time.Microsecond, Max: 2 * time.Millisecond, Own: 60 * time.Microsecond, Waited: 12,
		},
		CPU: &load.CPU{Total: 600 * time.Millisecond, PerRequest: 12 * time.Microsecond, Cores: 0.06},
		TargetCPU: &load.TargetCPU{
			CPU: load.CPU{Total: 9 * time.Second, PerRequest: 180 * time.Microsecond, Cores: 0.9},
			PID: 4711, Command: "leftpad",
		},
	}
	all := hdrhistogram.New(1, int64(time.Hour), 3)
	var sum float64
	r.Latency.Min = time.Hour
	for i := range seconds {
		one := hdrhistogram.New(1, int64(time.Hour), 3)
		for range rate {
			d := time.Duration(scale * 400e3 * math.Exp(0.35*random.NormFloat64()))
			if random.IntN(50) == 0 {
				d = time.Duration(scale * 9e6 * math.Exp(0.5*random.NormFloat64()))
			}
			if err := one.RecordValue(int64(d)); err != nil {
				t.Fatal(err)
			}
			sum += float64(d)
			r.Latency.Min, r.Latency.Max = min(r.Latency.Min, d), max(r.Latency.Max, d)
		}
		all.Merge(one)
		r.Seconds = append(r.Seconds, load.Second{
			Start: time.Duration(i) * time.Second, Elapsed: time.Second, Responses: rate, Bytes: rate * 512,
			P50: time.Duration(one.ValueAtQuantile(50)), P99: time.Duration(one.ValueAtQuantile(99)),
			Max: time.Duration(one.Max()),
		})
	}
	l := &r.Latency
	l.Mean, l.StdDev = time.Duration(sum/rate/seconds), time.Duration(all.StdDev())
	for i, v := range []*time.Duration{&l.P50, &l.P75, &l.P90, &l.P95, &l.P99, &l.P999, &l.P9999} {
		*v = time.Duration(all.ValueAtQuantile(load.Percentiles()[i]))
	}
	encoded, err := all.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	l.HDR = string(encoded)
	r.Phases = &load.Phases{
		Connect: &load.Latency{Min: 4e4, Mean: 6e4, StdDev: 1e4, P50: 6e4, P99: 9e4, Max: 9e4}, TLS: &load.Latency{
			Min:  8e5,
			Mean: 1e6, StdDev: 1e5, P50: 1e6, P99: 2e6, Max: 2e6,
		},
		FirstByte: load.Latency{Min: 1e5, Mean: 5e5, StdDev: 1e6, P50: 4e5, P99: 9e6, Max: 2e7},
		Transfer:  load.Latency{Max: 3e5},
	}
	r.Warnings = load.Warnings{{
		Kind: load.TooShort, Text: "only 50000 answers: percentiles above p99.9 are unreliable",
		Hint: "at this rate p99.99 takes -d 20s (100000 answers)",
	}}
	return r
}

// failedLoad is a closed load of which much went wrong.
func failedLoad(t testing.TB) *load.Result {
	r := loadResult(t, 3, 1)
	r.Targets = append(r.Targets, "http://127.0.0.1:18080/two", "http://127.0.0.1:18080/\x1b[31mthree")
	r.Method, r.Model, r.Open, r.SendDelay, r.TargetCPU = "", load.ModelClosed, nil, nil, nil
	r.Protocol, r.Streams, r.Engine, r.Workers = load.HTTP2, 10, load.NetHTTP, 0
	r.Interrupted, r.Unfinished, r.Connects, r.Retries = true, 64, 700, 3
	r.Status = map[int]int64{200: 45_000, 404: 1, 503: 4_999}
	r.Requests += 700
	r.Errors = load.Errors{Timeout: 600, ShortBody: 100, First: map[string]string{
		"timeout":    "no answer within 10s",
		"short_body": "unexpected EOF\x07 after 12 of 512 bytes, which is a very long message that goes on and on",
	}}
	r.PerTarget = []load.TargetResult{
		{
			Name: "home", Method: "GET", URL: "http://127.0.0.1:18080/", Targets: 2, Requests: 40_000, Responses: 40_000,
			Status: map[int]int64{200: 40_000}, Rate: 4000, Latency: load.Latency{
				Min: 1e5, Mean: 5e5, P50: 4e5, P99: 9e6,
				Max: 3e7,
			},
		},
		{
			Method: "POST", URL: "http://127.0.0.1:18080/two", Targets: 1, Requests: 10_000, Responses: 10_000,
			Status: map[int]int64{200: 5_000, 404: 1, 503: 4_999}, Rate: 1000, Latency: load.Latency{
				Min: 1e5, Mean: 6e5,
				P50: 5e5, P99: 9e6, Max: 2e7,
			},
		},
		{
			URL: "http://127.0.0.1:18080/\x1b[31mthree?a=long&query=that&goes=on&and=on&to=the&end=of&the=line", Targets: 1,
			Requests: 700, Errors: load.Errors{Timeout: 600, ShortBody: 100},
		},
	}
	r.Warnings = load.Warnings{
		{
			Kind: load.ErrorsHide,
			Text: "11.24% of the requests failed (404: 1, 503: 4999, timeout: 600, short body: 100): failures are often " +
				"faster than answers, and latencies include the failed answers",
			Hint: "check the address, the server's log and its limits",
		},
		{Kind: load.TooShort, Text: "only 50000 answers", Hint: "run longer"},
		{Text: "the server closes kept-alive connections: 700 opened for 64 in use"},
	}
	return r
}

// emptyLoad is one that no answer came of.
func emptyLoad() *load.Result {
	return &load.Result{
		Schema: load.Schema, Targets: []string{"http://127.0.0.1:1/"}, Method: "GET", Connections: 1, Model: load.ModelClosed,
		Protocol: load.HTTP1, Elapsed: time.Second, Requests: 5, Errors: load.Errors{
			Connect: 5,
			First:   map[string]string{"connect": "connection refused"},
		},
	}
}

func TestWriteLoad(t *testing.T) {
	objectives, err := loadcompare.ParseObjectives("p99<20ms,errors<0.1%,p99<1ms")
	if err != nil {
		t.Fatal(err)
	}
	open := loadResult(t, 1, 1)
	sound := loadResult(t, 1, 1)
	sound.Warnings = nil
	sound.Open = &load.Open{Rate: 1000, RampTo: 20_000, Ramp: 30 * time.Second, Arrivals: load.Constant}
	for _, tt := range []struct {
		name     string
		r        *load.Result
		asserted []loadcompare.Outcome
	}{
		{"open", open, objectives.Check(open)},
		{"sound", sound, nil},
		{"failed", failedLoad(t), nil},
		{"empty", emptyLoad(), nil},
	} {
		var out bytes.Buffer
		if err := Write(&out, layout.Style{Width: 80}, tt.r, tt.asserted); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/load-"+tt.name+".txt", out.Bytes())
		checkWidth(t, out.String(), 80)

		// Color must change nothing but color.
		var colored bytes.Buffer
		if err := Write(&colored, layout.Style{Width: 80, Color: true}, tt.r, tt.asserted); err != nil {
			t.Fatal(err)
		}
		if got := layout.StripColor(colored.String()); got != out.String() {
			t.Errorf("%s with color differs:\n%s", tt.name, cmp.Diff(out.String(), got))
		}
	}
}

func checkWidth(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := layout.Columns(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.ContainsAny(line, "\x1b\x07") {
			t.Errorf("control characters in %q", line)
		}
	}
}

// TestWriteLoadHGRM holds the export to the histogram it is of.
func TestWriteLoadHGRM(t *testing.T) {
	r := loadResult(t, 1, 1)
	var out bytes.Buffer
	if err := WriteHGRM(&out, r); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/load.hgrm", out.Bytes())
	if err := WriteHGRM(&out, emptyLoad()); err == nil {
		t.Error("no error without a histogram")
	}
}

// Bars must hold every answer, ordered, and lie where the histogram has them.
func TestRebin(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		h := hdrhistogram.New(1, int64(time.Hour), 3)
		spread, n := random.Float64()*4, 1+random.IntN(2000)
		for range n {
			v := min(max(int64(1e6*math.Exp(spread*random.NormFloat64())), 1), int64(time.Hour))
			if err := h.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		most := 4 + random.IntN(60)
		bars := charts.Bars(h, most)
		if len(bars) > most || len(bars) == 0 {
			t.Fatalf("%d bars, want 1 to %d", len(bars), most)
		}
		var sum int64
		for i, b := range bars {
			sum += b.Count
			if i > 0 && b.Upper <= bars[i-1].Upper {
				t.Fatalf("bars out of order: %v", bars)
			}
		}
		if sum != int64(n) {
			t.Fatalf("%d answers in bars, want %d", sum, n)
		}
		if first, last := bars[0].Count, bars[len(bars)-1].Count; (first == 0 || last == 0) && len(bars) > 1 {
			t.Fatalf("empty bars at the ends: %v", bars)
		}
		if got, want := float64(bars[len(bars)-1].Upper), float64(h.Max()); got < want*0.999 {
			t.Fatalf("last bar ends at %v, below the maximum %v", got, want)
		}
	}
}

func TestWriteLoadLive(t *testing.T) {
	r := loadResult(t, 1, 1)
	h, err := charts.Histogram(r)
	if err != nil {
		t.Fatal(err)
	}
	d := Live{
		Target: r.Targets[0], Length: 20 * time.Second, Requested: 5000, Seconds: r.Seconds,
		Last: load.Progress{
			Second: r.Seconds[9], Elapsed: 10 * time.Second, Latency: r.Latency, Requests: 50_000,
			Bars: charts.Bars(h, 20),
		},
	}
	var out bytes.Buffer
	write := func() {
		t.Helper()
		var one bytes.Buffer
		if err := WriteLive(&one, layout.Style{Width: 80}, d); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(one.String(), "\n"); n != LiveLines {
			t.Errorf("%d lines, want %d", n, LiveLines)
		}
		checkWidth(t, one.String(), 80)
		out.Write(one.Bytes())
	}
	write()
	d.Length, d.Total, d.Requested = 0, 100_000, 0
	d.Last.Errors = load.Errors{Timeout: 3, Reset: 1}
	write()
	d.Seconds, d.Last = nil, load.Progress{}
	write()
	for range 300 {
		d.Seconds = append(d.Seconds, r.Seconds...)
	}
	write()
	for _, p := range []load.Progress{
		{Second: r.Seconds[2], Elapsed: 3 * time.Second},
		{
			Second:  load.Second{Start: 3 * time.Second, Elapsed: 250 * time.Millisecond, Partial: true, Responses: 1000},
			Elapsed: 3250 * time.Millisecond,
		},
		{Second: load.Second{Elapsed: time.Second, Errors: 1}, Elapsed: 100 * time.Second},
	} {
		if err := WriteLine(&out, p); err != nil {
			t.Fatal(err)
		}
	}
	golden.Check(t, "testdata/load-live.txt", out.Bytes())
}

// FuzzLoadHistogram feeds histograms of foreign files.
func FuzzLoadHistogram(f *testing.F) {
	f.Add(loadResult(f, 1, 1).Latency.HDR)
	f.Add("HISTFAAAAB142pNpmSzMwMDAxQABzFCaEUoz2X+AsIQAH+YBQw==")
	f.Add("")
	f.Fuzz(func(t *testing.T, hdr string) {
		h, err := charts.Histogram(&load.Result{Latency: load.Latency{HDR: hdr}})
		if err != nil {
			return
		}
		if n := len(charts.Bars(h, loadBars)); n > loadBars {
			t.Errorf("%d bars", n)
		}
	})
}

// TestLoadFormatDoc checks that docs/formats/load.md names every key of the JSON.
func TestLoadFormatDoc(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/formats/load.md")
	if err != nil {
		t.Fatal(err)
	}
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.Anonymous && !bytes.Contains(doc, []byte("`"+key+"`")) {
				t.Errorf("docs/formats/load.md does not name %q of %s", key, typ)
			}
			check(f.Type)
		}
	}
	check(reflect.TypeFor[load.Result]())
}

// TestLoadEngineChoice has the text and the page say why the load had its engine.
func TestLoadEngineChoice(t *testing.T) {
	r := loadResult(t, 1, 1)
	r.EngineChoice = &load.EngineChoice{
		Why: load.EngineMeasured, Text: "epoll is not clearly better",
		Measured: []load.EngineMeasure{
			{Engine: load.IOUring, Windows: 16, Rate: 50_000, CPUPerRequest: 8 * time.Microsecond},
			{Engine: load.Epoll, Windows: 16, Rate: 50_100, CPUPerRequest: 8 * time.Microsecond},
		},
	}
	const want = "io_uring: epoll is not clearly better (io_uring 50000/s at 8us, epoll 50100/s at 8us, 16 windows each)"
	var out bytes.Buffer
	if err := Write(&out, layout.Style{Width: 300}, r, nil); err != nil ||
		!strings.Contains(out.String(), "engine     "+want) {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if !slices.ContainsFunc(loadPageFacts(r), func(f pages.Fact) bool { return f.Name == "engine" && f.Value == want }) {
		t.Errorf("the page says %+v", loadPageFacts(r))
	}
}
