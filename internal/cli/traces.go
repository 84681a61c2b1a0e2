package cli

import (
	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/profiles"
)

func (a *app) tracesCommand() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "traces " + profilesUsage,
		Short: "Show the heaviest stacks in full",
		Long: `Show the heaviest stacks in full, innermost function first, with their labels.
Equal stacks with equal labels are merged.

` + profilesHelp,
		Example: `  whet traces cpu.pb.gz
  whet traces -n 3 --by line --focus mallocgc demo.whet`,
		Args: profileArgs,
	}
	f.register(cmd)
	f.registerN(cmd, 10, "stacks")
	f.registerMean(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := a.open(cmd.Context(), args, f)
		if err != nil {
			return err
		}
		defer in.Close()
		a.warn(in.Warnings...)
		doc := documents.NewTraces(f.header(in), in.View, f.N)
		doc.Warnings = a.warned
		return show(a, f.JSON, doc, profiles.WriteTraces)
	}
	return cmd
}
