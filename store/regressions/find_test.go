package regressions

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/whet-go/whet/store/regressions/fleettest"
)

// A score counts what was right in reports about a fleet.
type score struct {
	planted, found, reported, wrong int
	shifts, filtered                int // planted shifts and warm-ups; those that are not reported as a regression
	named                           int // shifts that are reported with both functions
}

// truth returns what a service's victim is expected to be reported as: the hour and how far off it
// may be.
func truth(s *fleettest.Service) (hour, off int, slower bool) {
	switch s.Plan {
	case fleettest.Slower:
		return s.Second, 0, true
	case fleettest.Drift:
		return s.Drift, 8, true
	default:
		return 0, 0, false
	}
}

// rate compares a report with what was planted.
func rate(t testing.TB, r *Report, services []*fleettest.Service) score {
	var out score
	byName := map[string]*fleettest.Service{}
	for _, s := range services {
		byName[s.Name] = s
		switch _, _, slower := truth(s); {
		case slower:
			out.planted++
		case s.Plan != fleettest.Nothing:
			out.shifts++
			out.filtered++
		}
	}
	for _, c := range append(append([]Change{}, r.Regressions...), r.Improvements...) {
		s := byName[c.Service]
		hour, off, slower := truth(s)
		got := int(c.At.Sub(fleettest.Epoch()) / time.Hour)
		out.reported++
		if slower && c.Function == s.Victim && c.Change > 0 && max(got-hour, hour-got) <= off {
			out.found++
			continue
		}
		out.wrong++
		if !slower && (c.Function == s.Victim || c.Function == s.Taker) {
			out.filtered--
		}
		t.Logf("false: %s (%v, deploys %d %d, drift %d, victim %s) at %d: %s %+v", s.Name, s.Plan, s.First, s.Second, s.Drift,
			s.Victim, got, c.Function, c.Effect)
	}
	for _, x := range r.Shifts {
		s := byName[x.Service]
		if x.To.Function == s.Taker && len(x.From) == 1 && x.From[0].Function == s.Victim {
			out.named++
		}
	}
	return out
}

func makeFleet(o fleettest.Options, seed uint64, n int) fleettest.Fleet {
	return planned(o, seed, n, fleettest.Plans())
}

// planned returns services with plans in turn.
func planned(o fleettest.Options, seed uint64, n int, plans []fleettest.Plan) fleettest.Fleet {
	var f fleettest.Fleet
	for i := range n {
		f = append(f, fleettest.New(o, seed, i, plans[i%len(plans)]))
	}
	return f
}

// TestFleet expects the changes of a fleet to be found, and little else.
func TestFleet(t *testing.T) {
	services := 12
	if testing.Short() {
		services = 6
	}
	f := makeFleet(fleettest.Options{}, 1, services)
	r, err := Find(context.Background(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := rate(t, r, f)
	t.Logf("%+v, %d tests", got, r.Tested)
	if float64(got.found) < 0.95*float64(got.planted) {
		t.Errorf("found %d of %d", got.found, got.planted)
	}
	if float64(got.wrong) > 0.05*float64(got.reported) {
		t.Errorf("%d of %d reported changes are false", got.wrong, got.reported)
	}
	if got.filtered != got.shifts {
		t.Errorf("%d of %d shifts and warm-ups are not reported as regressions", got.filtered, got.shifts)
	}
	for _, c := range r.Regressions {
		if !(c.Low < c.Change && c.Change < c.High) || math.IsInf(c.High, 0) || c.Q > r.Q {
			t.Errorf("%s: %+v", c.Function, c.Effect)
		}
	}
}
