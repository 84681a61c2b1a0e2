package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/profiles"
)

// treeNodes is the number of nodes that tree shows without -n.
const treeNodes = 80

func (a *app) treeCommand() *cobra.Command {
	f := &viewFlags{}
	var bottomUp bool
	var minShare float64
	cmd := &cobra.Command{
		Use:   "tree " + profilesUsage,
		Short: "Show the call tree, heaviest calls first",
		Long: `Show the call tree, heaviest calls first: the flame graph as text. Equal stacks
share their beginning; the only callee of a function is shown directly below it,
without indentation.

` + profilesHelp,
		Example: `  whet tree demo.whet
  whet tree --bottom-up --focus mallocgc cpu.pb.gz
  whet tree -n 0 --min-share 2 cpu.pb.gz`,
		Args: profileArgs,
	}
	f.register(cmd)
	f.registerN(cmd, treeNodes, "nodes")
	cmd.Flags().BoolVar(&bottomUp, "bottom-up", false, "start at the innermost functions, with callers below")
	cmd.Flags().Float64Var(&minShare, "min-share", 0.5, "sum up entries below `PERCENT` of the total")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if minShare < 0 || minShare > 100 {
			return diag.Usagef("--min-share", "want a percentage from 0 to 100", "")
		}
		if f.JSON && cmd.Flags().Changed("min-share") {
			return diag.Usagef("tree", "--min-share has no effect with --json, which has all nodes that -n allows",
				"leave one out")
		}
		in, err := a.open(cmd.Context(), args, f)
		if err != nil {
			return err
		}
		defer in.Close()
		a.warn(in.Warnings...)
		doc := documents.NewTree(f.header(in), in.View, f.N, bottomUp)
		if f.JSON {
			doc.Warnings = a.warned
			return a.writeJSON(doc)
		}
		return a.write(func(w io.Writer) error { return profiles.WriteTree(w, a.style, doc, minShare/100) })
	}
	return cmd
}
