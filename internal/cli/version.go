package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/report"
)

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of whet and of the Go toolchain that built it",
		Example: "  whet version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version()
			if asJSON {
				v.Warnings = a.warned
				return a.writeJSON(v)
			}
			return a.write(func(w io.Writer) error {
				_, err := fmt.Fprintln(w, v)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// version reads what the go command recorded in the running binary.
func version() report.Version {
	v := report.Version{
		Schema: report.VersionSchema, Version: "(devel)",
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	bi, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if bi.Main.Version != "" {
		v.Version = bi.Main.Version
	}
	for _, s := range bi.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
			if len(v.Revision) > 12 {
				v.Revision = v.Revision[:12]
			}
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
