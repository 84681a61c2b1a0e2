package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
)

// formatFlags are --format, and --json for one of the formats.
type formatFlags struct {
	Format string
	JSON   bool

	formats []string
}

// registerFormat adds the flags. The first format is the default.
func (f *formatFlags) registerFormat(cmd *cobra.Command, formats ...string) {
	f.formats = formats
	fs := cmd.Flags()
	fs.StringVar(&f.Format, "format", formats[0], "output `FORMAT`: "+strings.Join(formats, ", "))
	fs.BoolVar(&f.JSON, "json", false, "same as --format json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// checkFormat checks the flags of the command op, and sets Format if --json is given.
func (f *formatFlags) checkFormat(op string, cmd *cobra.Command) error {
	if !slices.Contains(f.formats, f.Format) {
		return unknownValue(op, "format", f.Format, f.formats)
	}
	if f.JSON {
		if cmd.Flags().Changed("format") && f.Format != "json" {
			return diag.Usagef(op, "--json and --format "+f.Format+" are mutually exclusive", "leave one out")
		}
		f.Format = "json"
	}
	return nil
}
