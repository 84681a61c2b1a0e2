package work_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/recordingtest"
	"github.com/whet-go/whet/recording/work"
)

func start() time.Time { return time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC) }

// steady returns a load with the same number of requests in each second, which cost cpu.
func steady(seconds int, requests int64, cpu time.Duration) *load.Result {
	r := &load.Result{
		Schema: load.Schema, Targets: []string{"http://127.0.0.1:8080/pad?n=1"}, Started: start(), Status: map[int]int64{},
	}
	for i := range seconds {
		r.Seconds = append(r.Seconds, load.Second{
			Start: time.Duration(i) * time.Second, Elapsed: time.Second, Responses: requests,
			// A pattern that adds some noise.
			TargetCPU: time.Duration(requests) * (cpu + time.Duration(i%3-1)*cpu/100),
		})
		r.Requests, r.Responses, r.Status[200] = r.Requests+requests, r.Responses+requests, r.Status[200]+requests
	}
	r.Elapsed = time.Duration(seconds) * time.Second
	return r
}

type part struct {
	name     string
	from, to time.Duration // since start
	note     string
}

// record writes a recording with a load (if any) and empty profiles, and opens it.
func record(t *testing.T, l *load.Result, parts ...part) *recording.Recording {
	t.Helper()
	var profiles []recordingtest.Profile
	for _, p := range parts {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		profiles = append(profiles, recordingtest.Profile{
			Name: p.name, Profile: b.Profile(&profile.Profile{}),
			Part: recording.Part{Start: start().Add(p.from), End: start().Add(p.to), Note: p.note},
		})
	}
	if l == nil {
		return recordingtest.Open(t, nil, profiles...)
	}
	return recordingtest.Open(t, l, profiles...)
}

// A profile is divided by the requests in its window.
func TestWindows(t *testing.T) {
	rec := record(t, steady(10, 100, time.Millisecond),
		part{name: "cpu", from: 2 * time.Second, to: 6500 * time.Millisecond},
		part{name: "heap", from: -time.Second, to: 11 * time.Second})
	for name, want := range map[string]float64{"cpu": 450, "heap": 1000} {
		p := work.Profile{Name: "a", Recording: rec, Profile: name}
		pair, err := work.Between(p, p)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(pair.A.Requests-want) > 0.01 || pair.A.Source != work.Load {
			t.Errorf("%s: %v requests by %s, want %v", name, pair.A.Requests, pair.A.Source, want)
		}
		if got := pair.A.CPU; got < 985*time.Microsecond || got > 1015*time.Microsecond {
			t.Errorf("%s: a request costs %v by the clock, want about 1ms", name, got)
		}
	}
}

func TestNothingToCount(t *testing.T) {
	warm := steady(10, 100, time.Millisecond)
	warm.Warmup = 2 * time.Second
	window := part{name: "cpu", to: 10 * time.Second}
	good := record(t, steady(10, 100, time.Millisecond), window)
	for name, c := range map[string]struct {
		rec    *recording.Recording
		reason string
		hint   string
	}{
		"a profile by itself": {
			nil, "b: a profile does not record how many requests were answered", "whet record --load URL",
		},
		"no load, no trace": {record(t, nil, window), "no load, and no trace", "whet record --load URL"},
		"of one moment":     {record(t, steady(10, 100, 1), part{name: "cpu"}), "b: its cpu profile is of one moment", ""},
		"restarted": {
			record(t, steady(10, 100, 1), part{name: "cpu", to: time.Second, note: "the target restarted; since then"}),
			"b: the target restarted", "",
		},
		"another window": {
			record(t, steady(10, 100, 1), part{name: "cpu", from: time.Minute, to: 2 * time.Minute}),
			"b: its load answered no request", "",
		},
		"warm-up in it": {
			record(t, warm, part{name: "cpu", from: -time.Second, to: 10 * time.Second}),
			"b: the warm-up of the load", "without warm-up",
		},
	} {
		_, err := work.Between(
			work.Profile{Name: "a", Recording: good, Profile: "cpu"},
			work.Profile{Name: "b", Recording: c.rec, Profile: "cpu"},
		)
		if err == nil || !strings.Contains(err.Error(), c.reason) || !strings.Contains(diag.Hint(err), c.hint) {
			t.Errorf("%s: got %v (hint %q), want %q (hint %q)", name, err, diag.Hint(err), c.reason, c.hint)
		}
	}
}

// Failed and different requests are different work.
func TestOtherWork(t *testing.T) {
	window := part{name: "cpu", to: 10 * time.Second}
	a := steady(10, 1000, time.Millisecond)
	failing, slightly, cut, elsewhere, another := steady(10, 1000, 1), steady(10, 1000, 1),
		steady(10, 1000, 1), steady(10, 1000, 1), steady(10, 1000, 1)
	failing.Status = map[int]int64{200: 7000, 500: 3000}
	slightly.Status = map[int]int64{200: 9950, 500: 50}
	cut.Responses, cut.Status, cut.Errors.Reset = 9000, map[int]int64{200: 9000}, 1000
	elsewhere.Targets = []string{"http://localhost:9/pad?n=1"}
	another.Targets = []string{"http://127.0.0.1:8080/pad?n=2"}
	for name, c := range map[string]struct {
		b     *load.Result
		text  string
		other bool
	}{
		"the same":       {a, "", false},
		"another port":   {elsewhere, "", false},
		"failing":        {failing, "requests differ: status 500 in 0% of A and 30% of B", true},
		"a few fail":     {slightly, "requests differ: status 500 in 0% of A and 0.5% of B", false},
		"no answer":      {cut, "requests differ: no complete answer in 0% of A and 10% of B", true},
		"another target": {another, "the loads have different targets: A [/pad?n=1], B [/pad?n=2]", true},
	} {
		pair, err := work.Between(
			work.Profile{Recording: record(t, a, window), Profile: "cpu"},
			work.Profile{Recording: record(t, c.b, window), Profile: "cpu"},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(pair.Differences, "; "); !strings.Contains(got, c.text) || c.text == "" && got != "" ||
			pair.Other != c.other {
			t.Errorf("%s: got %q, other %v; want %q, %v", name, got, pair.Other, c.text, c.other)
		}
	}
}

// TestRates checks the note on very different request rates, which there is none of in the closed
// model.
func TestRates(t *testing.T) {
	window := part{name: "cpu", to: 10 * time.Second}
	at := func(rate int64, open bool) *load.Result {
		r := steady(10, rate, time.Millisecond)
		if open {
			r.Open = &load.Open{Rate: float64(rate)}
		}
		return r
	}
	for _, c := range []struct {
		a, b *load.Result
		want string
	}{
		{at(100, true), at(1000, true), "100 per second in A and 1000 in B"},
		{at(1000, true), at(100, true), "1000 per second in A and 100 in B"},
		{at(100, true), at(120, true), ""},
		{at(100, false), at(1000, false), ""},
	} {
		pair, err := work.Between(
			work.Profile{Recording: record(t, c.a, window), Profile: "cpu"},
			work.Profile{Recording: record(t, c.b, window), Profile: "cpu"},
		)
		if err != nil {
			t.Fatal(err)
		}
		if (pair.Rates == "") != (c.want == "") || !strings.Contains(pair.Rates, c.want) {
			t.Errorf("%q, want %q", pair.Rates, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	known := func(v, variance float64) work.Rate {
		return work.Rate{Value: v, Variance: variance, Freedom: math.Inf(1)}
	}
	for _, c := range []struct {
		a, b work.Rate
		want work.Verdict
	}{
		{known(100, 1e-4), known(105, 1e-4), work.More},
		{known(100, 1e-4), known(95, 1e-4), work.Less},
		{known(100, 1e-4), known(102, 1e-4), work.Noise},
		{known(0, 0), known(102, 1e-4), work.Unknown},
		{known(100, math.NaN()), known(200, 0), work.Unknown},
		// The same with few degrees of freedom.
		{work.Rate{Value: 100, Variance: 1e-4, Freedom: 2}, work.Rate{Value: 105, Variance: 1e-4, Freedom: 2}, work.Noise},
	} {
		if got := work.Compare(c.a, c.b); got.Verdict != c.want {
			t.Errorf("%+v against %+v: %s, want %s", c.b, c.a, got.Verdict, c.want)
		}
	}
	// 2.5758 is the normal quantile of 99%.
	c := work.Compare(known(1, 0.0002), known(1, 0.0002))
	if want := math.Expm1(2.5758 * 0.02); math.Abs(*c.High-want) > 1e-4 {
		t.Errorf("high %v, want %v", *c.High, want)
	}
	if got := fmt.Sprint(
		work.PerRequest("cpu"), work.PerRequest("alloc_space"),
		work.PerRequest("inuse_space"), work.PerRequest("goroutine"),
	); got != "true true false false" {
		t.Error(got)
	}
}
