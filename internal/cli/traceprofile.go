package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/profiles"
)

// traceProfileFlags are the flags of whet trace profile.
type traceProfileFlags struct {
	traceFlags
	outputFlags
	Goroutines string
	Class      string
}

func profileTypes() []string {
	names := make([]string, len(profiles.Types()))
	for i, t := range profiles.Types() {
		names[i] = string(t)
	}
	return names
}

func (a *app) traceProfileCommand() *cobra.Command {
	f := &traceProfileFlags{}
	cmd := &cobra.Command{
		Use:   "profile TYPE TRACE",
		Short: "Write a pprof profile from a trace",
		Long: `Write a pprof profile from a trace, for any view.

TYPE is one of
  net       where goroutines waited for the network
  sync      where they waited for locks, channels and selects
  chan      like sync, for channels and selects only
  syscall   where they were in system calls
  sched     where they became runnable, and waited for a CPU
  cpu       CPU samples, if a CPU profile was taken at the same time
  gcassist  where they helped the garbage collector
  creation  where goroutines were started

For a whole trace, net, sync, syscall and sched equal the profiles of go tool
trace -pprof, which omits what a goroutine did before it first ran, and the
state it is in when the trace ends.`,
		Example: `  whet trace profile sync -o sync.pb.gz demo.whet
  whet trace profile net --goroutines 'net/http.*serve' -o net.pb.gz trace.out
  whet trace profile sync --class 'task .*' -o tasks.pb.gz demo.whet`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return diag.Usagef("trace profile", "want a type and a trace",
					"`whet trace profile sync demo.whet`; types are "+strings.Join(profileTypes(), ", "))
			}
			if !slices.Contains(profiles.Types(), profiles.Type(args[0])) {
				return unknownValue("trace profile", "type", args[0], profileTypes())
			}
			return nil
		},
	}
	f.registerWindow(cmd)
	cmd.Flags().StringVar(&f.Goroutines, "goroutines", "", "keep only goroutines that run a function matching `REGEXP`")
	cmd.Flags().StringVar(&f.Class, "class", "", "keep only what serves requests whose handler or task matches `REGEXP`")
	f.registerOutput(cmd)
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.traceProfile(cmd.Context(), profiles.Type(args[0]), args[1], f)
	}
	return cmd
}

func (a *app) traceProfile(ctx context.Context, typ profiles.Type, arg string, f *traceProfileFlags) error {
	o := profiles.Options{}
	class, err := optionalRegexp("--class", f.Class)
	if err != nil {
		return err
	}
	if o.Goroutines, err = optionalRegexp("--goroutines", f.Goroutines); err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if !f.toFile() && isTerminal(a.stdout) {
		return diag.Usagef("trace profile", "will not write a profile to a terminal", "use -o FILE.pb.gz")
	}
	x, _, err := a.openTrace(ctx, arg, &f.traceFlags)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	if class != nil {
		parts, counted, all, err := profiles.Within(x, class)
		switch {
		case errors.Is(err, profiles.ErrNoRequest):
			return &diag.Error{Op: "trace profile", Err: err, Hint: "`whet trace requests` lists the classes"}
		case err != nil:
			return err
		case counted < all:
			a.warn(diag.Warning{
				Text: fmt.Sprintf("only the first %d of %d requests count", counted, all),
				Hint: "narrow the window with --from and --to",
			})
		}
		o.Within = parts
	}
	p, err := profiles.New(x, typ, o)
	if err != nil {
		return err
	}
	if len(p.Sample) == 0 {
		a.warn(diag.Warning{Text: fmt.Sprintf("the trace has no data of type %s", typ)})
	}
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error { return p.Write(w) })
}
