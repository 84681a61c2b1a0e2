package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/source"
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
		a.printWarnings(in.Warnings)
		doc, err := report.NewList(in.header(f), in.View, report.ListOptions{Match: pattern, Source: in.source, Context: context})
		if errors.Is(err, report.ErrNoMatch) {
			return noMatch("list", args[0], "function")
		}
		if err != nil {
			return err
		}
		if f.N > 0 && len(doc.Functions) > f.N {
			doc.Functions = doc.Functions[:f.N]
		}
		if f.JSON {
			err = a.writeJSON(doc)
		} else {
			err = a.write(func(w io.Writer) error { return report.WriteList(w, a.style, doc) })
		}
		if err == nil {
			a.printWarnings(in.missingSource(doc.MissingSource()))
		}
		return err
	}
	return cmd
}

// checkContext checks a --context that was given.
func checkContext(cmd *cobra.Command, context int) error {
	if context < 0 && cmd.Flags().Changed("context") {
		return diag.Usagef(cmd.Name(), fmt.Sprintf("--context %d: want 0 or more", context), "omit it to show everything")
	}
	return nil
}

// source finds the text of a file by the name that the profile gives it.
func (in *input) source(file string) (lines []string, where string, err error) {
	f, err := in.Finder.File(file)
	if err != nil {
		return nil, "", err
	}
	if f.Origin == source.FromRecording {
		return f.Lines, "the recording", nil
	}
	where = f.Found
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, where); err == nil && filepath.IsLocal(rel) {
			where = rel
		}
	}
	return f.Lines, where, nil
}

// missingSource is the warning that the source of files was not found.
func (in *input) missingSource(files []string) []error {
	if len(files) == 0 {
		return nil
	}
	hint := "run whet in the working tree of the program, or record with `whet record`, which keeps the source of hot lines"
	if _, _, err := in.source(files[0]); err != nil {
		if nf := (*source.NotFoundError)(nil); errors.As(err, &nf) && nf.Hint != "" {
			hint = nf.Hint
		}
	}
	const most = 3
	names := strings.Join(files[:min(len(files), most)], ", ")
	if n := len(files) - most; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	return []error{&diag.Error{Op: "source not found: " + names, Hint: hint}}
}
