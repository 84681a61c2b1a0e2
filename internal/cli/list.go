package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/report/listings"
)

func (a *app) listCommand() *cobra.Command {
	f := &viewFlags{}
	context := -1
	cmd := &cobra.Command{
		Use:   "list REGEXP " + profilesUsage,
		Short: "Show the source of functions with the cost of each line",
		Long: `Show the source of the functions whose names match REGEXP, with the flat and
cumulative cost of each line, as in go tool pprof -list. Below a line come the
calls inlined into it (⤷) and the functions it called (→).

Source comes from the recording, the working directory, GOROOT or the module
cache. Without source, lines are shown by number.

` + profilesHelp,
		Example: `  whet list Pad demo.whet
  whet list --context 2 '^main\.' cpu.pb.gz
  whet list --type alloc_space NewReplacer demo.whet`,
		Args: patternArgs,
	}
	f.register(cmd)
	f.registerN(cmd, 0, "functions")
	cmd.Flags().IntVar(&context, "context", -1, "show only `N` lines around each expensive one")
	cmd.Flags().Lookup("context").DefValue = "the whole function"
	fixFlags(cmd, "source is shown by line", "by")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pattern, err := compileFlag("list", args[0])
		if err != nil {
			return err
		}
		if err := checkContext(cmd, context); err != nil {
			return err
		}
		f.By = "line"
		in, err := a.open(cmd.Context(), args[1:], f)
		if err != nil {
			return err
		}
		defer in.Close()
		a.warn(in.Warnings...)
		doc, err := documents.NewList(f.header(in), in.View,
			listing.ListOptions{Match: pattern, Source: in.Source, Context: context})
		if errors.Is(err, listing.ErrNoMatch) {
			return noMatch("list", args[0], "function")
		}
		if err != nil {
			return err
		}
		if f.N > 0 && len(doc.Functions) > f.N {
			doc.Functions = doc.Functions[:f.N]
		}
		a.warn(in.MissingSource(doc.MissingSource())...)
		doc.Warnings = a.warned
		return show(a, f.JSON, doc, listings.WriteList)
	}
	return cmd
}

// checkContext checks --context.
func checkContext(cmd *cobra.Command, context int) error {
	if context < 0 && cmd.Flags().Changed("context") {
		return diag.Usagef(cmd.Name(), fmt.Sprintf("--context %d: want 0 or more", context), "omit it to show everything")
	}
	return nil
}
