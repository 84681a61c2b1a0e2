package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
)

// loadOutput is where the results of the load commands go.
type loadOutput struct {
	JSON   bool
	HTML   string
	HGRM   string // bound by whet load alone
	Output string
	Force  bool
}

func (f *loadOutput) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.HTML, "html", "", "write a self-contained report with charts to `FILE`")
	if cmd.Name() == "load" {
		fs.StringVar(&f.HGRM, "hgrm", "", "write the latencies to `FILE` in HdrHistogram percentile format")
	}
	fs.StringVarP(&f.Output, "output", "o", "", "also write the result as JSON to `FILE`")
	fs.BoolVar(&f.Force, "force", false, "replace existing files")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
}

// documents lists the files to write.
func (f *loadOutput) documents() []*outputFlags {
	var out []*outputFlags
	for _, path := range []string{f.Output, f.HTML, f.HGRM} {
		if path != "" {
			out = append(out, &outputFlags{Output: path, Force: f.Force})
		}
	}
	return out
}

// check rejects files that cannot be written, before any work.
func (f *loadOutput) check() error {
	seen := map[string]bool{}
	for _, d := range f.documents() {
		if d.Output == "-" {
			return diag.Usagef("load", "standard output already receives the result",
				"use --json for JSON on standard output, or name a file")
		}
		if seen[d.Output] {
			return diag.Usagef("load", fmt.Sprintf("two outputs are written to %s", d.Output), "use different names")
		}
		seen[d.Output] = true
		if err := d.checkThere(); err != nil {
			return err
		}
	}
	return nil
}

// writeDocument writes a document to a file if the user requested it.
func (a *app) writeDocument(f *loadOutput, path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	return a.writeOutput(&outputFlags{Output: path, Force: f.Force}, write)
}

// load runs one load and shows it.
func (a *app) load(ctx context.Context, f *loadFlags, o load.Options) error {
	view := progress.NewLoad(a.stderr, styleOf(a.stderr), a.live, o.Name(), o)
	o.Progress = view.Show
	view.Start()
	r, err := load.Run(ctx, o)
	view.Stop()
	if r == nil {
		return err
	}
	if r.Requests == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	outcomes := f.asserted.Check(r)
	errs := []error{err}
	if !f.JSON {
		errs = append(errs, a.write(func(w io.Writer) error { return loads.Write(w, a.style, r, outcomes) }))
	}
	r.Warnings = a.warnings(r.Warnings) // the text has only those that were not printed
	if f.JSON {
		errs = append(errs, a.writeJSON(r))
	}
	errs = append(errs,
		a.writeDocument(&f.loadOutput, f.Output, func(w io.Writer) error { return report.JSON(w, r) }),
		a.writeDocument(&f.loadOutput, f.HTML,
			func(w io.Writer) error { return loads.WritePage(w, loads.Page{Runs: []*load.Result{r}}) }),
	)
	if r.Responses > 0 {
		errs = append(errs, a.writeDocument(&f.loadOutput, f.HGRM, func(w io.Writer) error { return loads.WriteHGRM(w, r) }))
	}
	if f.Strict && len(r.Verdict()) > 0 {
		errs = append(errs, strictError(r.Verdict(), f.JSON))
	}
	if missed := loadcompare.Missed(outcomes); missed != "" {
		errs = append(errs, &diag.Error{Op: "--assert", Err: errors.New(missed), Kind: diag.Gate})
	}
	return errors.Join(errs...)
}

// strictError rejects a result with warnings. If no report shows them, the error does.
func strictError(warnings load.Warnings, silent bool) error {
	e := &diag.Error{Op: "the result is not accepted (--strict)", Err: errors.New("the verdict has warnings")}
	if silent {
		e.Err = errors.New(layout.Clean(strings.Join(warnings.Texts(), "; ")))
	}
	return e
}
