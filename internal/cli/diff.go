package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/report/diffs"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/work"
)

func (a *app) diffCommand() *cobra.Command {
	f := &viewFlags{}
	lines := false
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two profiles, and tell changes from noise",
		Long: `Show what changed from profile A to profile B, by function or by line, the
largest change first. Own code is listed separately: each sample is charged to
its innermost own frame. --all, --cum and other granularities compare all code.

Profiles are samples, so each change is shown with its sampling noise: ± two
standard deviations, which is about 2√n for a count of n. Changes within the
noise are marked ~. Lines that moved are matched if the source of both sides is
available.

Two recordings with a load (whet record --load) are compared by the cost of one
request, with an interval that holds in 99 of 100 comparisons. Without a load,
the requests in their execution traces are counted. Without requests, totals are
compared, and an increase may only mean more work.

--normalize compares shares: it scales the total of A to that of B.

A and B are recordings (.whet), pprof files of any format, addresses, or "-" for
standard input.`,
		Example: `  whet diff before.whet after.whet
  whet diff --lines --type alloc_space before.whet after.whet
  whet diff --all --cum -n 20 before.pb.gz after.pb.gz
  whet diff --normalize before.pb.gz after.pb.gz`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return diag.Usagef("diff", "want two profiles", "give the earlier one first: `whet diff before.pb.gz after.pb.gz`")
		},
	}
	f.register(cmd)
	f.registerN(cmd, 20, "changes")
	f.registerCum(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&lines, "lines", false, "compare lines; same as --by line")
	fs.BoolVar(&f.All, "all", false, "show all code, not only your own")
	fs.Lookup("normalize").Usage = "compare shares: scale A to B's total"
	fixFlags(cmd, "diff compares its two arguments", "base", "diff-base")
	cmd.MarkFlagsMutuallyExclusive("lines", "by")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if lines {
			f.By = profile.ByLine.String()
		}
		return a.diff(cmd.Context(), args, f)
	}
	return cmd
}

func (a *app) diff(ctx context.Context, args []string, f *viewFlags) error {
	if err := f.checkUse(args); err != nil {
		return err
	}
	one := *f
	one.Normalize = false // which open takes to be about --base
	one.given = nil       // a flag may be for one of the two
	before, err := a.open(ctx, args[:1], &one)
	if err != nil {
		return err
	}
	defer before.Close()
	after, err := a.open(ctx, args[1:], &one)
	if err != nil {
		return err
	}
	defer after.Close()
	a.warn(before.Warnings...)
	a.warn(after.Warnings...)
	by := after.View.Query().By
	opt := diff.Options{
		By: by, Normalize: f.Normalize, Cum: f.Cum, N: f.N,
		Own: !f.All && !f.Cum && !f.framesLabels() && (by == profile.ByFunction || by == profile.ByLine),
	}
	if !f.Normalize && work.PerRequest(after.Type.Type) {
		opt.Work, opt.NoWork = input.Between(ctx, before, after)
	}
	doc, err := diff.New(diff.Of(before), diff.Of(after), opt)
	if err != nil {
		e := &diag.Error{Err: err, Hint: "select the profile and sample type with --type"}
		for _, t := range before.Profile.SampleTypes {
			if profile.Comparable(before.Profile, after.Profile, t) == nil {
				e.Hint = "both have " + t.Type + ": --type " + t.Type
			}
		}
		return e
	}
	doc.OutputUnit = f.outputUnit()
	doc.Recorded = before.Recording != nil || after.Recording != nil
	if f.JSON {
		doc.Warnings = a.warnings(doc.Warnings)
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return diffs.Write(w, a.style, doc) })
}
