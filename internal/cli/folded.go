package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/export"
)

// fixFlags removes flags of all views from a command for which they can only have
// one value. why explains what to do instead.
func fixFlags(cmd *cobra.Command, why string, names ...string) {
	for _, name := range names {
		cmd.Flags().Lookup(name).Hidden = true
	}
	check := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				return diag.Usagef(cmd.Name(), "--"+name+" has no effect here", why)
			}
		}
		if check != nil {
			return check(cmd, args)
		}
		return nil
	}
}

const (
	noJSON  = "the format is not JSON; `whet speedscope` writes stacks as JSON"
	ownUnit = "values are in the unit of the sample type"
)

func (a *app) foldedCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "folded " + profilesUsage,
		Short: "Write collapsed stacks, for flamegraph.pl and similar tools",
		Long: `Write collapsed stacks, the format of flamegraph.pl, inferno and others: one
line per distinct stack, with the frames from the outermost to the leaf
separated by semicolons, and the sum of its samples in the sample type's unit.

Semicolons and line breaks in names are written as %3B and %0A.

` + profilesHelp,
		Example: `  whet folded cpu.pb.gz
  whet folded --by package --focus mallocgc demo.whet
  whet folded --type alloc_space -o alloc.folded demo.whet
  whet folded cpu.pb.gz | flamegraph.pl > cpu.svg`,
		Args: profileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args, f,
				func(w io.Writer, in *input.Input) error { return export.Folded(w, in.View) })
		},
	}
	f.register(cmd)
	fixFlags(cmd, noJSON, "json")
	fixFlags(cmd, ownUnit, "unit")
	return cmd
}

func (a *app) rawCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "raw " + profilesUsage,
		Short: "Write the contents of a profile as text",
		Long: `Write the contents of a profile as text, in the sections of go tool pprof -raw:
the header; samples with their values of all types, location IDs and labels;
then locations and mappings. Filters apply.

` + profilesHelp,
		Example: `  whet raw cpu.pb.gz
  whet raw --type mutex demo.whet`,
		Args: profileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args, f, func(w io.Writer, in *input.Input) error { return export.Raw(w, in.View) })
		},
	}
	f.register(cmd)
	fixFlags(cmd, noJSON, "json")
	fixFlags(cmd, ownUnit, "unit")
	fixFlags(cmd, "profiles are written frame by frame, unchanged", "by")
	return cmd
}

func (a *app) callgrindCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "callgrind " + profilesUsage,
		Short: "Write the callgrind format, for KCachegrind",
		Long: `Write the callgrind format, for KCachegrind and QCachegrind: costs by function,
line and address, and calls. Costs are in the sample type's unit. As in go tool
pprof -callgrind, call counts are not available from samples.

` + profilesHelp,
		Example: `  whet callgrind -o callgrind.out cpu.pb.gz
  whet callgrind --type alloc_space demo.whet`,
		Args: profileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.By = "address"
			return a.export(cmd.Context(), args, f, func(w io.Writer, in *input.Input) error {
				return negativeHint(export.Callgrind(w, in.View, "whet callgrind "+strings.Join(args, " ")))
			})
		},
	}
	f.register(cmd)
	fixFlags(cmd, noJSON, "json")
	fixFlags(cmd, ownUnit, "unit")
	fixFlags(cmd, "the format has functions, lines and addresses at once", "by")
	return cmd
}

func (a *app) speedscopeCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "speedscope " + profilesUsage,
		Short: "Write the speedscope format, for speedscope.app",
		Long: `Write the speedscope format (JSON), for https://www.speedscope.app and others:
one profile per sample type, with that of --type first.

` + profilesHelp,
		Example: `  whet speedscope -o cpu.speedscope.json cpu.pb.gz
  whet speedscope --by line --type alloc_space demo.whet`,
		Args: profileArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args, f, func(w io.Writer, in *input.Input) error {
				return negativeHint(export.Speedscope(w, in.View, in.Name))
			})
		},
	}
	f.register(cmd)
	fixFlags(cmd, "the format is JSON", "json")
	fixFlags(cmd, ownUnit, "unit")
	return cmd
}

// negativeHint adds a hint on how to view differences if a format has no negative
// values.
func negativeHint(err error) error {
	if negative := (*export.NegativeError)(nil); errors.As(err, &negative) {
		return &diag.Error{Err: err, Hint: "use `whet diff A B` or `whet flame --diff-base A B` for differences"}
	}
	return err
}
