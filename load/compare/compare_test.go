package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/compare"
)

// process simulates a server and makes results of it.
type process struct {
	random  *rand.Rand
	latency float64 // factor of all latencies; rates are its inverse
	between float64 // standard deviation of the logarithms from run to run
	within  float64 // standard deviation from second to second
	rho     float64 // correlation of a second with the one before
	failing float64 // share of requests
	seconds int
}

func (p process) run() *load.Result {
	const rate = 10_000
	drift := p.between * p.random.NormFloat64()
	r := &load.Result{
		Schema: load.Schema, Targets: []string{"http://127.0.0.1/"}, Method: "GET", Protocol: load.HTTP1, Engine: load.Epoll,
		Model: load.ModelClosed, Connections: 8, Workers: 1,
		Started: time.Unix(0, p.random.Int64()), Elapsed: time.Duration(p.seconds) * time.Second,
		Status: map[int]int64{},
	}
	last, logs := p.random.NormFloat64(), 0.0
	for i := range p.seconds {
		last = p.rho*last + math.Sqrt(1-p.rho*p.rho)*p.random.NormFloat64()
		level := drift + p.within*last
		factor := p.latency * math.Exp(level)
		s := load.Second{Start: time.Duration(i) * time.Second, Elapsed: time.Second, Responses: int64(rate / factor)}
		if p.failing > 0 {
			s.Errors = int64(float64(s.Responses) * p.failing * math.Exp(p.within*p.random.NormFloat64()))
		}
		s.P50, s.P99, s.Max = time.Duration(1e6*factor), time.Duration(5e6*factor), time.Duration(20e6*factor)
		r.Seconds = append(r.Seconds, s)
		r.Responses += s.Responses
		r.Errors.Reset += s.Errors
		logs += math.Log(factor)
	}
	r.Requests = r.Responses + r.Errors.Total()
	r.Rate = float64(r.Responses) / float64(p.seconds)
	typical := math.Exp(logs / float64(p.seconds))
	of := func(ns float64) time.Duration { return time.Duration(ns * typical) }
	r.Latency = load.Latency{
		Min: of(1e5), Mean: of(1.2e6), P50: of(1e6), P75: of(2e6), P90: of(3e6), P95: of(4e6), P99: of(5e6),
		P999: of(1e7), P9999: of(15e6), Max: of(20e6),
	}
	r.CPU = &load.CPU{PerRequest: of(2e4)}
	r.TargetCPU = &load.TargetCPU{CPU: load.CPU{PerRequest: of(6e4)}, Command: "server"}
	return r
}

func (p process) runs(n int) []*load.Result {
	var out []*load.Result
	for range n {
		out = append(out, p.run())
	}
	return out
}

func mustCompare(t *testing.T, a, b []*load.Result) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(compare.Input{Name: "old.json", Runs: a}, compare.Input{Name: "new.json", Runs: b})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rowOf(t *testing.T, c *compare.Comparison, m compare.Metric) compare.Row {
	t.Helper()
	i := slices.IndexFunc(c.Rows, func(r compare.Row) bool { return r.Metric == m })
	if i < 0 {
		t.Fatalf("no row for %s", m)
	}
	return c.Rows[i]
}

// TestCoverage compares A with A: 95 of 100 intervals must include no change. It then shifts B by
// 10%, which must be found, in the right direction.
func TestCoverage(t *testing.T) {
	const rounds = 100
	base := process{latency: 1, within: 0.05, seconds: 60, failing: 0.01}
	for _, test := range []struct {
		name    string
		runs    int
		change  func(*process)
		metrics []compare.Metric
		least   float64 // share of comparisons that find no change in A against A
		finds   float64 // share that finds the shift
	}{
		// Runs that differ by 3%: three often cannot show a change of 10%, five can.
		{"3 runs", 3, func(p *process) { p.between, p.seconds = 0.02, 5 }, compare.Metrics(), 0.91, 0.6},
		{"5 runs", 5, func(p *process) { p.between, p.seconds = 0.02, 5 }, compare.Metrics(), 0.91, 0.99},
		{
			"a minute, independent seconds", 1, func(*process) {},
			[]compare.Metric{compare.Rate, compare.P50, compare.P99, compare.Max, compare.Errors},
			0.90, 0.99,
		},
		{
			"a minute, alike seconds", 1, func(p *process) { p.rho = 0.5 },
			[]compare.Metric{compare.Rate, compare.P50, compare.P99, compare.Max},
			0.88, 0.97,
		},
		{
			"two minutes, very alike seconds", 1, func(p *process) { p.rho, p.seconds = 0.8, 120 },
			[]compare.Metric{compare.Rate, compare.P99},
			0.85, 0.8,
		},
		{
			"twice half a minute", 2, func(p *process) { p.rho, p.seconds = 0.3, 30 },
			[]compare.Metric{compare.Rate, compare.P99, compare.Errors},
			0.88, 0.97,
		},
		{"15 seconds", 1, func(p *process) { p.seconds = 15 }, []compare.Metric{compare.Rate, compare.P99}, 0.88, 0.9},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := base
			p.random = rand.New(rand.NewPCG(7, 8))
			test.change(&p)
			shifted := p
			shifted.latency, shifted.failing = 1.1, 0.02
			same, found := map[compare.Metric]int{}, map[compare.Metric]int{}
			for range rounds {
				none := mustCompare(t, p.runs(test.runs), p.runs(test.runs))
				shift := mustCompare(t, p.runs(test.runs), shifted.runs(test.runs))
				for _, m := range test.metrics {
					n, s := rowOf(t, none, m), rowOf(t, shift, m)
					if n.Interval == nil || s.Interval == nil {
						t.Fatalf("%s: no interval: %s%s", m, n.Note, s.Note)
					}
					if n.Verdict == compare.Same {
						same[m]++
					}
					if s.Verdict == compare.Worse {
						found[m]++
					}
				}
			}
			for _, m := range test.metrics {
				if share := float64(same[m]) / rounds; share < test.least {
					t.Errorf("%s: A against A shows no change in %.3f of the comparisons; want about 0.95, at least %g",
						m, share, test.least)
				}
				if share := float64(found[m]) / rounds; share < test.finds {
					t.Errorf("%s: the shift is found in %.3f of the comparisons; want at least %g", m, share, test.finds)
				}
				t.Logf("%s: no change %.3f, shift found %.3f", m, float64(same[m])/rounds, float64(found[m])/rounds)
			}
		})
	}
}

// fixed returns a result of 20 s without randomness.
func fixed(rate int64, p99 time.Duration) *load.Result {
	r := process{random: rand.New(rand.NewPCG(1, uint64(rate))), latency: 1, seconds: 20}.run()
	for i := range r.Seconds {
		r.Seconds[i].Responses, r.Seconds[i].P99 = rate, p99
	}
	r.Responses, r.Requests, r.Rate, r.Latency.P99 = 20*rate, 20*rate, float64(rate), p99
	return r
}

func TestRowsFromRuns(t *testing.T) {
	a := []*load.Result{
		fixed(1000, 10*time.Millisecond), fixed(1001, 20*time.Millisecond), fixed(1002, 40*time.Millisecond),
	}
	b := []*load.Result{
		fixed(2000, 20*time.Millisecond), fixed(2002, 40*time.Millisecond), fixed(2004, 80*time.Millisecond),
	}
	c := mustCompare(t, a, b)
	p99 := rowOf(t, c, compare.P99)
	// Logarithms to base 2 are 0, 1, 2 and 1, 2, 3 above 10 ms: variance 1, so the
	// difference 1 has the standard error √(2/3), and t of 4 degrees is 2.776445.
	half := 2.776445 * math.Sqrt(2./3)
	want := compare.Interval{
		Basis: compare.Runs, Scale: compare.Ratio, Estimate: 2, Low: math.Pow(2, 1-half), High: math.Pow(2, 1+half),
	}
	near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(y) })
	if diff := cmp.Diff(&want, p99.Interval, near); diff != "" {
		t.Errorf("interval of p99 (-want +got):\n%s", diff)
	}
	if got := p99.A.Duration().Round(time.Microsecond); got != 20*time.Millisecond || p99.A.Unit != compare.Nanoseconds ||
		p99.Verdict != compare.Same || math.Abs(*p99.Change-1) > 1e-9 {
		t.Errorf("p99: %+v", p99)
	}
	rate := rowOf(t, c, compare.Rate)
	if rate.Verdict != compare.Better || !rate.Interval.ExcludesNoChange || math.Abs(rate.Interval.Estimate-2) > 1e-6 {
		t.Errorf("rate: %+v, %+v", rate, rate.Interval)
	}
	if back := rowOf(t, mustCompare(t, b, a), compare.Rate); back.Verdict != compare.Worse ||
		math.Abs(back.Interval.Estimate-0.5) > 1e-6 {
		t.Errorf("rate the other way: %+v, %+v", back, back.Interval)
	}
	// Without failures on either side there is certainly no change, and no ratio.
	failed := rowOf(t, c, compare.Errors)
	if failed.Change != nil || failed.Verdict != compare.Same || failed.Interval.Scale != compare.Difference ||
		failed.Interval.Low != 0 || failed.Interval.High != 0 {
		t.Errorf("errors: %+v, %+v", failed, failed.Interval)
	}
	if len(c.Warnings) > 0 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "3 runs of A and 3 of B") {
		t.Errorf("warnings %q, notes %q", c.Warnings, c.Notes)
	}
	// Without failures in A and with some in B, the difference counts.
	for _, r := range b {
		r.Status[500] = r.Requests/100 + r.Requests%7
	}
	if failed = rowOf(t, mustCompare(t, a, b), compare.Errors); failed.Verdict != compare.Worse ||
		math.Abs(failed.Interval.Estimate-0.01) > 0.001 {
		t.Errorf("errors in B: %+v, %+v", failed, failed.Interval)
	}
	a[1].CPU.PerRequest = 0
	if zero := rowOf(t, mustCompare(t, a, b), compare.GeneratorCPU); zero.Interval != nil ||
		zero.Verdict != compare.Unknown || zero.Note == "" {
		t.Errorf("a value of 0: %+v", zero)
	}
	b[2].TargetCPU = nil
	if missing := rowOf(t, mustCompare(t, a, b), compare.TargetCPU); missing.Interval != nil ||
		missing.Unknown != "B: run 3: its CPU time is unknown" || missing.Verdict != compare.Unknown {
		t.Errorf("CPU time that is not known: %+v", missing)
	}
}

func TestRowsFromSeconds(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	p := process{random: random, latency: 1, within: 0.05, rho: 0.3, seconds: 40, failing: 0.01}
	a, b := p.runs(1), p.runs(2)
	c := mustCompare(t, a, b)
	for _, row := range c.Rows {
		switch row.Metric {
		case compare.Rate, compare.P50, compare.P99, compare.Max, compare.Errors:
			i := row.Interval
			if i == nil || i.Basis != compare.Seconds || i.Blocks == nil || i.Blocks[0] < 1 ||
				i.Low > i.Estimate || i.Estimate > i.High {
				t.Errorf("%s: %+v, %+v", row.Metric, row, i)
			}
		default:
			if row.Interval != nil || row.Verdict != compare.Unknown || !strings.Contains(row.Note, "give 3 runs per side") {
				t.Errorf("%s has an interval or no note: %+v", row.Metric, row)
			}
		}
	}
	if c.A.Runs != 1 || c.B.Runs != 2 || c.A.Seconds != 40 || c.B.Seconds != 80 ||
		!strings.Contains(c.Notes[0], "do not include differences between runs") {
		t.Errorf("sides %+v, %+v, notes %q", c.A, c.B, c.Notes)
	}
	if again := mustCompare(t, a, b); !cmp.Equal(c, again) {
		t.Errorf("not repeatable:\n%s", cmp.Diff(c, again))
	}
	a[0].Status[404] = 3
	if row := rowOf(t, mustCompare(t, a, b), compare.Errors); row.Interval != nil ||
		!strings.Contains(row.Note, "status codes") {
		t.Errorf("errors by status: %+v", row)
	}
	// Just over nine seconds are too few; seconds without answers have no latency.
	short := p
	short.seconds = 10
	few := short.runs(1)
	few[0].Seconds[9].Elapsed = 100 * time.Millisecond
	if row := rowOf(t, mustCompare(t, few, b), compare.P99); row.Interval != nil ||
		!strings.Contains(row.Note, "has 9") {
		t.Errorf("nine seconds: %+v", row)
	}
	silent := p.runs(1)
	for i := range silent[0].Seconds {
		silent[0].Seconds[i] = load.Second{Elapsed: time.Second}
	}
	for _, m := range []compare.Metric{compare.P99, compare.Rate} {
		if row := rowOf(t, mustCompare(t, silent, b), m); row.Interval != nil || row.Note == "" {
			t.Errorf("%s of seconds without answers: %+v, %+v", m, row, row.Interval)
		}
	}
	if c := mustCompare(t, few, few); !strings.Contains(c.Notes[0], "no intervals") {
		t.Errorf("notes of nine seconds: %q", c.Notes)
	}
	dead := &load.Result{Schema: load.Schema, Requests: 5, Errors: load.Errors{Connect: 5}}
	if row := rowOf(t, mustCompare(t, []*load.Result{dead}, b), compare.P99); row.Unknown != "A: there were no answers" {
		t.Errorf("p99 without answers: %+v", row)
	}
}

func TestWarnings(t *testing.T) {
	make2 := func(change func(*load.Result)) (a, b []*load.Result) {
		p := process{random: rand.New(rand.NewPCG(1, 2)), latency: 1, seconds: 12}
		a, b = p.runs(1), p.runs(1)
		change(b[0])
		return a, b
	}
	for want, change := range map[string]func(*load.Result){
		"": func(*load.Result) {},
		"targets: http://127.0.0.1/ in A, http://127.0.0.1/x in B": func(r *load.Result) {
			r.Targets = []string{"http://127.0.0.1/x"}
		},
		"method: GET in A, unknown in B":       func(r *load.Result) { r.Method = "" },
		"protocol: http/1.1 in A, http/2 in B": func(r *load.Result) { r.Protocol = load.HTTP2 },
		"model: closed in A, open in B":        func(r *load.Result) { r.Model = load.ModelOpen },
		"requested rate: none in A, 5/s, constant, to 9/s in 2s in B": func(r *load.Result) {
			r.Open = &load.Open{Rate: 5, RampTo: 9, Ramp: 2 * time.Second, Arrivals: load.Constant}
		},
		"connections: 8 in A, 9 in B":               func(r *load.Result) { r.Connections = 9 },
		"streams: 1 in A, 4 in B":                   func(r *load.Result) { r.Streams = 4 },
		"engine: epoll in A, io_uring in B":         func(r *load.Result) { r.Engine = load.IOUring },
		"event loops: 1 in A, 2 in B":               func(r *load.Result) { r.Workers = 2 },
		"server's program: server in A, other in B": func(r *load.Result) { r.TargetCPU.Command = "other" },
		"B: a run was interrupted":                  func(r *load.Result) { r.Interrupted = true },
		"B: sent late": func(r *load.Result) {
			r.Warnings = load.Warnings{{Kind: load.GeneratorLate, Text: "sent late"}}
		},
		"the runs last from 12s to 30s: longer runs see longer maxima": func(r *load.Result) { r.Elapsed = 30 * time.Second },
	} {
		a, b := make2(change)
		if got := strings.Join(mustCompare(t, a, b).Warnings.Texts(), "\n"); got != want {
			t.Errorf("warnings %q, want %q", got, want)
		}
	}
	a, b := make2(func(*load.Result) {})
	if got := mustCompare(t, a, append(b, a[0])).Warnings.Texts(); !slices.Equal(
		got, []string{"the same run is given more than once: intervals are too narrow"},
	) {
		t.Errorf("the same run twice: %q", got)
	}
	other := *b[0]
	other.Connections, other.Started = 9, time.Now()
	if got := mustCompare(t, a, append(b, &other)).Warnings.Texts(); !slices.Equal(
		got, []string{"connections: the runs of B differ"},
	) {
		t.Errorf("runs that differ: %q", got)
	}
	// The open model's rate is not a result.
	for _, r := range append(a, b...) {
		r.Model, r.Open = load.ModelOpen, &load.Open{Rate: 5, Arrivals: load.Constant}
	}
	if row := rowOf(t, mustCompare(t, a, b), compare.Rate); !strings.Contains(row.Note, "given rate") {
		t.Errorf("rate of the open model: %+v", row)
	}
}

func TestErrors(t *testing.T) {
	good := []*load.Result{{Schema: load.Schema}}
	for name, sides := range map[string][2][]*load.Result{
		"no A":           {nil, good},
		"no B":           {good, nil},
		"nil":            {good, {nil}},
		"something else": {good, {{Schema: "whet.load/9"}}},
	} {
		c, err := compare.Compare(compare.Input{Runs: sides[0]}, compare.Input{Runs: sides[1]})
		var e *load.Error
		if c != nil || !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if c := mustCompare(t, good, good); len(c.Rows) != len(compare.Metrics()) {
		t.Errorf("empty results: %d rows", len(c.Rows))
	}
}

func TestJSON(t *testing.T) {
	p := process{random: rand.New(rand.NewPCG(1, 2)), latency: 1, within: 0.1, seconds: 12}
	data, err := json.Marshal(mustCompare(t, p.runs(1), p.runs(1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		`{"schema":"whet.load-compare/2","a":{"name":"old.json","runs":1,"seconds":12,` +
			`"targets":["http://127.0.0.1/"]},"b":{"name":"new.json","runs":1,`,
		`"confidence":0.95,`,
		`"rows":[{"metric":"rate","a":{"amount":`,
		`"interval":{"basis":"seconds","scale":"ratio","estimate":`,
		`"excludes_no_change":`,
		`"verdict":"unknown","note":"no interval: `,
	} {
		if !bytes.Contains(data, []byte(key)) {
			t.Errorf("JSON has no %s:\n%s", key, data)
		}
	}
}

// withParts gives a run two targets and the phases of latency. The target "slow" and the phase
// "first byte" take longer by a factor.
func withParts(r *load.Result, host string, factor float64) *load.Result {
	of := func(ms float64) load.Latency {
		d := func(share float64) time.Duration { return time.Duration(ms * share * 1e6) }
		return load.Latency{
			Min: d(0.5), Mean: d(1.1), P50: d(1), P75: d(1.5), P90: d(2), P95: d(3), P99: d(4), P999: d(5), Max: d(6),
		}
	}
	// Real runs always differ a little.
	own := 1 + 0.001*float64(r.Started.UnixNano()%5)
	r.PerTarget = []load.TargetResult{
		{
			Method: "GET", URL: host + "/slow", Targets: 1,
			Requests: 1000, Responses: 1000, Rate: 100 * own, Latency: of(10 * factor * own),
		},
		{
			Name: "home", Method: "GET", URL: host + "/", Targets: 1,
			Requests: 9000, Responses: 9000, Rate: 900 * own, Latency: of(1 * own),
		},
	}
	connect := of(0.1 * own)
	r.Connects = 8
	r.Phases = &load.Phases{Connect: &connect, FirstByte: of(2 * factor * own), Transfer: of(0)}
	return r
}

// TestParts slows down one target of two, and one phase of three.
func TestParts(t *testing.T) {
	p := process{random: rand.New(rand.NewPCG(3, 4)), latency: 1, within: 0.05, seconds: 12}
	side := func(runs int, host string, factor float64) []*load.Result {
		out := p.runs(runs)
		for i, r := range out {
			r.Started = time.Unix(0, int64(i))
			withParts(r, host, factor)
		}
		return out
	}
	verdict := func(parts []compare.Part, name string, m compare.Metric) compare.Row {
		t.Helper()
		for _, part := range parts {
			for _, r := range part.Rows {
				if part.Name == name && r.Metric == m {
					return r
				}
			}
		}
		t.Fatalf("no row %s of %q", m, name)
		return compare.Row{}
	}
	c := mustCompare(t, side(3, "http://127.0.0.1:1", 1), side(4, "http://127.0.0.1:2", 1.5))
	if len(c.Targets) != 2 || c.Targets[0].Name != "/slow" || c.Targets[1].Name != "home" {
		t.Fatalf("targets %+v, want /slow and home, whatever the host", c.Targets)
	}
	if len(c.Phases) != 3 {
		t.Fatalf("phases %+v, want connect, first byte, transfer", c.Phases)
	}
	for _, test := range []struct {
		parts  []compare.Part
		name   string
		metric compare.Metric
		want   compare.Verdict
	}{
		{c.Targets, "/slow", compare.P99, compare.Worse},
		{c.Targets, "/slow", compare.Rate, compare.Same},
		{c.Targets, "home", compare.P99, compare.Same},
		{c.Targets, "home", compare.Errors, compare.Same},
		{c.Phases, "connect", compare.Mean, compare.Same},
		{c.Phases, "first byte", compare.P50, compare.Worse},
		{c.Phases, "transfer", compare.P50, compare.Unknown},
	} {
		if r := verdict(test.parts, test.name, test.metric); r.Verdict != test.want {
			t.Errorf("%s of %s: %+v, want %s", test.metric, test.name, r, test.want)
		}
	}
	if r := verdict(c.Targets, "/slow", compare.P99); math.Abs(r.Interval.Estimate-1.5) > 0.01 ||
		r.Interval.Basis != compare.Runs {
		t.Errorf("interval of p99 of /slow: %+v, want about 1.5", r.Interval)
	}
	if r := verdict(c.Phases, "transfer", compare.P50); r.Change != nil || r.Note != "no interval: a run has the value 0" {
		t.Errorf("transfer that takes no time: %+v", r)
	}

	// Seconds are not divided by target.
	c = mustCompare(t, side(1, "http://127.0.0.1:1", 1), side(1, "http://127.0.0.1:1", 1.5))
	for _, part := range append(c.Targets, c.Phases...) {
		for _, r := range part.Rows {
			if r.Interval != nil || r.Verdict != compare.Unknown ||
				r.Note != "no interval: not recorded per second; give 3 runs per side" {
				t.Errorf("%s of %s from seconds: %+v", r.Metric, part.Name, r)
			}
		}
	}
	if got := verdict(c.Targets, "/slow", compare.P99); math.Abs(*got.Change-0.5) > 0.01 {
		t.Errorf("change of p99 of /slow: %+v", got)
	}

	// A target that one run lacks is not compared; a note reports that.
	a, b := side(1, "http://127.0.0.1:1", 1), side(1, "http://127.0.0.1:1", 1)
	a[0].Phases = nil
	b[0].PerTarget[1].Name = "start"
	c = mustCompare(t, a, b)
	if len(c.Targets) != 1 || c.Phases != nil {
		t.Errorf("targets %+v, phases %+v", c.Targets, c.Phases)
	}
	if want := []string{
		"not compared, because some runs lack them: targets of A: home",
		"not compared, because some runs lack them: targets of B: start",
	}; !slices.Equal(c.Notes[1:], want) {
		t.Errorf("notes %q, want %q", c.Notes[1:], want)
	}
	// One side has a single target, and so no table.
	b[0].PerTarget = nil
	if c = mustCompare(t, a, b); c.Targets != nil || len(c.Notes) != 1 {
		t.Errorf("targets %+v, notes %q", c.Targets, c.Notes)
	}
	// Targets that look alike stay separate.
	for _, r := range [][]*load.Result{a, b} {
		r[0].PerTarget = []load.TargetResult{
			{Method: "GET", URL: "http://127.0.0.1:1/", Responses: 1, Requests: 1, Latency: load.Latency{P50: 1}},
			{Method: "GET", URL: "http://127.0.0.1:2/", Responses: 1, Requests: 1, Latency: load.Latency{P50: 2}},
			{Method: "GET", URL: "http://127.0.0.1:2/", Responses: 1, Requests: 1, Latency: load.Latency{P50: 3}},
		}
	}
	c = mustCompare(t, a, b)
	for i, name := range []string{"GET http://127.0.0.1:1/", "GET http://127.0.0.1:2/", "GET http://127.0.0.1:2/ (2)"} {
		if r := verdict(c.Targets, name, compare.P50); r.A.Amount != float64(i+1) || r.B.Amount != float64(i+1) {
			t.Errorf("p50 of %s: %+v, want %d", name, r, i+1)
		}
	}
}
