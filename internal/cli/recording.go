package cli

import (
	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/recordings"
)

func (a *app) recordingCommand() *cobra.Command {
	var asJSON, calls bool
	cmd := &cobra.Command{
		Use:   "recording FILE.whet [REGEXP]",
		Short: "Show what a recording contains, such as captured arguments",
		Long: `Show what a recording contains: the target, the parts, the load, what could not
be recorded, and the arguments and results of calls that whet record --capture
copied. For each function that is the number of calls, the sizes and the most
frequent values of each argument, and what is incomplete and why.

REGEXP selects functions by their names, with the import path of the package.
--calls lists the sampled calls themselves.`,
		Example: `  whet recording demo.whet
  whet recording --calls demo.whet '\.pad$'
  whet recording --json demo.whet`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return diag.Usagef("recording", "want a recording, and maybe a regular expression",
					"whet recording run.whet 'main\\.pad'")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&calls, "calls", false, "list the calls that were copied")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		o := documents.RecordingOptions{Calls: calls}
		if len(args) == 2 {
			re, err := compileFlag("recording", args[1])
			if err != nil {
				return err
			}
			o.Functions = re
		}
		doc, err := documents.ReadRecording(args[0], o)
		if err != nil {
			return err
		}
		a.warn(doc.Warnings...)
		doc.Warnings = a.warned
		return show(a, asJSON, doc, recordings.WriteRecording)
	}
	return cmd
}
