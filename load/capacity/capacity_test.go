package capacity_test

import (
	"bytes"
	"context"
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
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/load/compare"
)

// server is a simulated server and generator.
type server struct {
	mu        float64       // requests per second that it can serve
	noise     float64       // standard deviation of the logarithm of latencies
	hiccup    float64       // share of runs whose latencies are a hundred times as long
	generator float64       // requests per second that can be sent; 0: no limit
	busy      bool          // past mu, requests wait for one of 8 connections
	idle      time.Duration // mean latency with busy; 0: 8 connections' share of mu
	random    *rand.Rand
	runs      int
}

// p99 is the 99th percentile of the time in an M/M/1 system: the time is
// exponentially distributed with mean 1/(mu-rate). Past mu it grows with the run.
func (s *server) p99(rate float64, run time.Duration) time.Duration {
	most := 0.99 * run.Seconds()
	if rate < s.mu {
		most = min(most, math.Log(100)/(s.mu-rate))
	}
	return time.Duration(most * float64(time.Second))
}

func (s *server) run(_ context.Context, o load.Options) (*load.Result, error) {
	s.runs++
	requested := o.Rate
	if requested == 0 {
		requested = 0.95 * s.mu // some connections cannot keep it busy all the time
	}
	p99 := s.p99(requested, o.Duration)
	if s.noise > 0 {
		p99 = time.Duration(float64(p99) * math.Exp(s.noise*s.random.NormFloat64()))
	}
	if s.hiccup > 0 && s.random.Float64() < s.hiccup {
		p99 *= 100
	}
	sent := min(requested, s.mu)
	r := &load.Result{
		Schema: load.Schema, Targets: []string{o.URL}, Elapsed: o.Duration, Connections: 8,
		SendDelay: &load.SendDelay{},
	}
	if s.generator > 0 && requested > s.generator {
		sent = min(sent, s.generator)
		p99 = o.Duration
		r.Warnings = load.Warnings{{Kind: load.TooShort}, {Kind: load.GeneratorLate, Text: "it sent late"}}
	}
	mean := p99 / 5
	if s.busy {
		p99, mean = 0, time.Duration(8*float64(time.Second)/s.mu)
		if s.idle > 0 {
			mean = s.idle
		}
		if requested > s.mu {
			r.SendDelay.Waited = 17
		}
	}
	r.Requests = int64(sent * o.Duration.Seconds())
	r.Responses = r.Requests
	r.Rate = float64(r.Requests) / o.Duration.Seconds()
	r.Latency = load.Latency{Mean: mean, P50: p99 / 7, P99: p99, Max: 2 * p99, HDR: "x"}
	return r, nil
}

func objectives(t *testing.T, text string) compare.Objectives {
	t.Helper()
	o, err := compare.ParseObjectives(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSearchProperty searches for random capacities.
func TestSearchProperty(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		mu := math.Exp(math.Log(500) + random.Float64()*math.Log(2000)) // 500 to a million
		limit := 50 * time.Millisecond
		truth := mu - math.Log(100)/limit.Seconds()
		s := &server{mu: mu, random: random}
		o := capacity.Options{SLO: objectives(t, "p99<50ms,errors<0.1%")}
		switch random.IntN(3) {
		case 0:
			o.Min = truth / (1.5 + 100*random.Float64())
		case 1:
			o.Min, o.Max = truth/10, truth*(1.1+3*random.Float64())
		}
		o.Precision = []float64{0, 0.01, 0.2}[random.IntN(3)]
		r, err := capacity.Search(t.Context(), o, s.run)
		if err != nil {
			t.Fatal(err)
		}
		precision := o.Precision
		if precision == 0 {
			precision = capacity.DefaultPrecision
		}
		if !r.Confirmed || r.Rate > truth || r.High < truth || r.High > r.Rate*(1+precision)*1.000001 ||
			r.Limit != capacity.LimitServer || !strings.HasPrefix(r.Why, "p99<50ms missed: ") {
			t.Fatalf("mu %g, capacity %g, from %g to %g in steps of %g: found %g to %g, %s: %s, confirmed %v",
				mu, truth, o.Min, o.Max, o.Precision, r.Rate, r.High, r.Limit, r.Why, r.Confirmed)
		}
		if s.runs > 30 || s.runs != len(r.Steps) {
			t.Fatalf("mu %g: %d runs, %d steps", mu, s.runs, len(r.Steps))
		}
	}
}

// TestSearchNoise has noise and runs that fail entirely, which may change the result only
// occasionally.
func TestSearchNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const mu = 20_000.0
	truth := mu - math.Log(100)/0.005
	good, all := 0, 300
	for range all {
		s := &server{mu: mu, noise: 0.05, hiccup: 0.05, random: random}
		r, err := capacity.Search(t.Context(), capacity.Options{SLO: objectives(t, "p99<5ms")}, s.run)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Confirmed {
			t.Fatalf("not confirmed after %d steps", len(r.Steps))
		}
		if r.Rate > truth*0.93 && r.Rate < truth*1.02 {
			good++
		}
	}
	if good < all*95/100 {
		t.Errorf("%d of %d searches found the capacity", good, all)
	}
}

// TestHiccup makes a single run fail, once at each position in the search.
func TestHiccup(t *testing.T) {
	truth := 10_000 - math.Log(100)/0.05
	for bad := 1; bad < 12; bad++ {
		s := &server{mu: 10_000}
		r, err := capacity.Search(t.Context(), capacity.Options{
			Min: 1000, SLO: objectives(t, "p99<50ms"),
		}, func(ctx context.Context, o load.Options) (*load.Result, error) {
			r, err := s.run(ctx, o)
			if s.runs == bad {
				r.Latency.P99 = time.Second
			}
			return r, err
		})
		if err != nil || !r.Confirmed || r.Rate > truth || r.High < truth || r.High > 1.051*r.Rate {
			t.Errorf("run %d went wrong: %g to %g, confirmed %v, error %v", bad, r.Rate, r.High, r.Confirmed, err)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name      string
		s         server
		o         capacity.Options
		want      capacity.Limit
		why       string
		low, high float64 // where Rate must lie
		upper     bool    // High is known
	}{
		{
			"generator",
			server{mu: 1e6, generator: 7000},
			capacity.Options{Min: 100},
			capacity.LimitGenerator, "it sent late", 6600, 7000, true,
		},
		{
			"connections",
			server{mu: 5000, busy: true},
			capacity.Options{Min: 100},
			capacity.LimitConnections, "requests waited for a free connection", 4700, 5200, true,
		},
		// 8 connections at 5000/s are 1.6 ms a request: the server has become slow.
		{
			"server with busy connections",
			server{mu: 5000, busy: true, idle: 100 * time.Microsecond},
			capacity.Options{Min: 100},
			capacity.LimitServer, "were sent in time", 4700, 5200, true,
		},
		{
			"always held",
			server{mu: 1e6},
			capacity.Options{Min: 100, Max: 3000},
			capacity.LimitMax, "highest rate", 3000, 3000, false,
		},
		{
			"always held, after a probe",
			server{mu: 1e6},
			capacity.Options{Max: 3000},
			capacity.LimitMax, "highest rate", 3000, 3000, false,
		},
		{"never held", server{mu: 50}, capacity.Options{Min: 100}, capacity.LimitServer, "p99<50ms missed", 0, 0, true},
		{
			"never held, after a probe",
			server{mu: 50},
			capacity.Options{},
			capacity.LimitServer, "p99<50ms missed", 0, 0, true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.SLO = objectives(t, "p99<50ms")
			r, err := capacity.Search(t.Context(), test.o, test.s.run)
			if err != nil {
				t.Fatal(err)
			}
			if r.Limit != test.want || !strings.Contains(r.Why, test.why) || r.Rate < test.low || r.Rate > test.high ||
				(r.High > 0) != test.upper || !r.Confirmed {
				t.Errorf("%g to %g, %s: %s, confirmed %v", r.Rate, r.High, r.Limit, r.Why, r.Confirmed)
			}
			for _, step := range r.Steps {
				if (step.Verdict == capacity.Held || step.Verdict == capacity.Measured) != (step.Why == "") {
					t.Errorf("step at %g: %s: %q", step.Requested, step.Verdict, step.Why)
				}
			}
		})
	}
}

// TestShort checks that a rate at which the objectives are met is not held if it was not sent.
func TestShort(t *testing.T) {
	for _, test := range []struct {
		name string
		r    load.Result
		want capacity.Verdict
	}{
		{"all sent", load.Result{Requests: 5000, Elapsed: 5 * time.Second}, capacity.Held},
		{"97% sent", load.Result{Requests: 4850, Elapsed: 5 * time.Second}, capacity.Held},
		{"fewer sent", load.Result{Requests: 4840, Elapsed: 5 * time.Second}, capacity.Missed},
		{
			"the rest in flight",
			load.Result{Requests: 4840, Unfinished: 100, Connections: 10, Elapsed: 5 * time.Second},
			capacity.Held,
		},
		{
			"more cut off than in flight",
			load.Result{Requests: 4800, Unfinished: 4800, Connections: 10, Elapsed: 5 * time.Second},
			capacity.Missed,
		},
		{
			"by chance",
			load.Result{Requests: 4840, Elapsed: 5 * time.Second, Open: &load.Open{Arrivals: load.Poisson}},
			capacity.Held,
		},
		{
			"waited",
			load.Result{Requests: 4000, Elapsed: 5 * time.Second, SendDelay: &load.SendDelay{Waited: 1}},
			capacity.Busy,
		},
	} {
		test.r.Responses = test.r.Requests
		r, err := capacity.Search(t.Context(), capacity.Options{
			Min: 1000, Max: 1000, SLO: objectives(t, "p99<50ms"),
		}, func(context.Context, load.Options) (*load.Result, error) { return &test.r, nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Steps[0].Verdict; got != test.want || len(r.Steps) != 2 {
			t.Errorf("%s: %s after %d steps, want %s", test.name, got, len(r.Steps), test.want)
		}
	}
}

func TestStepsAndProgress(t *testing.T) {
	var seen []capacity.Step
	var last capacity.Progress
	s := &server{mu: 10_000}
	var warmups []time.Duration
	r, err := capacity.Search(t.Context(), capacity.Options{
		Load: load.Options{URL: "http://127.0.0.1/", Arrivals: load.Poisson},
		SLO:  objectives(t, "p50<7ms"), Step: 2 * time.Second,
		Progress: func(p capacity.Progress) {
			seen, last = append(seen, p.Step), p
			if p.Low > 0 && p.High > 0 && p.Low >= p.High || p.Remaining < 0 || p.Remaining > time.Minute {
				t.Errorf("progress %+v", p)
			}
		},
	}, func(ctx context.Context, o load.Options) (*load.Result, error) {
		warmups = append(warmups, o.Warmup)
		if o.Duration != 2*time.Second || (o.Rate == 0) != (o.Arrivals == "") {
			t.Errorf("%s at rate %g, arrivals %q", o.Duration, o.Rate, o.Arrivals)
		}
		return s.run(ctx, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Steps, seen); diff != "" {
		t.Errorf("progress and steps differ:\n%s", diff)
	}
	if last.Low != r.Rate || last.High != r.High || last.Remaining != 0 {
		t.Errorf("last progress %+v, result %g to %g", last, r.Rate, r.High)
	}
	kinds := map[string]int{}
	for i, step := range r.Steps {
		kinds[step.Kind]++
		if warmups[i] != capacity.DefaultWarmup || step.Latency.HDR != "" || step.Achieved == 0 ||
			(step.Kind == capacity.Confirm) != (step.Run > 1) {
			t.Errorf("step %+v after warm-up of %v", step, warmups[i])
		}
	}
	if kinds[capacity.Probe] != 1 || kinds[capacity.Climb] < 2 || kinds[capacity.Bisect] < 2 ||
		kinds[capacity.Confirm] != 2 {
		t.Errorf("kinds of steps: %v", kinds)
	}
	if r.Schema != capacity.Schema || r.Targets[0] != "http://127.0.0.1/" || r.Knee == nil ||
		r.Knee.Metric != compare.P50 || r.Knee.Rate > r.High {
		t.Errorf("result %+v, knee %+v", r, r.Knee)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		`"schema":"whet.capacity/2"`, `"rate":`, `"high":`, `"limit":"server"`,
		`"steps":[{"kind":"probe"`, `"knee":{"rate":`, `"elapsed_ns":`,
	} {
		if !bytes.Contains(data, []byte(key)) {
			t.Errorf("JSON has no %s:\n%.600s", key, data)
		}
	}
}

func TestWarnings(t *testing.T) {
	for step, want := range map[time.Duration]load.Warnings{
		time.Second: {{
			Kind: load.TooShort, Text: "100 answers at 100/s are too few for p99, which needs 1000",
			Hint: "make the steps longer than 10s",
		}},
		10 * time.Second: nil,
	} {
		s := &server{mu: 1000}
		r, err := capacity.Search(t.Context(), capacity.Options{
			Min: 100, Max: 100, Step: step, SLO: objectives(t, "p90<1s,p99<1s,errors<1%,max<1m"),
		}, s.run)
		if err != nil || !slices.Equal(r.Warnings, want) {
			t.Errorf("steps of %v: warnings %q, error %v; want %q", step, r.Warnings, err, want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	for after := range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		s := &server{mu: 10_000}
		r, err := capacity.Search(ctx, capacity.Options{
			Min: 1000, SLO: objectives(t, "p99<50ms"),
		}, func(ctx context.Context, o load.Options) (*load.Result, error) {
			if s.runs == after {
				cancel()
				r, err := s.run(ctx, o)
				r.Interrupted, r.Latency.P99 = true, time.Hour
				return r, err
			}
			return s.run(ctx, o)
		})
		cancel()
		if err != nil || !r.Interrupted || r.Confirmed || len(r.Steps) != after+1 ||
			r.Steps[after].Verdict != capacity.Interrupted {
			t.Fatalf("after %d: %+v, %v", after, r, err)
		}
		if after >= 1 && (r.Rate < 1000 || r.Rate > 10_000) {
			t.Errorf("after %d: rate %g is lost", after, r.Rate)
		}
		if after < 4 && (r.Limit != capacity.LimitUnknown || r.Why != "the search was interrupted") {
			t.Errorf("after %d: %s: %s", after, r.Limit, r.Why)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := capacity.Search(
		ctx, capacity.Options{SLO: objectives(t, "p99<1s")}, (&server{}).run,
	); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled at once: %v, %v", r, err)
	}
	// A run that was complete when the search was canceled counts.
	ctx, cancel = context.WithCancel(t.Context())
	s := &server{mu: 10_000}
	r, err := capacity.Search(ctx, capacity.Options{
		Min: 1000, SLO: objectives(t, "p99<50ms"),
	}, func(ctx context.Context, o load.Options) (*load.Result, error) {
		cancel()
		return s.run(ctx, o)
	})
	if err != nil || !r.Interrupted || r.Rate != 1000 {
		t.Errorf("canceled after a run: %+v, %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("no more sockets")
	s := &server{mu: 10_000}
	r, err := capacity.Search(t.Context(), capacity.Options{
		Min: 1000, SLO: objectives(t, "p99<50ms"),
	}, func(ctx context.Context, o load.Options) (*load.Result, error) {
		if s.runs == 3 {
			return nil, broken
		}
		return s.run(ctx, o)
	})
	if !errors.Is(err, broken) || r == nil || r.Rate != 4000 || r.Confirmed || r.Limit != capacity.LimitUnknown {
		t.Errorf("a load that cannot be run: %+v, %v", r, err)
	}
	silent := func(context.Context, load.Options) (*load.Result, error) {
		return &load.Result{Requests: 5, Errors: load.Errors{Connect: 5}, Elapsed: time.Second}, errors.New("no answers")
	}
	if r, err := capacity.Search(
		t.Context(), capacity.Options{SLO: objectives(t, "p99<50ms")}, silent,
	); r != nil || err == nil {
		t.Errorf("a server that does not answer the probe: %+v, %v", r, err)
	}
	r, err = capacity.Search(t.Context(), capacity.Options{Min: 10, SLO: objectives(t, "p99<50ms")}, silent)
	if err != nil || r.Rate != 0 || !r.Confirmed || r.Steps[0].Errors != 1 || r.Knee != nil ||
		!strings.Contains(r.Why, "no answers") {
		t.Errorf("a server that does not answer: %+v, %v", r, err)
	}
}

func TestOptions(t *testing.T) {
	good := objectives(t, "p99<50ms")
	for name, o := range map[string]capacity.Options{
		"no objectives":            {},
		"the rate as an objective": {SLO: objectives(t, "p99<1s,rate>5")},
		"a rate":                   {SLO: good, Load: load.Options{Rate: 1}},
		"a number of requests":     {SLO: good, Load: load.Options{Requests: 1}},
		"a duration":               {SLO: good, Load: load.Options{Duration: 1}},
		"a negative rate":          {SLO: good, Min: -1},
		"no number":                {SLO: good, Max: math.NaN()},
		"exchanged rates":          {SLO: good, Min: 2, Max: 1},
		"a negative step":          {SLO: good, Step: -1},
		"a precision of 500%":      {SLO: good, Precision: 5},
	} {
		s := &server{mu: 1000}
		r, err := capacity.Search(t.Context(), o, s.run)
		var e *load.Error
		if r != nil || !errors.As(err, &e) || e.Hint == "" || s.runs > 0 {
			t.Errorf("%s: %v, %v after %d runs", name, r, err, s.runs)
		}
	}
}
