package cli

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/findings"
)

// notesFlags are the flags of whet notes.
type notesFlags struct {
	outputFlags
	read viewFlags // how profiles are read

	Recordings []string
	Dir        string
	Flags      string // of go build
	Kinds      string
	N          int
	JSON       bool
}

func (a *app) notesCommand() *cobra.Command {
	f := &notesFlags{}
	cmd := &cobra.Command{
		Use:   "notes [PACKAGE...]",
		Short: "Show compiler notes for each line, hot lines first",
		Long: `Show the compiler's notes for each line: what escapes to the heap and why, which
bounds checks and nil checks remain, what can and cannot be inlined, and large
copies. Notes on inlined code are also shown at the line it is inlined into.

A PACKAGE is one of the current module, or of --dir; the default is all of them.
With --recording, the most expensive lines come first: by their share of CPU
time and of the garbage collector's work for what they allocate, then by the
other profiles. A recording is a .whet or a pprof file; each sample is charged
to the innermost line of own code, as in whet find.

A note has a kind, a column and a text. Kinds are escape, bounds, inline, nil
and other.`,
		Example: `  whet notes --recording service.whet
  whet notes --recording cpu.pb.gz --recording allocs.pb.gz --kind escape,bounds
  whet notes --dir examples/leftpad --kind inline -n 0 ./slow
  whet notes --json ./...`,
	}
	f.read.command = "notes"
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.Recordings, "recording", nil, "sort lines by their cost in `FILE`; may repeat")
	fs.StringVar(&f.Dir, "dir", "", "read the source of the module in `DIR` (default: current directory)")
	fs.StringVar(&f.Kinds, "kind", "", "show only notes of these comma-separated `KINDS`")
	registerNumber(fs, &f.N, 20, "show", "source lines")
	fs.StringVar(&f.Flags, "flags", "", "go build `FLAGS` and KEY=value environment of the recorded program")
	fs.StringArrayVar(&f.read.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	f.registerOutput(cmd)
	f.read.MaxMemory.register(fs, "")
	_ = cmd.RegisterFlagCompletionFunc("kind", func(
		*cobra.Command, []string, string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		var kinds []cobra.Completion
		for _, k := range lines.Kinds() {
			kinds = append(kinds, string(k))
		}
		return kinds, cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.notes(cmd.Context(), f, args, cmd.Flags().Changed)
	}
	return cmd
}

// notes does the work of whet notes.
func (a *app) notes(ctx context.Context, f *notesFlags, args []string, given func(string) bool) error {
	o := lines.Options{Dir: f.Dir, Packages: args, N: f.N}
	var err error
	if f.Kinds != "" {
		if o.Kinds, err = lines.ParseKinds(f.Kinds); err != nil {
			return &diag.Error{Op: "--kind", Err: err, Kind: diag.Usage}
		}
	}
	if err := checkNumber("notes", f.N); err != nil {
		return err
	}
	for _, arg := range args {
		if fi, err := os.Stat(arg); strings.HasSuffix(arg, ".whet") ||
			err == nil && fi.Mode().IsRegular() && !strings.HasSuffix(arg, ".go") {
			return diag.Usagef("notes", arg+" is not a package",
				"name recordings with --recording: `whet notes --recording "+arg+"`")
		}
	}
	const profiles = "name recordings with --recording: only their profiles are read"
	if err := checkUseless("notes", given, []useless{
		{"own", len(f.Recordings) == 0, "without a recording", profiles},
		{"max-memory", len(f.Recordings) == 0, "without a recording", profiles},
	}); err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if o.Flags, o.Env, err = buildFlags(f.Flags); err != nil {
		return err
	}
	o.Cache = lines.CacheDir()
	if len(f.Recordings) > 0 {
		from, err := a.opener(&f.read)
		if err != nil {
			return err
		}
		in, err := from.Kinds(ctx, f.Recordings, f.read.Own)
		if err != nil {
			return err
		}
		defer in.Close()
		a.warn(in.Warnings...)
		o.Profiles, o.Own = &find.Profiles{CPU: in.CPU, Allocs: in.Allocs, Mutex: in.Mutex, Block: in.Block}, in.Own.Match
		if in.Recording != nil {
			o.Recorded = in.Recording.SourceFile
		}
	}
	a.progressf("collecting compiler notes …")
	r, err := lines.List(ctx, o)
	if err != nil {
		return err
	}
	a.warn(r.Warnings...)
	r.Warnings = a.warned // also those of reading the recordings
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		if f.JSON {
			return report.JSON(w, r)
		}
		return findings.WriteNotes(w, a.style, r)
	})
}
