package fix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/prove"
)

// rounds tries the findings, looks for more in what was kept, and repeats that until nothing new is
// kept. Rewrites that can only gain together are tried last.
func (f *fixer) rounds(ctx context.Context) {
	f.done = map[string]int{}
	f.edits = map[string][]rewrite.Edit{}
	for f.round = 1; f.round <= f.o.Rounds; f.round++ {
		f.result.Rounds = f.round
		kept := f.tryAll(ctx)
		if ctx.Err() != nil {
			return
		}
		if !kept || !f.findAgain(ctx) {
			break
		}
	}
	f.together(ctx)
}

// tryAll tries the rewrites of a round that have not been dropped for good, and reports whether one
// was kept.
func (f *fixer) tryAll(ctx context.Context) (kept bool) {
	left := maps.Clone(f.done)
	type rewriting struct {
		at  int
		key string
	}
	var todo []rewriting
	for i := range f.found.Findings {
		x := &f.found.Findings[i]
		if !x.Rewrites() {
			continue
		}
		key := f.keyOf(x)
		if left[key] > 0 {
			left[key]--
			continue
		}
		todo = append(todo, rewriting{i, key})
	}
	for n, one := range todo {
		i, key, x := one.at, one.key, &f.found.Findings[one.at]
		f.o.Tried(n, len(todo))
		round := ""
		if f.round > 1 {
			round = fmt.Sprintf("round %d, ", f.round)
		}
		f.o.Progress(fmt.Sprintf(
			"%s%d of %d: %s at %s:%d",
			round, i+1, len(f.found.Findings), x.Title, x.Places[0].File, x.Places[0].Line,
		))
		a := f.attempt(ctx, x)
		if ctx.Err() != nil {
			return kept // undecided attempts are not reported
		}
		a.key = key
		kept = kept || a.Kept()
		if !a.Kept() && !a.retry {
			f.done[key]++
		}
		f.result.Attempts = append(f.result.Attempts, *a)
	}
	f.o.Tried(len(todo), len(todo))
	return kept
}

// keyOf returns a key that identifies a rewrite across rounds, and changes if the rewrite does.
func (f *fixer) keyOf(x *find.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", x.Rule, x.Function)
	for _, e := range x.Fix.Files {
		original, err := f.prover.Original(e.File)
		for _, edit := range e.Edits {
			if err == nil && 0 <= edit.From && edit.From <= edit.To && edit.To <= len(original) {
				fmt.Fprintf(&b, "%s\n%q %q\n", e.File, original[edit.From:edit.To], edit.Text)
			}
		}
	}
	return b.String()
}

// findAgain looks for findings in the module with everything that was kept, for the next round. It
// reports whether that round can begin.
func (f *fixer) findAgain(ctx context.Context) bool {
	if f.o.Find.Own == nil && f.o.look == nil {
		return false
	}
	began := time.Now()
	f.o.Progress("find again, in the module with the kept rewrites")
	r, err := f.look(ctx, f.prover.Dir())
	f.addTook("look again", began)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		f.result.Warnings.Add(fmt.Errorf("find again, in the module with the kept rewrites: %w", err))
		return false
	}
	f.found, f.prover.Charged = r, r.Charged
	f.begin()
	f.forgetRetried()
	return true
}

// look looks for findings in dir, the module after rewrites. The profiles are of the original.
func (f *fixer) look(ctx context.Context, dir string) (*find.Result, error) {
	if f.o.look != nil {
		return f.o.look(ctx, dir)
	}
	o := f.o.Find
	o.Dir, o.OriginalDir, o.Notes, o.Progress = dir, f.result.Dir, "", nil
	return find.Find(ctx, f.o.Profiles, o)
}

// begin starts a round on the current scratch copy.
func (f *fixer) begin() {
	f.edits = map[string][]rewrite.Edit{}
	f.prover.Rebase()
}

// forgetRetried removes the attempts that were dropped because of what was kept before them and are
// found again. The others stay dropped.
func (f *fixer) forgetRetried() {
	place := func(x *find.Finding) string { return x.Rule + "\n" + x.Places[0].File + "\n" + x.Function }
	again := map[string]int{}
	for i := range f.found.Findings {
		if x := &f.found.Findings[i]; x.Rewrites() {
			again[place(x)]++
		}
	}
	f.result.Attempts = slices.DeleteFunc(f.result.Attempts, func(a Attempt) bool {
		if !a.retry || again[place(&a.Finding)] == 0 {
			return false
		}
		again[place(&a.Finding)]--
		return true
	})
	for i := range f.result.Attempts {
		if a := &f.result.Attempts[i]; a.retry && a.Reason == errSameCode.Error() {
			a.Reason += ", and nothing is left to rewrite"
			a.retry = false
		}
	}
}

// A piece is a rewrite in a group, relative to those before it.
type piece struct {
	at      int           // index in result.Attempts
	finding *find.Finding // its current version
	changes prove.Changes
}

// together tries, as one change, all rewrites that passed all proofs but showed no gain, because
// each gain may be too small to measure.
func (f *fixer) together(ctx context.Context) {
	x, pieces, edits := f.group()
	if len(pieces) < 2 {
		return
	}
	f.o.Progress(fmt.Sprintf("try together %d rewrites whose gains are too small to measure", len(pieces)))
	all := prove.Changes{}
	for _, p := range pieces {
		for file, c := range p.changes {
			if before, ok := all[file]; ok {
				c.Before = before.Before
			}
			all[file] = c
		}
	}
	group := &Attempt{Finding: *x}
	err := f.prove(ctx, group, x, all)
	switch {
	case ctx.Err() != nil:
		return
	case err == nil:
		f.keepGroup(pieces, group)
		f.edits = edits
	default:
		for _, p := range pieces {
			f.result.Attempts[p.at].Reason += fmt.Sprintf("; together with %s: %v", others(len(pieces)-1), err)
			f.result.Attempts[p.at].Hint = group.Hint
		}
	}
}

// group returns the rewrites to try together, in the order of the findings, a finding with all
// their places, and the edits of the round including theirs.
func (f *fixer) group() (x *find.Finding, pieces []piece, edits map[string][]rewrite.Edit) {
	weak := map[string][]int{}
	for i := range f.result.Attempts {
		if a := &f.result.Attempts[i]; a.weak {
			weak[a.key] = append(weak[a.key], i)
		}
	}
	x = &find.Finding{Title: "several together"}
	edits = map[string][]rewrite.Edit{}
	for file, list := range f.edits {
		edits[file] = slices.Clone(list)
	}
	for i := range f.found.Findings {
		one := &f.found.Findings[i]
		if !one.Rewrites() {
			continue
		}
		key := f.keyOf(one)
		if len(weak[key]) == 0 {
			continue
		}
		changes, err := f.rewrite(one.Fix, edits)
		if err != nil {
			continue // overlaps another one in the group
		}
		pieces = append(pieces, piece{weak[key][0], one, changes})
		weak[key] = weak[key][1:]
		x.Places = append(x.Places, one.Places...)
		for _, e := range one.Fix.Files {
			edits[e.File] = append(edits[e.File], e.Edits...)
		}
	}
	return x, pieces, edits
}

// keepGroup keeps a whole group, each with its own diff, after what was kept before.
func (f *fixer) keepGroup(pieces []piece, group *Attempt) {
	var kept []Attempt
	for _, p := range pieces {
		a := f.result.Attempts[p.at]
		a.Finding, a.Round = *p.finding, f.round
		a.Together, a.Diff, a.weak, a.Tested = len(pieces)-1, p.changes.Diff(), false, group.Tested
		a.Ignored = group.Ignored
		a.Answers, a.Measured, a.Open, a.IgnoredLosses = group.Answers, group.Measured, group.Open, group.IgnoredLosses
		a.Unproven, a.Predicted = group.Unproven, group.Predicted
		for _, t := range group.Took {
			i := slices.IndexFunc(a.Took, func(have StepTime) bool { return have.What == t.What })
			if i >= 0 {
				a.Took[i].Time += t.Time / time.Duration(len(pieces))
			}
		}
		if err := f.keep(&a, p.changes); err != nil {
			f.result.Warnings.Add(err)
			break
		}
		kept = append(kept, a)
	}
	for _, p := range slices.Backward(slices.SortedFunc(
		slices.Values(pieces[:len(kept)]),
		func(a, b piece) int { return a.at - b.at },
	)) {
		f.result.Attempts = slices.Delete(f.result.Attempts, p.at, p.at+1)
	}
	f.result.Attempts = append(f.result.Attempts, kept...)
}

func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}
