package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/whet-go/whet/internal/diag"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write one manual page (section 1) per command to DIR, which is created if it
does not exist.`,
		Example: `  whet man man1
  man -l man1/whet-top.1`,
		Args: exactArgs(1, "no directory given", "`whet man DIR` writes the pages into DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return &diag.Error{Op: "write manual pages", Err: err}
			}
			// A fixed date keeps the pages reproducible; only the version differs.
			date := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			header := &doc.GenManHeader{Section: "1", Source: "whet " + version().Version, Manual: "whet", Date: &date}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return &diag.Error{Op: "write manual pages", Err: err}
			}
			a.progressf("wrote the manual pages to %s", args[0])
			return nil
		},
	}
}

// noArgs is the argument check of commands that take none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return diag.Usagef(cmd.Name(), fmt.Sprintf("unexpected argument %q", args[0]), usageHint(cmd))
}

// exactArgs is the argument check of commands that take n arguments; without any,
// the error is the given message with its hint.
func exactArgs(n int, none, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == n:
			return nil
		case len(args) == 0:
			return diag.Usagef(cmd.Name(), none, hint)
		case len(args) < n:
			return diag.Usagef(cmd.Name(), fmt.Sprintf("want %[2]d arguments, got %[1]d", len(args), n), hint)
		}
		return diag.Usagef(cmd.Name(), fmt.Sprintf("unexpected argument %q", args[n]), usageHint(cmd))
	}
}

// someArgs is the argument check of commands that take at least one argument.
func someArgs(missing, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return diag.Usagef(cmd.Name(), missing, hint)
	}
}

func usageHint(cmd *cobra.Command) string { return "usage: " + cmd.UseLine() }
