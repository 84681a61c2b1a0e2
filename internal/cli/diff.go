package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/profile"
)

func (a *app) diffCommand() *cobra.Command {
	f := &viewFlags{}
	lines := false
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show what changed between two profiles, and what is only noise",
		Long: `Show what changed from profile A to profile B, by function or by line, the
largest change first, your own code apart: each sample is charged to its
innermost own frame. --all, --cum and other granularities compare all code.

A profile is a sample: how often something was seen, n times, is only known to
about 2√n. Each change stands beside what chance alone makes (±, two standard
deviations); ~ marks those that are within it. Line by line, lines are followed
when lines above them came or went, where the source of both sides is at hand.

--normalize compares shares: it scales A to B's total.

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
			return diag.Usagef("diff", "want two profiles", "the earlier first: `whet diff before.pb.gz after.pb.gz`")
		},
	}
	f.register(cmd)
	f.registerN(cmd, 20, "changes")
	f.registerCum(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&lines, "lines", false, "line by line, the same as --by line")
	fs.BoolVar(&f.All, "all", false, "the classic view: all code, not only your own")
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
	one := *f
	one.Normalize = false // which open takes to be about --base
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
	a.printWarnings(append(before.Warnings, after.Warnings...))
	by := after.View.Query().By
	doc, err := report.NewDiff(before.diffInput(&one), after.diffInput(&one), report.DiffOptions{
		By: by, Normalize: f.Normalize, Cum: f.Cum, N: f.N,
		Own: !f.All && !f.Cum && (by == profile.ByFunction || by == profile.ByLine),
	})
	if err != nil {
		return &diag.Error{Err: err, Hint: "--type says which profile and sample type to compare"}
	}
	if f.JSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return report.WriteDiff(w, a.style, doc) })
}

// diffInput is in as one side of a comparison.
func (in *input) diffInput(f *viewFlags) report.DiffInput {
	d := report.DiffInput{Name: in.Name, View: in.View, Duration: in.header(f).Duration, Source: in.source}
	if in.OwnKnown {
		d.Own = in.Own
	}
	return d
}
