package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
)

// findCapacity searches for the highest rate that meets the objectives.
func (a *app) findCapacity(ctx context.Context, f *loadFlags, o load.Options) error {
	// -r and -d are the range of the search and the length of a run; the search sets the rate of each run.
	search := capacity.Options{SLO: f.slo, Min: o.Rate, Max: o.RampTo, Step: o.Duration}
	o.Rate, o.RampTo, o.Duration = 0, 0, 0
	search.Load = o
	runs := 0
	search.Progress = func(p capacity.Progress) {
		runs++
		_, _ = fmt.Fprintln(a.stderr, progress.CapacityLine(runs, p))
	}
	r, err := capacity.Search(ctx, search, load.Run)
	if r == nil {
		return err
	}
	errs := []error{err}
	if !f.JSON {
		errs = append(errs, a.write(func(w io.Writer) error { return loads.WriteCapacity(w, a.style, r) }))
	}
	r.Warnings = a.warnings(r.Warnings) // the text has only those that were not printed
	if f.JSON {
		errs = append(errs, a.writeJSON(r))
	}
	errs = append(errs,
		a.writeDocument(&f.loadOutput, f.Output, func(w io.Writer) error { return report.JSON(w, r) }),
		a.writeDocument(&f.loadOutput, f.HTML, func(w io.Writer) error { return loads.WritePage(w, loads.CapacityPage(r)) }),
	)
	switch {
	case r.Rate == 0 && r.Limit == capacity.LimitServer && !r.Interrupted:
		errs = append(errs, &diag.Error{Op: "--slo", Err: fmt.Errorf("no rate meets %s", r.SLO), Kind: diag.Gate})
	case r.Rate == 0 && err == nil && !r.Interrupted:
		errs = append(errs, &diag.Error{
			Op: "--find-capacity", Err: errors.New("no rate meets the objective"),
			Hint: "the report above shows the limit",
		})
	}
	if f.Strict && !r.Interrupted && (r.Limit == capacity.LimitGenerator || !r.Confirmed) {
		errs = append([]error{&diag.Error{
			Op: "the result is not accepted (--strict)", Err: errors.New(layout.Clean(r.Why)),
		}}, errs...)
	}
	return errors.Join(errs...)
}
