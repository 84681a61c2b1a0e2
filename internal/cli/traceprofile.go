package cli

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/trace/profiles"
)

// traceProfileFlags are the flags of whet trace profile.
type traceProfileFlags struct {
	traceFlags
	outputFlags
	Goroutines string
}

func profileTypes() string {
	names := make([]string, len(profiles.Types()))
	for i, t := range profiles.Types() {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

func (a *app) traceProfileCommand() *cobra.Command {
	f := &traceProfileFlags{}
	cmd := &cobra.Command{
		Use:   "profile TYPE TRACE",
		Short: "Make a pprof profile of what a trace holds",
		Long: `Make a pprof profile of what a trace holds; every view reads it.

TYPE is one of
  net       where goroutines waited for the network
  sync      where they waited for locks, channels and selects
  chan      of these, for channels and selects
  syscall   where they were in system calls
  sched     where they were made to run, and waited for a processor
  cpu       CPU samples, if a CPU profile was taken at the same time
  gcassist  where they helped the garbage collector
  creation  where goroutines were started

net, sync, syscall and sched of a whole trace are what go tool trace -pprof has.
It leaves out what a goroutine did before it first ran, and what it is still in
when the trace ends.`,
		Example: `  whet trace profile sync -o sync.pb.gz demo.whet
  whet trace profile net --goroutines 'net/http.*serve' -o net.pb.gz trace.out`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return diag.Usagef("trace profile", "want a type and a trace", "`whet trace profile sync demo.whet`; types are "+profileTypes())
			}
			if !slices.Contains(profiles.Types(), profiles.Type(args[0])) {
				return diag.Usagef("trace profile", fmt.Sprintf("there is no type %q", args[0]), "there are "+profileTypes())
			}
			return nil
		},
	}
	f.registerWindow(cmd)
	cmd.Flags().StringVar(&f.Goroutines, "goroutines", "", "only goroutines that run a function that matches `REGEXP`")
	f.registerOutput(cmd)
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.traceProfile(cmd.Context(), profiles.Type(args[0]), args[1], f)
	}
	return cmd
}

func (a *app) traceProfile(ctx context.Context, typ profiles.Type, arg string, f *traceProfileFlags) error {
	o := profiles.Options{}
	if f.Goroutines != "" {
		var err error
		if o.Goroutines, err = regexp.Compile(f.Goroutines); err != nil {
			return diag.Usagef("trace profile", fmt.Sprintf("--goroutines: %v", err), "it is a regular expression of Go")
		}
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if !f.toFile() && isTerminal(a.stdout) {
		return diag.Usagef("trace profile", "the profile would go to the terminal", "-o FILE.pb.gz")
	}
	x, _, err := a.openTrace(ctx, arg, &f.traceFlags, "")
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	p, err := profiles.Of(x, typ, o)
	if err != nil {
		return err
	}
	if len(p.Sample) == 0 {
		a.printWarnings([]error{fmt.Errorf("the trace holds nothing of type %s", typ)})
	}
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error { return p.Write(w) })
}
