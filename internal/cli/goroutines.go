package cli

import (
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace"
)

func (a *app) goroutinesCommand() *cobra.Command {
	f := &viewFlags{}
	leaks := false
	cmd := &cobra.Command{
		Use:   "goroutines [BEFORE] NOW",
		Short: "Show what goroutines wait for, where they start, and which leak",
		Long: `Show the goroutines of a program: how many have each stack, what they wait for
and since when, and which function started them. Own code comes first.

A recording is compared with itself: what grew over its window. Two arguments
are compared with each other. A group is a leak if the target's goroutineleak
profile contains it. It is a suspect if nothing can wake it, or if it grew by
two or more that only another goroutine can wake and that are not known to wait
briefly; waiting for a lock counts after ten seconds.

How long goroutines wait and who started them comes from the recording's
execution trace, or from a dump. A goroutine profile has neither; a creator
inferred from function names is marked "by its name".

NOW and BEFORE are each a recording (.whet), a goroutine or goroutineleak
profile, a text dump (of runtime.Stack, a panic, SIGQUIT, or debug=1), an
address (the base URL of a service that serves /debug/pprof/, or of a profile)
or "-" for standard input. whet never requests debug=2, which stops the world.`,
		Example: `  whet goroutines demo.whet
  whet goroutines monday.whet friday.whet
  whet goroutines panic.txt
  whet goroutines --focus 'net/http' http://localhost:6060`,
		Args: twoArgs("whet goroutines demo.whet"),
	}
	f.registerN(cmd, 20, "groups")
	fs := cmd.Flags()
	fs.StringVar(&f.Focus, "focus", "", "only goroutines with a function, file or creator that matches `REGEXP`")
	fs.StringVar(&f.Ignore, "ignore", "", "no goroutines with a match for `REGEXP`")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.BoolVar(&leaks, "leaks", false, "also fetch the goroutineleak profile of an address (runs a garbage collection)")
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.N < 0 {
			return diag.Usagef("goroutines", "-n must be 0 (all) or more", "")
		}
		return a.goroutines(cmd.Context(), args, f, leaks)
	}
	return cmd
}

func (a *app) goroutines(ctx context.Context, args []string, f *viewFlags, leaks bool) error {
	if err := f.checkAddressFlags(args); err != nil {
		return err
	}
	opt := report.GoroutineOptions{N: f.N, Filters: f.filters()}
	q, err := f.query(0)
	if err != nil {
		return err
	}
	opt.Focus, opt.Ignore = q.Focus, q.Ignore
	ld := &loader{app: a, flags: f}
	var seen []*goroutineSource
	for _, arg := range args {
		src, err := ld.goroutines(ctx, arg, leaks && isURL(arg))
		if err != nil {
			return err
		}
		seen = append(seen, src)
	}
	now := seen[len(seen)-1]
	switch {
	case len(seen) == 2:
		now.snap.Grow(seen[0].snap)
	case now.start != nil:
		now.snap.Grow(now.start)
	}
	opt.Trace, opt.Leaks = now.trace, now.leaks
	opt.Own, opt.OwnModules = now.own(f)
	warnings := now.snap.Warnings
	if len(seen) == 2 {
		warnings = append(slices.Clone(seen[0].snap.Warnings), warnings...)
	}
	a.printWarnings(warnings)
	doc := report.NewGoroutines(now.snap, opt)
	if f.JSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return report.WriteGoroutines(w, a.style, doc) })
}

// A goroutineSource is the goroutines of one argument and what tells own code.
type goroutineSource struct {
	snap  *goroutines.Snapshot
	start *goroutines.Snapshot // of the same recording, at its start
	trace time.Duration        // of the trace that was joined
	leaks bool                 // a goroutineleak profile was joined

	recording *recording.Recording // nil without one; only its metadata is good
	prof      *profile.Profile     // nil for a dump
}

// goroutines reads what arg names. The service at an address is asked for its
// leaks only on request.
func (ld *loader) goroutines(ctx context.Context, arg string, leaks bool) (*goroutineSource, error) {
	d, err := ld.document(ctx, arg, func(u *url.URL) { u.Path += "goroutine" })
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.rec != nil {
		return ld.recordedGoroutines(d)
	}
	src := &goroutineSource{}
	opt := goroutines.Options{Name: d.name}
	if d.text {
		src.snap, err = goroutines.FromDump(d.r, opt)
		if errors.Is(err, goroutines.ErrNoGoroutines) {
			return nil, &diag.Error{Op: "read", Subject: d.name, Err: goroutines.ErrNoGoroutines}
		}
		if err != nil {
			return nil, readError(d.name, err)
		}
		return src, nil
	}
	if src.prof, err = profile.Read(d.r, ld.options()); err != nil {
		return nil, readError(d.name, err)
	}
	if src.snap, err = goroutines.FromProfile(src.prof, opt); err != nil {
		return nil, &diag.Error{
			Op: "read", Subject: d.name, Err: errors.New("not a goroutine profile"),
			Hint: "`whet top " + arg + "` shows what it is",
		}
	}
	src.leaks = src.snap.Kind == "goroutineleak profile"
	src.snap.Warnings = append(src.snap.Warnings, src.prof.Warnings...)
	if leaks {
		if err := ld.fetchLeaks(ctx, arg, src); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// fetchLeaks asks the service at addr for the goroutineleak profile.
func (ld *loader) fetchLeaks(ctx context.Context, addr string, src *goroutineSource) error {
	u, err := url.Parse(addr)
	if err != nil {
		return err
	}
	if i := strings.LastIndex(u.Path, "/debug/pprof/"); i >= 0 {
		u.Path, u.RawPath = u.Path[:i], ""
	}
	u.RawQuery = ""
	body, err := ld.fetch(ctx, u.String(), "goroutineleak")
	if err != nil && strings.Contains(err.Error(), "404") {
		return &diag.Error{Op: "--leaks", Err: errors.New(err.Error()), // without its hint
			Hint: "services have this profile if built with Go 1.27, or with Go 1.26 and GOEXPERIMENT=goroutineleakprofile"}
	}
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // it has been read
	p, err := profile.Read(body, ld.options())
	if err != nil {
		return readError(u.Redacted(), err)
	}
	leak, err := goroutines.FromProfile(p, goroutines.Options{Name: u.Redacted()})
	if err != nil {
		return err
	}
	src.snap.MarkLeaks(leak)
	src.leaks = true
	return nil
}

// recordedGoroutines joins all that a recording tells about goroutines. What is
// damaged but not needed is a warning.
func (ld *loader) recordedGoroutines(d *document) (*goroutineSource, error) {
	rec := d.rec
	names := rec.ProfileNames()
	if !slices.Contains(names, "goroutine") {
		return nil, missingPart(rec, d.name, "goroutine", "goroutine profile")
	}
	src := &goroutineSource{recording: rec}
	var err error
	if src.prof, err = rec.Profile("goroutine"); err != nil {
		return nil, err
	}
	if src.snap, err = goroutines.FromProfile(src.prof, goroutines.Options{Name: d.name}); err != nil {
		return nil, err
	}
	src.snap.Warnings = append(src.snap.Warnings, rec.Warnings...)
	warn := func(err error) { src.snap.Warnings = append(src.snap.Warnings, err) }
	part := func(name string) *goroutines.Snapshot {
		if !slices.Contains(names, name) {
			return nil
		}
		p, err := rec.Profile(name)
		if err != nil {
			warn(err)
			return nil
		}
		s, err := goroutines.FromProfile(p, goroutines.Options{Name: d.name})
		if err != nil {
			warn(err)
			return nil
		}
		return s
	}
	if leak := part("goroutineleak"); leak != nil {
		src.snap.MarkLeaks(leak)
		src.leaks = true
	}
	if rec.Has(recording.TracePart) {
		if waits, err := recordedWaits(rec); err != nil {
			warn(err)
		} else {
			src.snap.AddTrace(waits)
			src.trace = waits.Duration
		}
	}
	if src.start = part("goroutine.start"); src.start != nil {
		src.start.Name = "its start"
	}
	return src, nil
}

func recordedWaits(rec *recording.Recording) (*trace.WaitReport, error) {
	r, err := rec.Part(recording.TracePart)
	if err != nil {
		return nil, err
	}
	rep, err := trace.Waits(r, trace.WaitOptions{})
	if cerr := r.Close(); err == nil && cerr != nil {
		rep.Warnings = append(rep.Warnings, cerr)
	}
	return rep, err
}

// own tells own frames as input.findOwn does, from the frames when there is no
// profile.
func (src *goroutineSource) own(f *viewFlags) (func(goroutines.Frame) bool, []string) {
	p := src.prof
	if p == nil {
		p = &profile.Profile{Functions: src.functions()}
	}
	in := &input{Profile: p, Recording: src.recording}
	in.findOwn(f)
	return func(fr goroutines.Frame) bool { return in.Own(profile.Function{Name: fr.Func, File: fr.File}) }, in.OwnModules
}

// functions lists those on the stacks of a dump. Dumps leave out the runtime's
// functions, but not its files, which tell where the standard library is.
func (src *goroutineSource) functions() []profile.Function {
	seen := make(map[profile.Function]bool)
	var fns []profile.Function
	add := func(f profile.Function) {
		if !seen[f] {
			seen[f] = true
			fns = append(fns, f)
		}
	}
	for i := range src.snap.Groups {
		for _, fr := range src.snap.Groups[i].Stack {
			add(profile.Function{Name: fr.Func, File: fr.File})
			if strings.Contains(fr.File, "/src/runtime/") {
				add(profile.Function{Name: "runtime.gopark", File: fr.File})
			}
		}
		c := src.snap.Groups[i].Creator
		add(profile.Function{Name: c.Func, File: c.File})
	}
	return fns
}
