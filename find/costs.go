package find

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/module"
	"github.com/whet-go/whet/internal/find/patterns"
	"github.com/whet-go/whet/profile"
)

// lineCosts is what profiles charge to the lines of a module.
type lineCosts struct {
	module   *module.Module
	source   *matcher // of the module
	ledgers  []*ledger
	places   map[sourceLine]charges
	stale    []Stale
	minShare float64 // of any total; lines below it are not reported

	background float64 // share of the CPU time spent in the collector's own goroutines
}

// chargeLines charges profiles to the lines of a module. The accounts distinguish the patterns.
func chargeLines(
	ctx context.Context, p Profiles, m *module.Module, pats *patterns.Set, o Options,
) (*lineCosts, error) {
	o.Progress("read profiles")
	ledgers := p.ledgers(ctx, o.Own, pats)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if len(ledgers) == 0 {
		return nil, &diag.Error{
			Op: "find", Err: errors.New("the profiles contain no samples"),
			Hint: "record the program under load: `whet record TARGET --load URL`",
		}
	}
	c := &lineCosts{module: m, source: newMatcher(m, o.Recorded), ledgers: ledgers, minShare: o.MinShare}
	if l := c.ledger(CPU); l != nil {
		c.background = share(l.gc.Background, l.total)
	}
	if o.OriginalDir == "" {
		c.places, c.stale = c.source.join(ledgers)
		return c, nil
	}
	was, err := module.Find(o.OriginalDir)
	if err != nil {
		return nil, err
	}
	c.places, c.stale = newMatcher(was, o.Recorded).join(ledgers)
	c.places, err = follow(c.places, was, m)
	return c, err
}

// ledgers reads the profiles, each cost in its own goroutine. They are not complete if ctx ends.
func (p Profiles) ledgers(ctx context.Context, own func(profile.Function) bool, pats *patterns.Set) []*ledger {
	all := make([]*ledger, len(costs()))
	var wg sync.WaitGroup
	for i, cost := range costs() {
		prof, typ := p.of(cost)
		if prof == nil {
			continue
		}
		wg.Go(func() { all[i] = newLedger(ctx, prof, cost, typ, own, pats) })
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(l *ledger) bool { return l == nil || l.total == 0 })
}

// of returns the profile that contains a cost, and the name of the sample type there.
func (p Profiles) of(cost Cost) (prof *profile.Profile, sampleType string) {
	switch cost {
	case CPU:
		return p.CPU, "cpu"
	case AllocSpace:
		return p.Allocs, "alloc_space"
	case AllocObjects:
		return p.Allocs, "alloc_objects"
	case Mutex:
		return p.Mutex, "delay"
	case Block:
		return p.Block, "delay"
	}
	return nil, ""
}

// ledger returns the ledger of a cost, or nil.
func (c *lineCosts) ledger(cost Cost) *ledger {
	i := slices.IndexFunc(c.ledgers, func(l *ledger) bool { return l.cost == cost })
	if i < 0 {
		return nil
	}
	return c.ledgers[i]
}

// total returns the total of a cost; 0 if it was not recorded.
func (c *lineCosts) total(cost Cost) int64 {
	if l := c.ledger(cost); l != nil {
		return l.total
	}
	return 0
}

func (c *lineCosts) totals() []Total {
	var totals []Total
	for _, l := range c.ledgers {
		totals = append(totals, Total{Cost: l.cost, Unit: l.unit, Value: l.total, Own: l.own})
	}
	return totals
}

// value returns what a line is charged.
func (c *lineCosts) value(at sourceLine, cost Cost) int64 {
	var sum int64
	for _, a := range c.places[at][cost] {
		sum += a.value
	}
	return sum
}

// hot reports whether one of the costs of a line reaches the minimum share.
func (c *lineCosts) hot(at sourceLine) bool {
	return slices.ContainsFunc(c.ledgers, func(l *ledger) bool {
		return share(c.value(at, l.cost), l.total) >= c.minShare
	})
}

// busy reports whether the CPU time or memory of a line reaches the minimum share.
func (c *lineCosts) busy(at sourceLine) bool {
	return slices.ContainsFunc(c.ledgers, func(l *ledger) bool {
		return l.cost != Mutex && l.cost != Block && share(c.value(at, l.cost), l.total) >= c.minShare
	})
}

// evidence returns values with their shares of the profiles. Parts of samples are rounded down, so
// that the sum over all findings is at most the total.
func (c *lineCosts) evidence(values map[Cost]float64) []Evidence {
	list := []Evidence{}
	for _, l := range c.ledgers {
		if v := int64(values[l.cost] + 1e-3); v != 0 {
			list = append(list, Evidence{Cost: l.cost, Value: v, Share: share(v, l.total)})
		}
	}
	return list
}

// saving returns the charged share of the CPU time, plus the share of the collector's work.
func (c *lineCosts) saving(evidence []Evidence) float64 {
	sum := 0.0
	for _, e := range evidence {
		switch e.Cost {
		case CPU:
			sum += e.Share
		case AllocSpace:
			sum += c.background * e.Share
		case AllocObjects, Mutex, Block:
		}
	}
	return sum
}

// Charged is what profiles charge to the lines of a module.
type Charged struct {
	Module string // module path
	Dir    string
	Totals []Total
	Stale  []Stale

	costs *lineCosts
}

// Charge charges profiles to the lines of a module, as Find does, without looking for causes.
func Charge(ctx context.Context, p Profiles, o Options) (*Charged, error) {
	m, err := module.Find(o.Dir)
	if err != nil {
		return nil, err
	}
	c, err := chargeLines(ctx, p, m, &patterns.Set{}, o.complete(m, p))
	if err != nil {
		return nil, err
	}
	if err := c.checkFound(); err != nil {
		return nil, err
	}
	return &Charged{Module: m.Path, Dir: m.Dir, Totals: c.totals(), Stale: c.stale, costs: c}, nil
}

// Line returns what the profiles charge to a line of a file, or nil. The file's path is relative to the module, with
// slashes. cost is the line's share of the CPU time, including the collector's share for what it allocates.
func (c *Charged) Line(file string, line int) (evidence []Evidence, cost float64) {
	for _, l := range c.costs.ledgers {
		if v := c.costs.value(sourceLine{file, line}, l.cost); v != 0 {
			evidence = append(evidence, Evidence{Cost: l.cost, Value: v, Share: share(v, l.total)})
		}
	}
	return evidence, c.costs.saving(evidence)
}

// ModuleOf returns the path and the root of the module that contains dir.
func ModuleOf(dir string) (path, root string, err error) {
	m, err := module.Find(dir)
	if err != nil {
		return "", "", err
	}
	return m.Path, m.Dir, nil
}
