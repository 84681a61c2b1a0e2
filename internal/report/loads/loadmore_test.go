package loads

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	loadcompare "github.com/whet-go/whet/load/compare"
)

// searched is the result of a search: rates up to 9200 hold.
func searched(t *testing.T) *capacity.Result {
	t.Helper()
	objectives, err := loadcompare.ParseObjectives("errors<1%,p97<20ms")
	if err != nil {
		t.Fatal(err)
	}
	r := &capacity.Result{
		Schema: capacity.Schema, Targets: []string{"http://127.0.0.1:18080/v1/leftpad/?str=test&len=50"}, SLO: objectives,
		Connections: 64, Protocol: load.HTTP1, Engine: load.Epoll, Precision: 0.05, Elapsed: 78 * time.Second,
		Rate: 9200, High: 9600, Confirmed: true, Limit: capacity.LimitServer, Why: "p97<20ms missed at 9600/s: 32ms",
		Knee: &capacity.Knee{Rate: 8000, Metric: "p97", Latency: 5 * time.Millisecond},
		Warnings: load.Warnings{{
			Kind: load.TooShort, Text: "300 answers at 9200/s are too few for p97, which needs 334",
			Hint: "make the steps longer",
		}},
	}
	r.Steps = append(r.Steps, capacity.Step{
		Kind: capacity.Probe, Achieved: 9800, Verdict: capacity.Measured,
		Latency: load.Latency{P50: 6 * time.Millisecond, P99: 20 * time.Millisecond}, Responses: 1000,
	})
	for i, rate := range []float64{4900, 9800, 7000, 8300, 9200, 9600, 9200} {
		p97 := time.Duration(1e6 / (1 - rate/10_000))
		step := capacity.Step{
			Kind: capacity.Bisect, Requested: rate, Achieved: rate - 1, Run: 1, Verdict: capacity.Held, Responses: 10_000,
			Requests: 10_000,
			Latency:  load.Latency{P50: p97 / 4, P99: p97 * 2},
			Outcomes: []loadcompare.Outcome{
				{Objective: objectives[0], Held: true},
				{
					Objective: objectives[1], Actual: loadcompare.Value{Amount: float64(p97), Unit: loadcompare.Nanoseconds},
					Held: rate <= 9200,
				},
			},
		}
		if rate > 9200 {
			step.Verdict, step.Why, step.Errors = capacity.Missed, "p97<20ms missed", 0.002
		}
		if i == 3 {
			step.Verdict, step.Why = capacity.Generator,
				"the generator sent 1% of the requests 4.56ms or more late although a connection was free"
		}
		r.Steps = append(r.Steps, step)
	}
	r.Steps = append(r.Steps, capacity.Step{Kind: capacity.Confirm, Requested: 9600, Verdict: capacity.Interrupted})
	return r
}

func TestWriteLoadCapacity(t *testing.T) {
	found := searched(t)
	none := searched(t)
	none.Rate, none.High, none.Knee, none.Confirmed, none.Interrupted, none.Steps = 0, 4900, nil, false, true,
		none.Steps[:1]
	var out bytes.Buffer
	for _, r := range []*capacity.Result{found, none} {
		var plain, colored bytes.Buffer
		if err := WriteCapacity(&plain, layout.Style{Width: 80}, r); err != nil {
			t.Fatal(err)
		}
		if err := WriteCapacity(&colored, layout.Style{Width: 80, Color: true}, r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain.String(), layout.StripColor(colored.String())); diff != "" {
			t.Errorf("with color: %s", diff)
		}
		checkWidth(t, plain.String(), 80)
		out.Write(plain.Bytes())
	}
	golden.Check(t, "testdata/load-capacity.txt", out.Bytes())
	for _, limit := range []struct {
		rate, high float64
		limit      capacity.Limit
		want       string
	}{
		{9200, 9600, capacity.LimitServer, "9200/s, below 9600/s:"},
		{9200, 0, capacity.LimitMax, "9200/s or more:"},
		{9200, 9600, capacity.LimitGenerator, "9200/s or more:"},
		{0, 10, capacity.LimitServer, "no rate meets the objective:"},
		{0, 10, capacity.LimitGenerator, "no rate was found that meets the objective:"},
	} {
		r := &capacity.Result{Rate: limit.rate, High: limit.high, Limit: limit.limit}
		if got := CapacityAnswer(r); got != limit.want {
			t.Errorf("%+v: %q", limit, got)
		}
	}
	k := CapacityPage(found).Knee
	if k.Metric != "p97" || k.Limit != 20*time.Millisecond || len(k.Points) != 7 || k.Points[6].Rate != 9800 ||
		k.Points[6].Held || k.Points[6].Value.Round(time.Microsecond) != 50*time.Millisecond {
		t.Errorf("knee %+v", k)
	}
}

// withParts gives a result two targets and the phases of latency, scaled by factor.
func withParts(r *load.Result, factor float64) {
	of := func(d time.Duration) load.Latency {
		d = time.Duration(float64(d) * factor)
		return load.Latency{
			Min: d / 2, Mean: d, StdDev: d / 4, P50: d, P75: d, P90: d, P95: 2 * d, P99: 3 * d, P999: 4 * d,
			Max: 5 * d,
		}
	}
	connect := of(50 * time.Microsecond)
	r.Connects = 8
	r.Phases = &load.Phases{Connect: &connect, FirstByte: of(600 * time.Microsecond), Transfer: of(20 * time.Microsecond)}
	r.PerTarget = []load.TargetResult{
		{
			Name: "home", Method: "GET", URL: "http://127.0.0.1/", Targets: 2, Requests: 40_000, Responses: 40_000, Rate: 4000,
			Latency: of(time.Millisecond),
		},
		{
			Method:  "POST",
			URL:     "http://127.0.0.1/orders/a-long-path/that-does-not-fit-into-one-line-of-a-terminal-that-is-as-wide-as-most",
			Targets: 1, Requests: 10_000, Responses: 10_000, Rate: 1000, Latency: of(2 * time.Millisecond),
		},
	}
}

func TestWriteLoadComparison(t *testing.T) {
	a, b := loadResult(t, 1, 1), loadResult(t, 2, 1.3)
	b.TargetCPU = nil
	b.Started = a.Started.Add(time.Hour)
	b.Status = map[int]int64{200: 49_000, 503: 1_000}
	var runsA, runsB []*load.Result
	for i := range 3 {
		x, y := loadResult(t, uint64(10+i), 1), loadResult(t, uint64(20+i), 0.9)
		x.Started, y.Started = a.Started.Add(time.Duration(i)*time.Minute), a.Started.Add(time.Duration(i+5)*time.Minute)
		withParts(x, 1+0.001*float64(i))
		withParts(y, 0.9+0.001*float64(i))
		runsA, runsB = append(runsA, x), append(runsB, y)
	}
	one, two := loadResult(t, 3, 1), loadResult(t, 4, 1.3)
	withParts(one, 1)
	withParts(two, 1.3)
	two.Started = a.Started.Add(time.Hour)
	two.PerTarget = append(two.PerTarget, load.TargetResult{
		Name: "new", Method: "GET", URL: "http://127.0.0.1/new",
		Responses: 1, Requests: 1,
	})
	var out bytes.Buffer
	for _, sides := range [][2][]*load.Result{{{a}, {b}}, {runsA, runsB}, {{one}, {two}}, {{emptyLoad()}, {a}}} {
		c, err := loadcompare.Compare(
			loadcompare.Input{Name: "before.json", Runs: sides[0]},
			loadcompare.Input{
				Name: "a-file-with-a-name/that-is-much-longer/than-half-of/an-ordinary/line/after.json", Runs: sides[1],
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		var plain, colored bytes.Buffer
		if err := WriteComparison(&plain, layout.Style{Width: 80}, c); err != nil {
			t.Fatal(err)
		}
		if err := WriteComparison(&colored, layout.Style{Width: 80, Color: true}, c); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain.String(), layout.StripColor(colored.String())); diff != "" {
			t.Errorf("with color: %s", diff)
		}
		checkWidth(t, plain.String(), 80)
		out.Write(plain.Bytes())
		p := ComparisonPage(c, sides[0][0], sides[1][0])
		if len(p.Tables[0].Rows) != len(c.Rows) {
			t.Errorf("%d rows on the page, want %d", len(p.Tables[0].Rows), len(c.Rows))
		}
		rows := 0
		for _, table := range p.Tables[1:] {
			rows += len(table.Rows)
		}
		want := 0
		for _, part := range slices.Concat(c.Targets, c.Phases) {
			want += len(part.Rows)
		}
		if rows != want {
			t.Errorf("%d rows of targets and phases on the page, want %d", rows, want)
		}
	}
	golden.Check(t, "testdata/load-compare.txt", out.Bytes())
}
