package benchmarks

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/service"
)

// serviceUnit is a unit of a comparison.
func serviceUnit(name string, a, b, ratio, low, high, p float64, verdict ab.Verdict) ab.Unit {
	return ab.Unit{
		Unit: name, A: ab.Summary{Median: bench.Float(a)}, B: ab.Summary{Median: bench.Float(b)},
		Ratio: bench.Float(ratio), Low: bench.Float(low), High: bench.Float(high), P: p, Q: p, Verdict: verdict,
		Spread: 0.031,
	}
}

func serviceResult(units ...ab.Unit) *service.Result {
	return &service.Result{
		Sides: [2]service.Side{
			{Command: "./old -addr {addr}", Seen: service.Tally{
				Slices: 61, Requests: 1000, Responses: 1000,
				Status: map[int]int64{200: 1000},
			}},
			{Command: "GOGC=400 ./new -addr {addr}", Dir: "/srv", Seen: service.Tally{
				Slices: 52, Requests: 1200, Responses: 1200,
				Status: map[int]int64{200: 1200},
			}},
		},
		AB: &ab.Result{
			Unit: service.UnitCPU, Confidence: 0.95, Alpha: 0.05, Plan: ab.Plan{Length: time.Second}, Elapsed: 2 * time.Minute,
			Subjects: []ab.SubjectResult{{Name: "service", Pairs: 52, Stopped: ab.Precise, Units: units}},
		},
		Load: &load.Result{
			Targets: []string{"http://127.0.0.1:41234/"}, Method: "GET", Connections: 8,
			Protocol: load.HTTP1, Engine: load.IOUring, Workers: 1, Model: load.ModelClosed,
		},
		Answers: &service.Answers{Requests: 1},
	}
}

func writeServices(t *testing.T, r *service.Result) string {
	t.Helper()
	var b strings.Builder
	if err := WriteServices(&b, layout.Style{Width: 80}, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteServices(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	r := serviceResult(
		serviceUnit(service.UnitRate, 24100, 37020.4, 1.53, 1.49, 1.57, 1e-9, ab.Better),
		serviceUnit(service.UnitP99, 0.0021, 0.0022, 1.05, 0.91, 1.21, 0.4, ab.Undecided),
		serviceUnit(service.UnitP50, 0.000105, 0.000105, 1.001, 0.99, 1.008, 0.8, ab.Same),
		serviceUnit(service.UnitP90, 0.0005, 0.0006, 1.1, 0, inf, 1, ab.Undecided),
		serviceUnit(service.UnitBytes, 6300, 6900, 1.095, 1.08, 1.11, 1e-4, ab.Worse),
		serviceUnit(service.UnitAllocs, 0, 2, nan, 0, inf, 1e-4, ab.Worse),
		serviceUnit(service.UnitCPU, 0.00003541, 0.0000201, 0.568, 0.559, 0.577, 1e-9, ab.Better),
	)
	const want = `A  ./old -addr {addr}
B  GOGC=400 ./new -addr {addr} (in /srv)
GET http://127.0.0.1:41234/
8 connections · http/1.1 · io_uring (1 worker) · as fast as answered

                  A        B  change     95% interval      p      q  B is
cpu/req     35.41us  20.10us    -43%     -44% to -42%  0.000  0.000  better
allocs/req        0        2       –                –  0.000  0.000  worse
bytes/req    6.15kB   6.74kB   +9.5%    +8.0% to +11%  0.000  0.000  worse
p50           105us    105us  +0.10%  -1.0% to +0.80%  0.800  0.800  same
p90           500us    600us    +10%                –  1.000  1.000  undecided
p99          2.10ms   2.20ms   +5.0%    -9.0% to +21%  0.400  0.400  undecided
req/s       24100/s  37020/s    +53%     +49% to +57%  0.000  0.000  better

52 pairs of slices of 1s in 120s, until the interval was as narrow as requested;
a pair's noise in cpu/req is 3.10%

verdict: B is better in cpu/req (-43%), req/s (+53%).
         B is worse in allocs/req, bytes/req (+9.5%).
         No difference in p50 larger than 1.00%.
         Not decided: p90, p99 (between -9.0% and +21%).
`
	if got := writeServices(t, r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Where there is no room for both, q is what verdicts go by.
	r.AB.Subjects[0].Units[0].A.Median, r.AB.Subjects[0].Units[0].B.Median = 12345678, 12345678
	if got := writeServices(t, r); !strings.Contains(got, " interval      q  B is\n") {
		t.Error(got)
	}
}

// TestWriteServicesWarnings checks that warnings come before the figures, and that those that make the
// comparison invalid come first in the verdict.
func TestWriteServicesWarnings(t *testing.T) {
	r := serviceResult(serviceUnit(service.UnitCPU, 0.00003, 0.00002, 0.66, 0.6, 0.7, 1e-9, ab.Better))
	r.FailuresDiffer = true
	r.Sides[1].Seen = service.Tally{
		Slices: 52, Failing: 50, Requests: 1200, Responses: 1190,
		Status: map[int]int64{200: 890, 503: 300}, Errors: load.Errors{Timeout: 10},
	}
	r.Answers = &service.Answers{Requests: 9, Unstable: 1}
	for range 7 {
		r.Answers.Differences = append(r.Answers.Differences,
			service.Difference{Request: "GET http://h/\x1b[2J", What: "status 200 in A, status 404 in B"})
	}
	r.Warnings = load.Warnings{
		{Kind: service.AnswersDiffer, Where: "GET http://h/\x1b[2J", Text: "answers differ: status 200"},
		{Kind: load.GeneratorCPU, Where: "A in 3 slices", Text: "the generator was busy", Hint: "send from elsewhere"},
	}
	r.AB.Warnings = bench.Warnings{{Where: "service", Text: "one side waits"}}
	r.AB.Subjects[0].Error, r.AB.Subjects[0].Stopped = "B: run ./new: the target exited: exit status 3", ab.Failed
	got := writeServices(t, r)
	words, at := strings.Join(strings.Fields(got), " "), 0
	for _, part := range []string{
		"warning: GET http://h/\ufffd[2J: answers differ: status 200",
		"warning: A in 3 slices: the generator was busy hint: send from elsewhere",
		"warning: service: one side waits",
		"cpu/req", "until one failed", "verdict: not comparable: A fails 0% of the requests and B 25.83%",
		"A and B answer 7 of 9 requests differently", "B is better in cpu/req",
	} {
		i := strings.Index(words[at:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or not after what comes before it, in\n%s", part, got)
		}
		at += i
	}
	if strings.Count(got, "generator was busy") != 1 || strings.Contains(got, "\x1b") {
		t.Error(got)
	}
	for line := range strings.Lines(got) {
		if layout.Columns(line) > 81 {
			t.Errorf("%d columns: %s", layout.Columns(line)-1, line)
		}
	}
}

// TestWriteServicesNothing has a comparison that ended before a pair was complete.
func TestWriteServicesNothing(t *testing.T) {
	r := serviceResult()
	r.Load = nil
	r.AB.Subjects[0].Pairs = 0
	if got := writeServices(t, r); !strings.Contains(got, "nothing was measured\n0 pairs") ||
		!strings.Contains(got, "verdict: There were too few pairs") {
		t.Error(got)
	}
}
