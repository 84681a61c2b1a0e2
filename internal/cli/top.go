package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/profiles"
)

func (a *app) topCommand() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "top " + profilesUsage,
		Short: "Show the most expensive lines of your own code",
		Long: `Show the most expensive lines of your own code.

Each sample is charged to the innermost own frame on its stack: the line that
caused the cost, whatever it called. The report shows what the line called and,
for a recording with both profiles, its shares of CPU time and of allocated
bytes. Samples without own code are listed below, so that everything adds up.

Own code is the main module, as recorded in the recording or the binary, or the
module of the working directory, or all code outside the standard library and
the module cache; --own adds to it. --all, --cum, --by, --mean, --tagroot and
--tagleaf show the classic view of all code, with the numbers of go tool pprof
-top.

--live shows the lines of a running service that cost most in the last seconds,
with their course: CPU profiles that follow one another, and what was allocated
meanwhile. Ctrl-C, or the end of --duration, prints the sum.

` + profilesHelp,
		Example: `  whet top demo.whet
  whet top --type alloc_space demo.whet
  whet top --all --cum -n 20 cpu.pb.gz
  whet top --by package cpu.pb.gz
  whet top --diff-base before.pb.gz after.pb.gz
  whet top http://localhost:6060
  whet top --live http://localhost:6060`,
		Args: profileArgs,
	}
	f.register(cmd)
	f.registerN(cmd, 0, "entries")
	f.registerCum(cmd)
	f.registerMean(cmd)
	cmd.Flags().BoolVar(&f.All, "all", false, "show all code, not only your own")
	live := false
	cmd.Flags().BoolVar(&live, "live", false, "show the lines of a service that cost most now, until Ctrl-C")
	cmd.Flags().Lookup("number").DefValue = "10 lines, 20 nodes"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if live {
			return a.topLive(cmd.Context(), args, f, cmd.Flags().Changed)
		}
		in, err := a.open(cmd.Context(), args, f)
		if err != nil {
			return err
		}
		defer in.Close()
		return a.top(in, f, cmd.Flags().Changed("number"), cmd.Flags().Changed("by"))
	}
	return cmd
}

// Numbers of entries that top shows without -n, which fit on a screen with the heading.
const (
	topLines = 10
	topNodes = 20
)

func (a *app) top(in *input.Input, f *viewFlags, counted, grouped bool) error {
	why := ""
	own := in.Own.Known && !f.All && !f.Cum && !f.Mean && !f.framesLabels() && !grouped
	if !in.Own.Known && !f.All && !f.Mean && !f.framesLabels() && !grouped {
		why = "no own code found (--own PREFIX adds it); this is all code:"
	}
	var doc documents.Top
	n := f.N
	if own {
		if !counted {
			n = topLines
		}
		r := in.View.Own(in.Own.Match)
		if prefix := input.Dispatched(r); prefix != "" {
			in.Warnings = append(in.Warnings, diag.Warning{
				Text: "only main.main is known to be own code",
				Hint: "--own " + prefix + " adds the packages that it calls; --all shows all code",
			})
		}
		dir, _ := os.Getwd() // without it paths are less short
		var also *owncode.Second
		if v, part, err := in.Also(); err != nil {
			in.Warnings.Add(err)
		} else if v != nil {
			also = &owncode.Second{Profile: part, SampleType: v.Type(), Total: v.Total(), Report: v.Own(in.Own.Match)}
		}
		doc = documents.NewOwn(f.header(in), r, also, n, dir)
	} else {
		if !counted {
			n = topNodes
		}
		doc = documents.NewTop(f.header(in), in.View, n, f.Cum, why)
	}
	if len(f.Base) == 0 && len(f.DiffBase) == 0 {
		doc.Collector = documents.CollectorOf(in)
	}
	a.warn(in.Warnings...)
	if f.JSON {
		doc.Warnings = a.warned
		return a.writeJSON(doc)
	}
	if err := a.write(func(w io.Writer) error { return profiles.WriteTop(w, a.style, doc) }); err != nil {
		return err
	}
	if own && in.Recording != nil && len(in.Opened) == 1 {
		a.next("find", in.Opened[0].Name)
	}
	return nil
}

// profileArgs is the argument check of views.
func profileArgs(cmd *cobra.Command, args []string) error {
	return someArgs("no profile given",
		"name a recording, a pprof file, an address, or - for standard input: `whet "+cmd.Name()+" cpu.pb.gz`")(cmd, args)
}
