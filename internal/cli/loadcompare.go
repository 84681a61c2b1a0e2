package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/load/compare"
)

func (a *app) loadCompareCommand() *cobra.Command {
	f := &loadOutput{}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two load results, with confidence intervals",
		Long: `Compare two load results, with confidence intervals.

A and B are files written by whet load -o or --json, or recordings (.whet) with
a load. Separate several runs of one side with commas. With three or more runs
per side, the intervals come from the differences between runs, which is most
reliable. With fewer, they come from the seconds within the runs.`,
		Example: `  whet load compare before.json after.json
  whet load compare a1.json,a2.json,a3.json b1.json,b2.json,b3.json
  whet load compare --html difference.html before.json after.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return diag.Usagef("load compare", fmt.Sprintf("want two sides, got %d", len(args)),
					"separate several runs of one side with commas: `whet load compare a1.json,a2.json b1.json,b2.json`")
			}
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return a.loadCompare(cmd.Context(), f, args)
	}
	return cmd
}

func (a *app) loadCompare(ctx context.Context, f *loadOutput, args []string) error {
	var sides [2]compare.Input
	for i, arg := range args {
		sides[i].Name = arg
		for name := range strings.SplitSeq(arg, ",") {
			if err := ctx.Err(); err != nil {
				return err
			}
			if name == "" {
				return diag.Usagef("load compare", "an empty file name", "remove the extra comma")
			}
			r, err := input.Load(name, a.stdin)
			if err != nil {
				return err
			}
			sides[i].Runs = append(sides[i].Runs, r)
		}
	}
	c, err := compare.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	if !f.JSON {
		err = a.write(func(w io.Writer) error { return loads.WriteComparison(w, a.style, c) })
	}
	c.Warnings = a.warnings(c.Warnings) // the text has only those that were not printed
	if f.JSON {
		err = a.writeJSON(c)
	}
	return errors.Join(err,
		a.writeDocument(f, f.Output, func(w io.Writer) error { return report.JSON(w, c) }),
		a.writeDocument(f, f.HTML, func(w io.Writer) error {
			return loads.WritePage(w, loads.ComparisonPage(c, sides[0].Runs[0], sides[1].Runs[0]))
		}),
	)
}
