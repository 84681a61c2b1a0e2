package compare_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/compare"
)

func TestParseObjectives(t *testing.T) {
	ns := func(d time.Duration) compare.Value {
		return compare.Value{Amount: float64(d), Unit: compare.Nanoseconds}
	}
	share := func(x float64) compare.Value { return compare.Value{Amount: x, Unit: compare.Share} }
	for _, test := range []struct {
		text string
		want compare.Objectives
	}{
		{compare.ExampleObjectives, compare.Objectives{
			{compare.P99, compare.Below, ns(50 * time.Millisecond), ""},
			{compare.Errors, compare.Below, share(0.001), ""},
			{compare.Rate, compare.Above, compare.Value{Amount: 1000, Unit: compare.PerSecond}, ""},
		}},
		{" P99.9 <= 1.5s , status5xx<=0", compare.Objectives{
			{compare.P999, compare.AtMost, ns(1500 * time.Millisecond), ""},
			{compare.Status5xx, compare.AtMost, share(0), ""},
		}},
		{"p97.50<1ms", compare.Objectives{{"p97.5", compare.Below, ns(time.Millisecond), ""}}},
		{"shop home: p99<5ms, /a?b=c:d :errors<1%", compare.Objectives{
			{compare.P99, compare.Below, ns(5 * time.Millisecond), "shop home"},
			{compare.Errors, compare.Below, share(0.01), "/a?b=c:d"},
		}},
		{"rate>=12.5/s,timeouts<1 %,cpu/req<80us", compare.Objectives{
			{compare.Rate, compare.AtLeast, compare.Value{Amount: 12.5, Unit: compare.PerSecond}, ""},
			{compare.Timeouts, compare.Below, share(0.01), ""},
			{compare.TargetCPU, compare.Below, ns(80 * time.Microsecond), ""},
		}},
	} {
		got, err := compare.ParseObjectives(test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
		again, err := compare.ParseObjectives(got.String())
		if err != nil || !cmp.Equal(got, again) {
			t.Errorf("%q is written as %q, which reads as %v, %v", test.text, got, again, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		":p99<1ms":     `parse objective ":p99<1ms": no target before the colon`,
		"a:p97<1ms":    `parse objective "a:p97<1ms": p97 is not measured for each target`,
		"a:cpu/req<1s": `parse objective "a:cpu/req<1s": cpu/req is not measured for each target`,
		"":             `parse objective "": is empty`,
		"p99<1ms,":     `parse objective "": is empty`,
		"p99":          `parse objective "p99": missing comparison (want <, <=, > or >=)`,
		"p99=1ms":      `parse objective "p99=1ms": unknown comparison "=" (want <, <=, > or >=)`,
		"p99==1ms":     `parse objective "p99==1ms": unknown comparison "==" (want <, <=, > or >=)`,
		"p100<1ms":     `parse objective "p100<1ms": unknown metric "p100" (want one such as p99, errors or rate)`,
		"p0<1ms":       `parse objective "p0<1ms": unknown metric "p0" (want one such as p99, errors or rate)`,
		"p1e1<1ms":     `parse objective "p1e1<1ms": unknown metric "p1e1" (want one such as p99, errors or rate)`,
		"latency<1ms":  `parse objective "latency<1ms": unknown metric "latency" (want one such as p99, errors or rate)`,
		"p99<50":       `parse objective "p99<50": "50" is not a duration such as 50ms`,
		"p99<1001h":    `parse objective "p99<1001h": "1001h" is not a duration such as 50ms`,
		"p99<-50ms":    `parse objective "p99<-50ms": "-50ms" is not a duration such as 50ms`,
		"errors<5":     `parse objective "errors<5": "5" is not a share such as 0.1% or 0.001`,
		"errors<NaN":   `parse objective "errors<NaN": "NaN" is not a share such as 0.1% or 0.001`,
		"errors<101%":  `parse objective "errors<101%": "101%" is not a share such as 0.1% or 0.001`,
		"rate>1ms":     `parse objective "rate>1ms": "1ms" is not a number a second such as 1000`,
		"rate>Inf":     `parse objective "rate>Inf": "Inf" is not a number a second such as 1000`,
		"rate>":        `parse objective "rate>": "" is not a number a second such as 1000`,
		"<1ms":         `parse objective "<1ms": unknown metric "" (want one such as p99, errors or rate)`,
		"p99<1ms<2ms":  `parse objective "p99<1ms<2ms": "1ms<2ms" is not a duration such as 50ms`,
		"rate>1,max<x": `parse objective "max<x": "x" is not a duration such as 50ms`,
	} {
		got, err := compare.ParseObjectives(text)
		var e *load.Error
		if got != nil || !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q: %v, error %v; want %s", text, got, err, want)
			continue
		}
		if hint := e.Hint; !strings.Contains(hint, "p99.9") || !strings.Contains(hint, "cpu/req") ||
			!strings.Contains(hint, compare.ExampleObjectives) {
			t.Errorf("%q: hint %q does not list the metrics and an example", text, hint)
		}
	}
}

// result has 1000 answers with latencies of 1 ms, 2 ms, … 1 s, and 1100 requests, of which 60
// failed.
func result(t *testing.T) *load.Result {
	t.Helper()
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	for i := range 1000 {
		if err := h.RecordValue(int64(time.Duration(i+1) * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	hdr, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	return &load.Result{
		Schema: load.Schema, Requests: 1100, Responses: 1000, Rate: 500,
		Errors: load.Errors{Timeout: 33, Reset: 67},
		Status: map[int]int64{200: 940, 404: 38, 500: 11, 503: 11},
		Latency: load.Latency{
			Min: ms, Mean: 500 * ms, P50: 501 * ms, P75: 750 * ms, P90: 900 * ms, P95: 950 * ms,
			P99: 990 * ms, P999: 999 * ms, P9999: 1000 * ms, Max: 1000 * ms, HDR: string(hdr),
		},
		CPU:       &load.CPU{PerRequest: 20 * time.Microsecond},
		TargetCPU: &load.TargetCPU{CPU: load.CPU{PerRequest: 70 * time.Microsecond}},
	}
}

func TestMeasure(t *testing.T) {
	r := result(t)
	for m, want := range map[compare.Metric]float64{
		compare.Min: 1e6, compare.Mean: 500e6, compare.P50: 501e6, compare.P75: 750e6, compare.P90: 900e6, compare.P95: 950e6,
		compare.P99: 990e6, compare.P999: 999e6, compare.P9999: 1e9, compare.Max: 1e9,
		compare.Errors: 160. / 1100, compare.Status5xx: 22. / 1100, compare.Timeouts: 33. / 1100,
		compare.Rate: 500, compare.TargetCPU: 70e3, compare.GeneratorCPU: 20e3,
	} {
		if v, err := compare.Measure(r, m); err != nil || v.Amount != want || v.Unit != m.Unit() {
			t.Errorf("%s: %v, %v; want %v", m, v, err, want)
		}
	}
	// Percentiles from the histogram: answer number n took n ms, to three digits.
	for p, want := range map[compare.Metric]time.Duration{
		"p97": 970 * time.Millisecond, "p1": 10 * time.Millisecond, "p33.3": 333 * time.Millisecond, "p99.95": time.Second,
	} {
		v, err := compare.Measure(r, p)
		if off := (v.Duration() - want).Abs(); err != nil || off > want/1000 || v.Duration() > r.Latency.Max {
			t.Errorf("%s: %v, %v; want %v within a thousandth", p, v.Duration(), err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	objectives, err := compare.ParseObjectives(
		"p99<990ms,p99<=990ms,p97<1s,errors<15%,errors<14%,rate>500,rate>=500,cpu/req<1ms")
	if err != nil {
		t.Fatal(err)
	}
	outcomes := objectives.Check(result(t))
	var held []bool
	for _, o := range outcomes {
		held = append(held, o.Held)
	}
	if diff := cmp.Diff([]bool{false, true, true, true, false, false, true, true}, held); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
	if compare.Held(outcomes) || !compare.Held(outcomes[1:4]) || !compare.Held(nil) {
		t.Error("Held does not say whether all are held")
	}
	if got, want := fmt.Sprint(outcomes[0], ", ", outcomes[3]),
		"p99<990ms missed: 990ms, errors<0.15 held: 14.55%"; got != want {
		t.Errorf("written as %q, want %q", got, want)
	}
}

func TestCheckUnknown(t *testing.T) {
	noHistogram, badHistogram, emptyHistogram := result(t), result(t), result(t)
	noHistogram.Latency.HDR = ""
	badHistogram.Latency.HDR = "HISTFAAA"
	h, err := hdrhistogram.New(1, 1000, 3).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	emptyHistogram.Latency.HDR = string(h)
	failed := &load.Result{Requests: 10, Errors: load.Errors{Connect: 10}}
	for _, test := range []struct {
		name      string
		r         *load.Result
		objective string
		want      string
	}{
		{"nothing sent", &load.Result{}, "errors<1%", "no request finished"},
		{"no answers", failed, "p99<1h", "there were no answers"},
		{"no answers", failed, "p12.3<1h", "there were no answers"},
		{"no CPU time", failed, "cpu/req<1h", "its CPU time is unknown"},
		{"no CPU time", failed, "generator-cpu/req<1h", "its CPU time is unknown"},
		{"no histogram", noHistogram, "p97<1h", "no histogram"},
		{"bad histogram", badHistogram, "p97<1h", "decode latency histogram"},
		{"empty histogram", emptyHistogram, "p97<1h", "there were no answers"},
	} {
		objectives, err := compare.ParseObjectives(test.objective)
		if err != nil {
			t.Fatal(err)
		}
		o := objectives.Check(test.r)[0]
		if o.Held || !strings.Contains(o.Unknown, test.want) || !strings.Contains(o.String(), " missed: ") {
			t.Errorf("%s: %s: %+v; want it missed: %s", test.name, test.objective, o, test.want)
		}
	}
	all, err := compare.ParseObjectives("errors<=100%,rate>=0")
	if err != nil || !compare.Held(all.Check(failed)) {
		t.Errorf("shares and rates need no answers: %v, %v", all.Check(failed), err)
	}
}

func TestOutcomeJSON(t *testing.T) {
	objectives, err := compare.ParseObjectives("p99<50ms")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(objectives.Check(result(t)))
	want := `[{"objective":{"metric":"p99","op":"\u003c","limit":{"amount":50000000,"unit":"ns"}},` +
		`"actual":{"amount":990000000,"unit":"ns"},"held":false}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

func FuzzParseObjectives(f *testing.F) {
	f.Add(compare.ExampleObjectives)
	f.Add("p97.5<=1h2m3.5s, errors >= 0.1 %,rate>12/s")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := compare.ParseObjectives(text)
		if err != nil {
			return
		}
		again, err := compare.ParseObjectives(got.String())
		if err != nil || !cmp.Equal(got, again) {
			t.Errorf("%q is written as %q, which reads as %v, %v", text, got, again, err)
		}
	})
}

// TestCheckTarget checks objectives against the row of their target.
func TestCheckTarget(t *testing.T) {
	r := &load.Result{
		Requests: 30, Responses: 30, Rate: 3, Latency: load.Latency{P99: time.Second},
		Status: map[int]int64{200: 20, 500: 10},
		PerTarget: []load.TargetResult{
			{
				Name: "home", URL: "http://h/", Targets: 1, Requests: 10, Responses: 10, Rate: 1,
				Latency: load.Latency{P99: time.Millisecond}, Status: map[int]int64{200: 10},
			},
			{
				URL: "http://h/search?q=a", Targets: 1, Requests: 10, Responses: 10, Rate: 1,
				Latency: load.Latency{P99: time.Second}, Status: map[int]int64{500: 10},
			},
			{URL: "http://h/twice", Targets: 1, Requests: 5, Responses: 5, Rate: 0.5, Latency: load.Latency{P99: time.Second}},
			{URL: "http://i/twice", Targets: 1, Requests: 5, Responses: 5, Rate: 0.5, Latency: load.Latency{P99: time.Second}},
		},
	}
	for text, want := range map[string]string{
		"home: p99<5ms":                "home: p99<5ms held: 1ms",
		"p99<5ms":                      "p99<5ms missed: 1s",
		"/search?q=a: errors<1%":       "/search?q=a: errors<0.01 missed: 100%",
		"http://h/: errors<1%":         "http://h/: errors<0.01 held: 0%",
		"http://i/twice: rate>0.4":     "http://i/twice: rate>0.4 held: 0.5/s",
		"/twice: rate>0.4":             "/twice: rate>0.4 missed: several targets have this name",
		"house: rate>0.4":              "house: rate>0.4 missed: no target has this name",
		"http://h/search?q=a: p50>=0s": "http://h/search?q=a: p50>=0s held: 0",
	} {
		os, err := compare.ParseObjectives(text)
		if err != nil {
			t.Fatal(err)
		}
		got := os.Check(r)[0]
		if got.String() != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		err = os.CheckTargets(r.PerTarget)
		//nolint:errorlint // as returned
		if unknown := got.Unknown != ""; (err != nil) != unknown ||
			unknown && !strings.Contains(err.(*load.Error).Hint, "home") {
			t.Errorf("%q: CheckTargets returns %v", text, err)
		}
	}
	os := compare.Objectives{{Metric: compare.P50, Op: compare.Below, Target: "home"}}
	if os.CheckTargets(r.PerTarget[:1]) == nil {
		t.Error("an objective about the only target")
	}
}

func TestMissed(t *testing.T) {
	os, err := compare.ParseObjectives("p99<20ms,p50<5ms,errors<1%")
	if err != nil {
		t.Fatal(err)
	}
	outcomes := []compare.Outcome{
		{Objective: os[0], Actual: compare.Value{Amount: float64(30 * time.Millisecond), Unit: compare.Nanoseconds}},
		{Objective: os[1], Held: true},
		{Objective: os[2], Unknown: "no answers"},
	}
	if got, want := compare.Missed(outcomes), "p99<20ms missed: 30ms; errors<0.01 missed: no answers"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := compare.Missed(outcomes[1:2]); got != "" {
		t.Errorf("%q of a held objective", got)
	}
}
