package input

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/waits"
)

// Goroutines are the goroutines in one argument.
type Goroutines struct {
	Snapshot *goroutines.Snapshot
	Start    *goroutines.Snapshot // from the start of the same recording; nil if there is none
	Trace    time.Duration        // duration of the joined trace
	Leaks    bool                 // a goroutineleak profile was joined

	recording *recording.Recording // nil if there is none; only its metadata is usable
	profile   *profile.Profile     // nil for a dump
}

// Goroutines reads the goroutines in arg: a recording, a profile or a dump. With leaks, it also
// fetches the goroutineleak profile if arg is an address.
func (o *Opener) Goroutines(ctx context.Context, arg string, leaks bool) (*Goroutines, error) {
	d, err := o.Document(ctx, arg, func(u *url.URL) { u.Path += "goroutine" })
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.Recording != nil {
		return o.recordedGoroutines(ctx, d)
	}
	src := &Goroutines{}
	opt := goroutines.Options{Name: d.Name}
	if d.Text {
		src.Snapshot, err = goroutines.FromDump(d.Reader, opt)
		if errors.Is(err, goroutines.ErrNoGoroutines) {
			return nil, &diag.Error{Op: "read", Subject: d.Name, Err: goroutines.ErrNoGoroutines}
		}
		if err != nil {
			return nil, readError(d.Name, err)
		}
		return src, nil
	}
	if src.profile, err = profile.Read(d.Reader, d.options); err != nil {
		return nil, readError(d.Name, err)
	}
	if src.Snapshot, err = goroutines.FromProfile(src.profile, opt); err != nil {
		return nil, &diag.Error{
			Op: "read", Subject: d.Name, Err: errors.New("not a goroutine profile"),
			Hint: "`whet top " + arg + "` shows what it is",
		}
	}
	src.Leaks = src.Snapshot.Kind == "goroutineleak profile"
	src.Snapshot.Warnings = append(src.Snapshot.Warnings, src.profile.Warnings...)
	if leaks {
		if err := o.fetchLeaks(ctx, arg, src); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// fetchLeaks fetches the goroutineleak profile of the service at addr.
func (o *Opener) fetchLeaks(ctx context.Context, addr string, src *Goroutines) error {
	u, err := url.Parse(addr)
	if err != nil {
		return err
	}
	if i := strings.LastIndex(u.Path, "/debug/pprof/"); i >= 0 {
		u.Path, u.RawPath = u.Path[:i], ""
	}
	u.RawQuery = ""
	body, err := o.fetch(ctx, u.String(), "goroutineleak")
	if err != nil && strings.Contains(err.Error(), "404") {
		return &diag.Error{Op: "--leaks", Err: errors.New(err.Error()), // without its hint
			Hint: "services have this profile if built with Go 1.27, or with Go 1.26 and GOEXPERIMENT=goroutineleakprofile"}
	}
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // it has been read
	p, err := profile.Read(body, o.streamOptions())
	if err != nil {
		return readError(u.Redacted(), err)
	}
	leak, err := goroutines.FromProfile(p, goroutines.Options{Name: u.Redacted()})
	if err != nil {
		return err
	}
	src.Snapshot.MarkLeaks(leak)
	src.Leaks = true
	return nil
}

// recordedGoroutines joins all parts of a recording about goroutines. Damaged parts that are not
// required are warnings.
func (o *Opener) recordedGoroutines(ctx context.Context, d *Document) (*Goroutines, error) {
	rec := d.Recording
	names := rec.ProfileNames()
	if !slices.Contains(names, "goroutine") {
		return nil, MissingPart(rec, d.Name, "goroutine", "goroutine profile")
	}
	src := &Goroutines{recording: rec}
	var err error
	if src.profile, err = rec.Profile("goroutine"); err != nil {
		return nil, err
	}
	if src.Snapshot, err = goroutines.FromProfile(src.profile, goroutines.Options{Name: d.Name}); err != nil {
		return nil, err
	}
	src.Snapshot.Warnings = append(src.Snapshot.Warnings, rec.Warnings...)
	warn := func(err error) { src.Snapshot.Warnings.Add(err) }
	part := func(name string) *goroutines.Snapshot {
		if !slices.Contains(names, name) {
			return nil
		}
		p, err := rec.Profile(name)
		if err != nil {
			warn(err)
			return nil
		}
		s, err := goroutines.FromProfile(p, goroutines.Options{Name: d.Name})
		if err != nil {
			warn(err)
			return nil
		}
		return s
	}
	if leak := part("goroutineleak"); leak != nil {
		src.Snapshot.MarkLeaks(leak)
		src.Leaks = true
	}
	if rec.Has(recording.TracePart) {
		rep, err := o.recordedWaits(ctx, rec)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			warn(err)
		default:
			src.Snapshot.AddTrace(rep)
			src.Trace = rep.Duration
		}
	}
	if src.Start = part("goroutine.start"); src.Start != nil {
		src.Start.Name = "its start"
	}
	return src, nil
}

// waitsMemory is the default memory limit for reading what goroutines wait for: enough for the
// million goroutines of a program that leaks them.
const waitsMemory = 1400 << 20

// recordedWaits reads what goroutines wait for at the end of a recording's trace.
func (o *Opener) recordedWaits(ctx context.Context, rec *recording.Recording) (rep *waits.Report, err error) {
	open := func() (io.ReadCloser, error) { return rec.Part(recording.TracePart) }
	x, err := buildTrace(ctx, "", open, index.Options{MaxMemory: cmp.Or(int64(o.MaxMemory), waitsMemory)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	return waits.NewReport(x.Until(ctx))
}

// Own returns a function that reports whether a frame is own code, as OwnCode does for functions,
// and the own modules. Without a profile, own code is determined from the frames.
func (src *Goroutines) Own(prefixes []string) (own func(goroutines.Frame) bool, modules []string) {
	p := src.profile
	if p == nil {
		p = &profile.Profile{Functions: src.functions()}
	}
	code := OwnCode(p, src.recording, prefixes)
	return func(fr goroutines.Frame) bool {
		return code.Match(profile.Function{Name: fr.Func, File: fr.File})
	}, code.Modules
}

// functions lists the functions on the stacks of a dump. Dumps omit the runtime's functions, but
// not its files, which show where the standard library is.
func (src *Goroutines) functions() []profile.Function {
	seen := make(map[profile.Function]bool)
	var fns []profile.Function
	add := func(f profile.Function) {
		if !seen[f] {
			seen[f] = true
			fns = append(fns, f)
		}
	}
	for i := range src.Snapshot.Groups {
		for _, fr := range src.Snapshot.Groups[i].Stack {
			add(profile.Function{Name: fr.Func, File: fr.File})
			if strings.Contains(fr.File, "/src/runtime/") {
				add(profile.Function{Name: "runtime.gopark", File: fr.File})
			}
		}
		c := src.Snapshot.Groups[i].Creator
		add(profile.Function{Name: c.Func, File: c.File})
	}
	return fns
}
