package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/input/machinecode"
	"github.com/whet-go/whet/internal/report/listings"
	"github.com/whet-go/whet/source/objfile"
)

// disasmFlags are the flags of whet disasm besides those of all views.
type disasmFlags struct {
	viewFlags
	Binary  string
	Syntax  string
	Context int
}

func (a *app) disasmCommand() *cobra.Command {
	f := &disasmFlags{}
	cmd := &cobra.Command{
		Use:   "disasm REGEXP " + profilesUsage,
		Short: "Show machine code with the cost of each instruction",
		Long: `Show the machine code of the functions whose names match REGEXP (or of the one
at an address, such as 0x4a2f30), with the flat and cumulative cost of each
instruction, as in go tool pprof -disasm. Source lines and inlined calls are
shown where they change, and the called function next to each call.

The code comes from the recording, or from the program that the profile names,
if the file is still the same build. --binary names another file. No binutils
are needed.

` + profilesHelp,
		Example: `  whet disasm '^main\.' demo.whet
  whet disasm --binary ./leftpad '^main\.' cpu.pb.gz
  whet disasm --context 3 --syntax intel '^main\.' cpu.pb.gz`,
		Args: patternArgs,
	}
	f.register(cmd)
	f.registerN(cmd, 0, "functions")
	fs := cmd.Flags()
	fs.StringVar(&f.Binary, "binary", "", "read the machine code from `FILE`")
	fs.StringVar(&f.Syntax, "syntax", "go", "instruction `SYNTAX`: go, gnu or intel")
	fs.IntVar(&f.Context, "context", -1, "show only `N` instructions around each expensive one")
	fs.Lookup("context").DefValue = "the whole function"
	fixFlags(cmd, "code is shown by address", "by", "no-inlines")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkContext(cmd, f.Context); err != nil {
			return err
		}
		f.By, f.NoInlines = "address", true
		return a.disasm(cmd, args, f)
	}
	return cmd
}

func (a *app) disasm(cmd *cobra.Command, args []string, f *disasmFlags) error {
	pattern, err := compileFlag("disasm", args[0])
	if err != nil {
		return err
	}
	syntax, ok := map[string]objfile.Syntax{
		"go": objfile.GoSyntax, "gnu": objfile.GNUSyntax, "intel": objfile.IntelSyntax,
	}[f.Syntax]
	if !ok {
		return unknownValue("disasm", "syntax", f.Syntax, []string{"go", "gnu", "intel"})
	}
	in, err := a.open(cmd.Context(), args[1:], &f.viewFlags)
	if err != nil {
		return err
	}
	defer in.Close()
	code := machinecode.Of(in, f.Binary)
	defer code.Close()
	doc, err := documents.NewDisasm(f.header(in), in.View, listing.DisasmOptions{
		Match: pattern, Code: code.Mapping, Source: in.Source, Syntax: syntax, Context: f.Context,
	})
	a.warn(in.Warnings...)
	a.warn(code.Warnings...)
	switch {
	case errors.Is(err, listing.ErrNoMatch):
		if callers := in.Profile.InlinedInto(pattern, 3); len(callers) > 0 {
			return &diag.Error{
				Op: "disasm", Err: fmt.Errorf("functions that match %q are inlined everywhere and have no machine code", args[0]),
				Hint: "they are inlined into " + strings.Join(callers, ", ") + "; `whet list` shows the source and its cost",
			}
		}
		return disasmNoMatch(args[0], err)
	case err != nil:
		return err
	}
	if f.N > 0 && len(doc.Functions) > f.N {
		doc.Functions = doc.Functions[:f.N]
	}
	doc.Warnings = a.warned
	return show(a, f.JSON, doc, listings.WriteDisasm)
}

func disasmNoMatch(pattern string, err error) error {
	if _, perr := strconv.ParseUint(pattern, 0, 64); perr == nil {
		return &diag.Error{
			Op: "disasm", Err: fmt.Errorf("no function with cost at %s", pattern),
			Hint: "`whet top --by address -n 0` lists addresses",
		}
	}
	if errors.Unwrap(err) != nil { // matched in the profile, not in the binary
		return &diag.Error{
			Op: "disasm", Subject: strconv.Quote(pattern), Err: err,
			Hint: "check that this is the profiled binary, or name another with --binary FILE",
		}
	}
	return noMatch("disasm", pattern, "function")
}
