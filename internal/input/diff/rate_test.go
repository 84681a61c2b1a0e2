package diff

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/recordingtest"
	"github.com/whet-go/whet/recording/work"
)

// loaded returns a recording with a load of the given length, whose requests have the given cost in
// each function, and with a profile that loses some of the ticks.
func loaded(t *testing.T, r *rand.Rand, seconds int, rate float64, cost map[string]float64,
	lost float64,
) (*recording.Recording, *profile.Profile) {
	t.Helper()
	total := 0.0
	for _, c := range cost {
		total += c
	}
	begin := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	l := &load.Result{Schema: load.Schema, Started: begin, Elapsed: time.Duration(seconds) * time.Second}
	for i := range seconds {
		n := rate * (1 + 0.1*r.NormFloat64())
		l.Seconds = append(l.Seconds, load.Second{
			Start: time.Duration(i) * time.Second, Elapsed: time.Second, Responses: int64(n),
			TargetCPU: time.Duration(math.Floor(n) * total * (1 + 0.02*r.NormFloat64())),
		})
	}
	stacks := make(map[string]int64)
	for name, c := range cost {
		// Ticks of 10 ms.
		stacks[name] = poisson(r, float64(seconds)*rate*c/1e7*(1-lost))
	}
	p := ticks(t, stacks)
	return recordingtest.Open(t, l, recordingtest.Profile{
		Name: "cpu", Profile: p, Part: recording.Part{Start: begin, End: begin.Add(time.Duration(seconds) * time.Second)},
	}), p
}

// TestDiffPerRequest compares pairs of recordings with planted changes of 5% of the total,
// different amounts of work and lost ticks: costs per request are right for the total and for
// functions.
func TestDiffPerRequest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	const pairs = 60
	missedTotal, wrongTotal, found, missed, entries := 0, 0, 0, 0, 0
	for i := range pairs {
		planted := float64(i%3-1) * 0.05
		before := map[string]float64{"main.f": 5e6, "main.g": 3e6, "main.h": 2e6}
		after := map[string]float64{"main.f": 5e6 + planted*1e7, "main.g": 3e6, "main.h": 2e6}
		sides := [2]Input{}
		var counted [2]work.Profile
		for s, cost := range []map[string]float64{before, after} {
			rec, p := loaded(t, r, 10+r.IntN(20), 50+100*r.Float64(), cost, 0.1*r.Float64())
			sides[s] = diffSide(t, "x", p, profile.ByFunction)
			counted[s] = work.Profile{Recording: rec, Profile: "cpu"}
		}
		pair, err := work.Between(counted[0], counted[1])
		if err != nil {
			t.Fatal(err)
		}
		d, err := New(sides[0], sides[1], Options{Work: pair})
		if err != nil {
			t.Fatal(err)
		}
		total := d.Total.PerRequest
		if planted < *total.Low || planted > *total.High {
			missedTotal++
		}
		if claim := total.Verdict == work.More || total.Verdict == work.Less; claim &&
			(planted == 0 || (total.Verdict == work.More) != (planted > 0)) {
			wrongTotal++
		} else if claim {
			found++
		}
		for _, e := range d.Entries {
			entries++
			if truth := after[e.Name]/before[e.Name] - 1; truth < *e.Flat.PerRequest.Low || truth > *e.Flat.PerRequest.High {
				missed++
			}
		}
	}
	t.Logf("of %d pairs, %d intervals miss, %d verdicts are wrong, %d of %d changes found; %d of %d functions miss", pairs,
		missedTotal, wrongTotal, found, pairs*2/3, missed, entries)
	// 1% may miss; these limits are exceeded once in a thousand runs.
	if missedTotal > 4 || wrongTotal > 3 || found < pairs*2/3*9/10 || missed > 8 {
		t.Error("more are wrong than one in a hundred")
	}
}
