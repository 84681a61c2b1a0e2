package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/profiles"
)

func (a *app) peekCommand() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "peek REGEXP " + profilesUsage,
		Short: "Show callers and callees of functions",
		Long: `Show the callers (above) and callees (below) of the functions whose names match
REGEXP, with the part of the function's cumulative value that each call accounts
for, as in go tool pprof -peek.

` + profilesHelp,
		Example: `  whet peek mallocgc cpu.pb.gz
  whet peek --cum -n 3 '^runtime\.' demo.whet`,
		Args: patternArgs,
	}
	f.register(cmd)
	f.registerN(cmd, 0, "matches")
	f.registerCum(cmd)
	f.registerMean(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pattern, err := compileFlag("peek", args[0])
		if err != nil {
			return err
		}
		in, err := a.open(cmd.Context(), args[1:], f)
		if err != nil {
			return err
		}
		defer in.Close()
		a.warn(in.Warnings...)
		doc := documents.NewPeek(f.header(in), in.View, pattern, f.N, f.Cum)
		if len(doc.Nodes) == 0 {
			return noMatch("peek", args[0], doc.By)
		}
		doc.Warnings = a.warned
		return show(a, f.JSON, doc, profiles.WritePeek)
	}
	return cmd
}

// noMatch returns the error of a view whose REGEXP matches nothing.
func noMatch(op, pattern, by string) error {
	return &diag.Error{
		Op: op, Err: fmt.Errorf("no %s matches %q", by, pattern),
		Hint: "`whet top --all -n 0` lists the names; (?i) at the start ignores case",
	}
}

// patternArgs is the argument check of views that take a regular expression first.
func patternArgs(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return diag.Usagef(cmd.Name(), "no regular expression given", usageHint(cmd))
	case 1:
		if input.Exists(args[0]) || input.IsURL(args[0]) {
			return diag.Usagef(cmd.Name(), "no regular expression given",
				"give it first: `whet "+cmd.Name()+" REGEXP "+args[0]+"`")
		}
		return diag.Usagef(cmd.Name(), "no profile given", usageHint(cmd))
	}
	if input.Exists(args[0]) && !input.Exists(args[1]) && !input.IsURL(args[1]) && args[1] != "-" {
		return diag.Usagef(cmd.Name(), fmt.Sprintf("file %s does not exist", args[1]),
			"the regular expression comes first: `whet "+cmd.Name()+" "+args[1]+" "+args[0]+"`")
	}
	return nil
}
