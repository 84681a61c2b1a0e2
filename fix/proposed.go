package fix

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/prove"
)

// DefaultBudget is for callers that try candidates of package find.
const DefaultBudget = 2 * time.Minute

// proposed tries the candidates of package find, the most promising first, until the budget is used up. Each is proven
// on top of what was kept before it. Once one is kept, the others of its line are skipped: the line is another one
// then.
func (f *fixer) proposed(ctx context.Context) {
	if f.o.Budget <= 0 || len(f.found.Candidates) == 0 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, f.o.Budget)
	defer cancel()
	kept := map[lineKey]bool{}
	list := promising(f.withoutTests(f.found.Candidates))
	for i := range list {
		c := &list[i]
		at := lineKey{c.Place.File, c.Place.Line}
		x := c.Finding()
		key := f.keyOf(&x)
		if kept[at] || f.done[key] > 0 {
			continue
		}
		f.o.Progress(fmt.Sprintf("candidate %d of %d: %s at %s", i+1, len(list), c.Change.Message, x.Where()))
		a := f.attempt(limited, &x)
		if limited.Err() != nil && !a.Kept() {
			f.outOfBudget(ctx, list[i:], kept)
			return // this one is undecided
		}
		f.done[key]++
		if a.Outcome == "" && !a.Kept() {
			a.Outcome = prove.OutcomeUnproven // it was not judged: what was kept changes the same code
		}
		a.key, a.weak = key, false // no rewrite of a rule is kept together with a candidate
		f.result.Attempts = append(f.result.Attempts, *a)
		kept[at] = kept[at] || a.Kept()
	}
}

// withoutTests returns the candidates that are not about tests, and lists the others as not tried.
func (f *fixer) withoutTests(all []find.Candidate) (list []find.Candidate) {
	for i := range all {
		c := &all[i]
		if !strings.HasSuffix(c.Place.File, "_test.go") {
			list = append(list, *c)
			continue
		}
		f.result.Untried = append(f.result.Untried, Untried{
			Title: c.Title, File: c.Place.File, Line: c.Place.Line, Function: c.Function, Share: c.Saving,
			Tier: find.Proposed, Reason: fmt.Sprintf("candidate, unproven: %s; a benchmark cannot judge a change of itself",
				lowerFirst(c.Change.Message)),
		})
	}
	return list
}

// promising returns candidates in the order in which they are tried: by what they can save, of which each further
// candidate of the same line counts half, so that the budget is not used up by one line. Those that can never be
// proven come last.
func promising(list []find.Candidate) []find.Candidate {
	list = slices.Clone(list)
	before, worth := map[lineKey]int{}, map[string]float64{}
	for i := range list {
		c := &list[i]
		at := lineKey{c.Place.File, c.Place.Line}
		worth[c.ID] = math.Ldexp(c.Saving, -before[at])
		if !c.Keeps {
			before[at]++
		}
	}
	slices.SortStableFunc(list, func(a, b find.Candidate) int {
		if a.Keeps != b.Keeps {
			if a.Keeps {
				return 1
			}
			return -1
		}
		return cmp.Compare(worth[b.ID], worth[a.ID])
	})
	return list
}

// A lineKey is a line of the module.
type lineKey struct {
	file string
	line int
}

// outOfBudget lists the candidates that were not tried.
func (f *fixer) outOfBudget(ctx context.Context, rest []find.Candidate, kept map[lineKey]bool) {
	if ctx.Err() != nil {
		return // the user has interrupted
	}
	for i := range rest {
		c := &rest[i]
		if kept[lineKey{c.Place.File, c.Place.Line}] {
			continue
		}
		f.result.Untried = append(f.result.Untried, Untried{
			Title: c.Title, File: c.Place.File, Line: c.Place.Line, Function: c.Function, Share: c.Saving,
			Tier: find.Proposed, Reason: fmt.Sprintf("candidate, unproven: %s; the budget of %v is used up",
				lowerFirst(c.Change.Message), f.o.Budget),
		})
	}
}

// failedBefore returns the candidates for a line that were dropped, for work orders.
func (f *fixer) failedBefore(t *target) (list []workorder.Failed) {
	for i := range f.result.Attempts {
		a := &f.result.Attempts[i]
		p := a.Finding.Places
		if a.Finding.Tier == find.Proposed && !a.Kept() && len(p) > 0 && a.Finding.Function == t.function &&
			p[0].File == t.place.File && p[0].Code == t.place.Code {
			list = append(list, workorder.Failed{Diff: a.Diff, Outcome: a.Outcome, Reason: a.Reason})
		}
	}
	return list
}
