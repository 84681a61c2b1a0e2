package fix

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/prove"
)

// maxTotal is the number of benchmarks that compare the original with everything that was kept.
const maxTotal = 24

// whole runs the tests of the whole module with everything that was kept, because tests may read
// files of other packages. While they fail, it undoes the last kept rewrite.
func (f *fixer) whole(ctx context.Context) {
	if f.testedAll || ctx.Err() != nil || f.lastKept() < 0 {
		return
	}
	began := time.Now()
	for {
		last := f.lastKept()
		if last < 0 {
			break
		}
		f.o.Progress("test the module with all kept rewrites")
		err := f.prover.TestAll(ctx)
		if ctx.Err() != nil || err == nil {
			break
		}
		a := &f.result.Attempts[last]
		if undoErr := f.undo(a); undoErr != nil {
			f.result.Warnings.Add(undoErr)
			break
		}
		a.Stage, a.Reason = StageWhole, err.Error()
	}
	f.addTook("test all", began)
}

// lastKept returns the index of the attempt that was kept last, or -1.
func (f *fixer) lastKept() int {
	for i, a := range slices.Backward(f.result.Attempts) {
		if a.Kept() {
			return i
		}
	}
	return -1
}

// undo undoes the last kept rewrite.
func (f *fixer) undo(a *Attempt) error {
	for file, before := range a.undo {
		if err := f.prover.Write(file, before); err != nil {
			return err
		}
		c := f.result.changed[file]
		if c.After = before; string(c.Before) == string(before) {
			delete(f.result.changed, file)
			continue
		}
		f.result.changed[file] = c
	}
	return nil
}

// total compares the original with everything that was kept.
func (f *fixer) total(ctx context.Context) {
	if len(f.result.changed) == 0 || ctx.Err() != nil {
		return
	}
	began := time.Now()
	f.o.Progress("compare the original with all kept rewrites")
	a, err := f.prover.SideWith("original", f.result.changed.Before())
	if err != nil {
		f.result.Warnings.Add(err)
		return
	}
	b := f.prover.Side("all kept rewrites")
	failed := func(err error) {
		if err != nil && ctx.Err() == nil {
			f.result.Warnings.Add(fmt.Errorf("compare the original with all kept rewrites: %w", err))
		}
	}
	if len(f.keptBenchmarks) > 0 {
		f.result.Total, err = f.prover.MeasureBy(ctx, a, b, prove.Focused(f.keptBenchmarks, maxTotal))
		failed(err)
		f.addTook("compare in total", began)
	}
	if f.prover.Serves() && ctx.Err() == nil {
		began := time.Now()
		r, err := f.prover.MeasureService(ctx, a, b)
		failed(err)
		if err == nil {
			f.result.Service = &Measured{AB: r}
		}
		f.addTook("compare the service in total", began)
	}
}

// listUntried lists costs without a rewrite.
func (f *fixer) listUntried(r *find.Result) {
	for i := range r.Findings {
		x := &r.Findings[i]
		if x.Fix != nil || len(x.Places) == 0 {
			continue
		}
		f.result.Untried = append(f.result.Untried, Untried{
			Title: x.Title, File: x.Places[0].File, Line: x.Places[0].Line,
			Function: x.Function, Reason: x.NoFix, Share: x.Saving,
		})
	}
	for i := range r.Unexplained {
		if h := &r.Unexplained[i]; h.Why != "" {
			f.result.Untried = append(f.result.Untried, Untried{
				File: h.File, Line: h.Line, Function: h.Function,
				Reason: h.Why, Share: h.Saving,
			})
		}
	}
	for i := range r.Waiting {
		h := &r.Waiting[i]
		f.result.Untried = append(f.result.Untried, Untried{
			File: h.File, Line: h.Line, Function: h.Function,
			Reason: "no rewrite is known for waits", Waiting: h,
		})
	}
	for _, s := range r.Stale {
		f.result.Untried = append(f.result.Untried, Untried{
			File: s.File, Function: s.Function,
			Reason: s.Reason, Share: s.Share,
		})
	}
}
