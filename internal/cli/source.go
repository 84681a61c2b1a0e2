package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
)

// registerSource binds the flags for reading the arguments of goroutines and
// memory.
func (f *viewFlags) registerSource(cmd *cobra.Command) {
	f.command = cmd.Name()
	fs := cmd.Flags()
	f.given = fs.Changed
	fs.SortFlags = false
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	fs.StringArrayVarP(&f.Header, "header", "H", nil, "send the header `NAME:VALUE` when fetching an address; may repeat")
	f.MaxMemory.register(fs, "")
}

// twoArgs is the argument check of commands that show one document or compare
// two.
func twoArgs(example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return diag.Usagef(cmd.Name(), "nothing to read",
				"name a recording, a file, an address or - for standard input: `"+example+"`")
		case len(args) > 2:
			return diag.Usagef(cmd.Name(), fmt.Sprintf("want one argument to show or two to compare, got %d", len(args)),
				usageHint(cmd))
		case len(args) == 2 && args[0] == "-" && args[1] == "-":
			return diag.Usagef(cmd.Name(), "standard input can be read only once", "")
		}
		return nil
	}
}
