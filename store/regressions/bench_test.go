package regressions

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

// Fleets that are measured.
const (
	fleets       = 10
	fleetSize    = 24
	firstSeed    = 1000
	diffLimit    = 0.0004 // of a share, at which the diff without statistics reports
	detectFleets = 2      // for the time to detect
	otherFleets  = 2      // of each other kind
)

// horizons are hours after a change.
func horizons() []int { return []int{1, 2, 4, 6, 8, 12, 16, 24, 36, 48} }

// panelsOf reads the panels of a fleet.
func panelsOf(b *testing.B, f fleettest.Fleet) (Options, []*panel) {
	var o Options
	o.defaults()
	l := loader{r: f, o: o}
	series, err := f.Series(context.Background(), store.Query{})
	if err != nil {
		b.Fatal(err)
	}
	var out []*panel
	for _, s := range f {
		own := slices.DeleteFunc(slices.Clone(series), func(x store.Series) bool { return x.Service != s.Name })
		from, step, slots, err := o.slotting(series[0].First, series[len(series)-1].Last)
		if err != nil {
			b.Fatal(err)
		}
		p, err := l.load(context.Background(), s.Name, own, from, step, slots)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, p)
	}
	return o, out
}

// whole returns copies that judge may change.
func whole(panels []*panel) []*panel {
	var out []*panel
	for _, p := range panels {
		out = append(out, p.until(p.slots))
	}
	return out
}

// A diffScore is how right a diff of two merged profiles is.
type diffScore struct{ planted, first, top, found, reported int }

// diff compares the day before the second deploy with the day after it, as merged profiles.
func (d *diffScore) diff(s *fleettest.Service, p *panel) {
	const day = 24
	type change struct {
		name string
		by   float64
	}
	var all []change
	for _, x := range p.subjects {
		if x.line {
			continue
		}
		var cost, total [2]float64
		for i, c := range p.cells {
			side := 0
			switch {
			case c.slot >= s.Second+3 && c.slot < s.Second+3+day:
				side = 1
			case c.slot >= s.Second || c.slot < s.Second-day:
				continue
			}
			cost[side] += float64(x.share[i]) * c.total
			total[side] += c.total
		}
		all = append(all, change{x.function, cost[1]/total[1] - cost[0]/total[0]})
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(b.by, a.by) })
	slower := s.Plan == fleettest.Slower
	if slower {
		d.planted++
	}
	for i, c := range all {
		right := slower && c.name == s.Victim
		if math.Abs(c.by) >= diffLimit {
			d.reported++
			if right {
				d.found++
			}
		}
		if right && i == 0 {
			d.first++
		}
		if right && i < 5 {
			d.top++
		}
	}
}

// BenchmarkFleets writes docs/measured/regressions.md to the file that WHET_REGRESSIONS_PAGE names.
func BenchmarkFleets(b *testing.B) {
	file := os.Getenv("WHET_REGRESSIONS_PAGE")
	if file == "" {
		b.Skip("set WHET_REGRESSIONS_PAGE to the file to write")
	}
	for b.Loop() {
		if err := os.WriteFile(filepath.Clean(file), []byte(measure(b)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// measure returns the page.
func measure(b *testing.B) string {
	var sum score
	var diff diffScore
	inside, intervals, tested := 0, 0, 0
	early := map[int]int{}
	late, watched := map[int]int{}, 0
	var reading, judging time.Duration
	for n := range fleets {
		f := makeFleet(fleettest.Options{}, firstSeed+uint64(n), fleetSize)
		began := time.Now()
		o, panels := panelsOf(b, f)
		reading += time.Since(began)
		began = time.Now()
		r := judge(o, whole(panels))
		judging += time.Since(began)
		sum.add(rate(b, r, f))
		tested += r.Tested
		for _, c := range r.Regressions {
			if s := serviceOf(f, c.Service); c.Function == s.Victim && s.Plan == fleettest.Slower {
				intervals++
				if low, high := c.Low/c.Before, c.High/c.Before; low <= 0.05 && 0.05 <= high {
					inside++
				}
			}
		}
		for i, p := range panels {
			diff.diff(f[i], p)
		}
		if n >= detectFleets {
			continue
		}
		for _, h := range horizons() {
			var cut []*panel
			for i, p := range panels {
				hour, _, slower := truth(f[i])
				if !slower {
					hour = f[i].Second
				}
				// A rolling deploy takes three hours; it counts from its first host.
				cut = append(cut, p.until(min(hour+h, p.slots)))
			}
			got := rate(b, judge(o, cut), f)
			early[h] += got.found
			late[h] += got.wrong
			if h == horizons()[0] {
				watched += got.planted
			}
		}
	}
	var sizes strings.Builder
	for _, by := range []float64{0.02, 0.03, 0.10} {
		f := makeFleet(fleettest.Options{Slower: by}, firstSeed+fleets, fleetSize)
		o, panels := panelsOf(b, f)
		got := rate(b, judge(o, panels), f)
		fmt.Fprintf(&sizes, "| %.0f%% | %d of %d | %d of %d |\n", 100*by, got.found, got.planted, got.wrong, got.reported)
	}
	var others strings.Builder
	for _, k := range []struct {
		what  string
		o     fleettest.Options
		plans []fleettest.Plan
	}{
		{"hosts are three times as noisy, and disturbed five times as often", fleettest.Options{
			Noise: 0.09, Neighbors: 0.05,
		}, nil},
		{"costs follow the load three times as much", fleettest.Options{Season: 0.36}, nil},
		{"hours of the whole service differ three times as much", fleettest.Options{Shocks: 0.03}, nil},
		{"a tenth of the samples", fleettest.Options{Samples: 3000}, nil},
		{"4 hosts instead of 20", fleettest.Options{Hosts: 4}, nil},
		{"deploys that change nothing", fleettest.Options{}, []fleettest.Plan{fleettest.Nothing}},
		{"costs that move", fleettest.Options{}, []fleettest.Plan{fleettest.Moved, fleettest.TakenOver, fleettest.Warmup}},
	} {
		plans := k.plans
		if plans == nil {
			plans = fleettest.Plans()
		}
		var got score
		for n := range otherFleets {
			f := planned(k.o, firstSeed+fleets+1+uint64(n), fleetSize, plans)
			o, panels := panelsOf(b, f)
			got.add(rate(b, judge(o, panels), f))
		}
		fmt.Fprintf(&others, "| %s | %d of %d | %d of %d | %d of %d |\n", k.what, got.found, got.planted, got.wrong,
			got.reported, got.filtered, got.shifts)
	}
	share := func(n, of int) string {
		return fmt.Sprintf("%d of %d (%.0f%%)", n, of, 100*float64(n)/float64(max(of, 1)))
	}
	var page strings.Builder
	fmt.Fprintf(&page, `# Regressions, measured

Written by %s. The profiles are generated
(%s): %d fleets of %d services, each with 20 hosts, 8 days, an hour a
slot and 30000 samples in it, 60 own functions of 120 lines. Hosts differ by 8%% in what a function
costs, hours of a host by 3%%, hours of the whole service by about 1%%, with correlation; a neighbor
disturbs a host now and then; the load of a day changes what functions cost by 12%%, and no day is
quite like the other.

Each service has two rolling deploys. The first changes nothing but line numbers. At the second, or
between them, one of six things happens: nothing; a function of 1%% of the cost gets 5%% slower at
the deploy, or between deploys; a third of its cost moves to a new function, or to its caller; or it
is 30%% slower for five hours. Only the slower ones are regressions; everything else that is
reported as a regression or as an improvement is false.

| | goal | whet query regressions |
|---|---|---|
`, "`make bench-regressions`", "`store/regressions/fleettest`", fleets, fleetSize)
	fmt.Fprintf(&page, "| planted changes found | 95%% | %s |\n", share(sum.found, sum.planted))
	fmt.Fprintf(&page, "| false among those reported | at most 5%% | %s |\n", share(sum.wrong, sum.reported))
	fmt.Fprintf(&page, "| shifts and warm-ups not reported as a regression | | %s |\n", share(sum.filtered, sum.shifts))
	fmt.Fprintf(&page, "| shifts reported with both functions | | %s |\n", share(sum.named, sum.shifts*2/3))
	fmt.Fprintf(&page, "| 95%% intervals that contain the planted 5%% | 95%% | %s |\n", share(inside, intervals))
	fmt.Fprintf(&page, `
%d tests were adjusted for, about %d in each fleet. For one fleet, %d profiles, reading
took %s and testing %s, on %s/%s with %d CPUs while other programs ran.

The same data compared as Pyroscope and pprof compare, the profile of the day before the second
deploy with that of the day after it: the function that got slower has the largest increase of all
in %s services, and is among the five largest in %s. Of the changes of at
least %.2f%% of all cost, %s find it while %s are something else.

## Time to detect

How many of the changes of %d fleets are found when profiles end so many hours after the change, and
how many other changes are reported then. A deploy takes three hours, and counts from its first
host. A warm-up counts as false until it is seen to have ended.

| hours | found | false |
|---|---|---|
`, tested, tested/fleets, 24*8*20*fleetSize, (reading / fleets).Round(time.Second), (judging / fleets).Round(time.Second/10),
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), share(diff.first, diff.planted), share(diff.top, diff.planted),
		100*diffLimit, share(diff.found, diff.planted), share(diff.reported-diff.found, diff.reported), detectFleets)
	for _, h := range horizons() {
		fmt.Fprintf(&page, "| %d | %s | %d |\n", h, share(early[h], watched), late[h])
	}
	fmt.Fprintf(&page, `
## Other sizes

One fleet each, in which functions of 1%% of the cost get slower by other amounts.

| slower by | found | false |
|---|---|---|
%s
## Other fleets

%d fleets each, which differ in one way. Where noise is larger, smaller changes are not found; they
must not be reported falsely.

| fleets | found | false among those reported | shifts and warm-ups not reported |
|---|---|---|---|
%s`, sizes.String(), otherFleets, others.String())
	return page.String()
}

func serviceOf(f fleettest.Fleet, name string) *fleettest.Service {
	return f[slices.IndexFunc(f, func(s *fleettest.Service) bool { return s.Name == name })]
}

// add adds another score.
func (s *score) add(o score) {
	s.planted += o.planted
	s.found += o.found
	s.reported += o.reported
	s.wrong += o.wrong
	s.shifts += o.shifts
	s.filtered += o.filtered
	s.named += o.named
}
