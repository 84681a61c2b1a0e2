package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/work"
	"github.com/whet-go/whet/source"
)

// input is what a view shows: the arguments' profiles of the type that was asked
// for, merged, with the base subtracted, bound to the flags' query.
type input struct {
	Name    string // for titles
	Part    string // profile's name in its recording, "" without one
	Profile *profile.Profile
	View    *profile.View
	Type    profile.ValueType

	// Recording is the first recording among the arguments, nil without one.
	Recording *recording.Recording

	// Own tells own code. It is never nil; nothing is own unless OwnKnown.
	Own        func(profile.Function) bool
	OwnKnown   bool
	OwnModules []string
	OwnMain    string // the main module, "" when not known
	OwnFrom    string // what told: "the recording", "--own", …

	Finder *source.Finder // knows the recording's files and the program's modules

	Warnings []error

	perRequest string // of a difference: what a request costs in the base and here

	opened []*loaded
	query  profile.Query
	build  *recording.Build // nil when not known
}

// Close releases the recordings. The profile stays valid.
func (in *input) Close() {
	for _, l := range in.opened {
		if l.rec != nil {
			_ = l.rec.Close() // opened for reading: nothing can be lost
		}
	}
}

// open reads the profiles that args name, as viewFlags describes, and binds the
// flags' query. The input must be closed.
func (a *app) open(ctx context.Context, args []string, f *viewFlags) (*input, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := f.checkUse(args); err != nil {
		return nil, err
	}
	in := &input{Name: inputName(args)}
	if err := in.load(ctx, &loader{app: a, flags: f}, args); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// load does open's work. What it has opened is in in.opened even with an error.
func (in *input) load(ctx context.Context, ld *loader, args []string) error {
	f := ld.flags
	main, err := ld.loadAll(ctx, args, f.Type)
	in.opened = append(in.opened, main...)
	if err != nil {
		return err
	}
	typ, err := typeIndex(main[0].prof, main[0].sample)
	if err != nil {
		return err
	}
	shown := main[0].prof.SampleTypes[typ]
	if in.Profile, err = merge(main, args, shown); err != nil {
		return err
	}
	in.Part = main[0].part
	for _, l := range main {
		if in.Recording == nil {
			in.Recording = l.rec
		}
		in.Warnings = append(in.Warnings, l.warnings...)
	}
	if err := in.subtract(ctx, ld, f, main[0], shown); err != nil {
		return err
	}
	in.Warnings = append(in.Warnings, in.Profile.Warnings...)

	// Others may have fewer sample types, which moves it.
	typ = slices.Index(in.Profile.SampleTypes, shown)
	if in.query, err = f.query(typ); err != nil {
		return err
	}
	if err := f.checkUnit(shown); err != nil {
		return err
	}
	in.findOwn(f)
	in.warnTruncated()
	if err := in.addLabelFrames(f); err != nil {
		return err
	}
	in.Finder = source.NewFinder(in.sourceOptions())
	if in.View, err = in.Profile.View(in.query); err != nil {
		return &diag.Error{
			Op: ld.flags.command, Err: err, Kind: diag.Usage,
			Hint: "--tag-focus and --tag-ignore take REGEXP, KEY=REGEXP or a range: 4kb, 4kb:, :1mb, 4kb:1mb",
		}
	}
	in.Type = in.View.Type()
	in.warn(f)
	return nil
}

// addLabelFrames adds the frames that --tagroot and --tagleaf ask for. None is own code.
func (in *input) addLabelFrames(f *viewFlags) error {
	keys := slices.Concat(f.TagRoot, f.TagLeaf)
	if len(keys) == 0 {
		return nil
	}
	p, unmatched, err := in.Profile.LabelFrames(f.TagRoot, f.TagLeaf, f.outputUnit())
	if err != nil {
		return &diag.Error{Op: "add frames of labels", Err: err, Hint: "leave out --tagroot and --tagleaf"}
	}
	for _, key := range unmatched {
		in.Warnings = append(in.Warnings, in.noLabel(key))
	}
	own := in.Own
	in.Profile = p
	in.Own = func(fn profile.Function) bool { return !slices.Contains(keys, fn.File) && own(fn) }
	return nil
}

// subtract reads the base that the flags name, if any, and subtracts it.
func (in *input) subtract(ctx context.Context, ld *loader, f *viewFlags, first *loaded, shown profile.ValueType) error {
	names, op := f.Base, profile.Subtract
	if len(f.DiffBase) > 0 {
		names, op = f.DiffBase, profile.DiffBase
	}
	if len(names) == 0 {
		return nil
	}
	ld.base = true
	bases, err := ld.loadAll(ctx, names, first.selection())
	in.opened = append(in.opened, bases...)
	if err != nil {
		return err
	}
	base, err := merge(bases, names, shown)
	if err != nil {
		return err
	}
	if err := profile.Comparable(in.Profile, base, shown); err != nil {
		return notComparable("subtract base", fmt.Sprintf("%s from %s", inputName(names), in.Name), err, in.Profile, base)
	}
	if len(f.DiffBase) > 0 && !f.Normalize {
		in.scaleToBase(ctx, ld.app, base, bases, shown)
	}
	if in.Profile, err = op(in.Profile, base, f.Normalize); err != nil {
		return &diag.Error{
			Op: "subtract base", Subject: inputName(names), Err: err,
			Hint: "the base must be a profile of the same kind; --type says which",
		}
	}
	for _, l := range bases {
		in.Warnings = append(in.Warnings, l.warnings...)
	}
	return nil
}

// scaleToBase scales in to as many requests as base answered, so that their difference
// is one of costs per request, and says so, or why not.
func (in *input) scaleToBase(ctx context.Context, a *app, base *profile.Profile, bases []*loaded, shown profile.ValueType) {
	main := slices.DeleteFunc(slices.Clone(in.opened), func(l *loaded) bool { return slices.Contains(bases, l) })
	recorded := slices.ContainsFunc(in.opened, func(l *loaded) bool { return l.rec != nil })
	if !recorded || !work.PerRequest(shown.Type) {
		return
	}
	var pair *work.Pair
	err := error(&work.Error{Reason: "several profiles are merged", Cure: "compare one recording with one"})
	if len(bases) == 1 && len(main) == 1 {
		before := &input{Name: bases[0].name, Recording: bases[0].rec, Part: bases[0].part}
		after := &input{Name: main[0].name, Recording: main[0].rec, Part: main[0].part}
		pair, err = a.workBetween(ctx, before, after)
	}
	if err != nil {
		e := &diag.Error{Op: "totals are compared, not costs per request", Err: err}
		if h := interface{ Hint() string }(nil); errors.As(err, &h) {
			e.Hint = h.Hint()
		}
		in.Warnings = append(in.Warnings, e)
		return
	}
	for _, text := range pair.Differences {
		in.Warnings = append(in.Warnings, errors.New(text))
	}
	in.perRequest = report.CompareRequests(base, in.Profile, shown, pair)
	in.Profile = in.Profile.Scaled(func(t profile.ValueType) float64 {
		return pair.ScaleB(t.Type, base.Sum(t), in.Profile.Sum(t))
	})
	in.Warnings = append(in.Warnings, &diag.Error{
		Op:   fmt.Sprintf("costs are scaled to the %d requests of the base; here there were %d", pair.A.Rounded(), pair.B.Rounded()),
		Hint: "`whet diff` compares per request, with intervals; --normalize compares shares",
	})
}

// sourceOptions tells a Finder where the source of in's program may be.
func (in *input) sourceOptions() source.Options {
	var opt source.Options
	if dir, err := os.Getwd(); err == nil {
		opt.Dirs = []string{dir}
	}
	if in.Recording != nil {
		opt.Archive = in.Recording.SourceFile
		opt.GoVersion = in.Recording.Meta().GoVersion
	}
	if in.build != nil {
		if main := sourceModule(in.build.Main); main.Path != "" {
			main.Main = true
			opt.Modules = append(opt.Modules, main)
		}
		for _, m := range in.build.Deps {
			opt.Modules = append(opt.Modules, sourceModule(m))
		}
	}
	return opt
}

// sourceModule says where a module of a build has its source: a replaced one lies
// where its replacement does.
func sourceModule(m recording.Module) source.Module {
	switch {
	case m.Replace == nil:
		return source.Module{Path: m.Path, Version: m.Version}
	case !m.IsDir():
		return source.Module{Path: m.Replace.Path, Version: m.Replace.Version}
	case filepath.IsAbs(m.Replace.Path):
		return source.Module{Path: m.Path, Dir: m.Replace.Path}
	}
	return source.Module{Path: m.Path}
}

// header returns the facts that reports open with.
func (in *input) header(f *viewFlags) report.Header {
	p := in.Profile
	h := report.Header{
		Name: in.Name, Profile: in.Part, SampleType: in.Type,
		Total: in.View.Total(), Samples: sampleCount(p), Stacks: p.NumSamples(),
		Duration: p.Duration, Time: p.Time,
		Own: in.OwnModules, OwnFrom: in.OwnFrom, Main: in.OwnMain,
		PerRequest: in.perRequest, Unit: f.outputUnit(),
		Filters: f.filters(), Base: append(slices.Clone(f.Base), f.DiffBase...),
	}
	if f.Relative {
		// The total is of what the filters keep; so is the count.
		h.Samples, h.Stacks = in.keptSamples(), in.View.Samples()
	}
	if len(p.Mappings) > 0 && p.Mappings[0].File != "" {
		h.Program = filepath.Base(p.Mappings[0].File)
	}
	if in.Recording != nil {
		m := in.Recording.Meta()
		h.Target, h.GoVersion, h.GOMAXPROCS = m.Target.String(), m.GoVersion, m.GOMAXPROCS
		if h.Duration == 0 {
			h.Duration = m.Duration
		}
		if m.Build != nil && m.Build.Path != "" && h.Program == "" {
			h.Program = filepath.Base(m.Build.Path)
		}
	}
	for _, w := range in.Warnings {
		h.Warnings = append(h.Warnings, w.Error())
	}
	return h
}

// sampleCount is the number of times that a statistical profiler looked: the sum
// of the "samples" column. It is 0 for profiles without one.
func sampleCount(p *profile.Profile) int64 {
	typ := samplesType(p)
	if typ < 0 {
		return 0
	}
	sum := int64(0)
	for i := range p.NumSamples() {
		sum += p.Value(i, typ)
	}
	return sum
}

// keptSamples is sampleCount of what the filters keep.
func (in *input) keptSamples() int64 {
	typ := samplesType(in.Profile)
	if typ < 0 {
		return 0
	}
	sum := int64(0)
	for s := range in.View.Stacks() {
		sum += in.Profile.Value(s.Sample, typ)
	}
	return sum
}

// samplesType is the index of the column that counts a profiler's looks, or -1.
func samplesType(p *profile.Profile) int {
	return slices.IndexFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "samples" && t.Unit == "count" })
}

// inputName is a title for the arguments of a view.
func inputName(args []string) string {
	name := func(s string) string {
		switch {
		case s == "-":
			return "standard input"
		case isURL(s):
			return redact(s)
		}
		return s
	}
	switch len(args) {
	case 0:
		return ""
	case 1:
		return name(args[0])
	case 2:
		return name(args[0]) + " + " + name(args[1])
	}
	return fmt.Sprintf("%s + %d more", name(args[0]), len(args)-1)
}

// loadAll loads all arguments. What the first one resolves typ to is what is
// taken from the others. The results that are not nil must be closed even with an error.
func (ld *loader) loadAll(ctx context.Context, args []string, typ string) ([]*loaded, error) {
	if len(args) == 0 {
		return nil, diag.Usagef(ld.flags.command, "no profile given", "name a recording, a pprof file, an address or - for standard input")
	}
	for _, arg := range args {
		if arg != "-" {
			continue
		}
		if ld.stdinTaken {
			return nil, diag.Usagef(ld.flags.command, "standard input can be read only once", "save it to a file first")
		}
		ld.stdinTaken = true
	}
	// Of several, the error of a --type says which does not have it.
	of := func(arg string, err error) error {
		if e := (*diag.Error)(nil); errors.As(err, &e) && e.Op == "--type" && (len(args) > 1 || ld.base) {
			e.Subject = "of " + inputName([]string{arg})
		}
		return err
	}
	first, err := ld.load(ctx, args[0], typ)
	if err != nil {
		return nil, of(args[0], err)
	}
	all := make([]*loaded, len(args))
	all[0] = first
	rest := first.selection()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, arg := range args[1:] {
		g.Go(func() error {
			l, err := ld.load(ctx, arg, rest)
			all[i+1] = l
			return of(arg, err)
		})
	}
	err = g.Wait()
	return slices.DeleteFunc(all, func(l *loaded) bool { return l == nil }), err
}

// merge adds up profiles of which the sample type shown is wanted.
func merge(ls []*loaded, args []string, shown profile.ValueType) (*profile.Profile, error) {
	if len(ls) == 1 {
		return ls[0].prof, nil
	}
	ps := make([]*profile.Profile, len(ls))
	for i, l := range ls {
		ps[i] = l.prof
		if err := profile.Comparable(ps[0], l.prof, shown); err != nil {
			return nil, notComparable("merge", args[0]+" and "+args[i], err, ps[0], l.prof)
		}
	}
	p, err := profile.Merge(ps...)
	if err != nil {
		return nil, &diag.Error{
			Op: "merge", Subject: strings.Join(args, ", "), Err: err,
			Hint: "only profiles of one kind can be merged",
		}
	}
	return p, nil
}

// notComparable is the error of two profiles whose values cannot be added or compared.
func notComparable(op, subject string, err error, p, q *profile.Profile) error {
	e := &diag.Error{Op: op, Subject: subject, Err: err, Hint: "use two profiles of one kind; --type chooses a profile of a recording"}
	for _, t := range p.SampleTypes {
		if profile.Comparable(p, q, t) == nil {
			e.Hint = "both have " + t.Type + ": --type " + t.Type
		}
	}
	return e
}

// typeIndex finds the sample type that sel names in p.
func typeIndex(p *profile.Profile, sel string) (int, error) {
	typ, err := p.TypeIndex(sel)
	if err != nil {
		return 0, &diag.Error{Op: "--type", Err: err, Kind: diag.Usage, Hint: "--type takes " + typeNames(p)}
	}
	return typ, nil
}

func typeNames(p *profile.Profile) string {
	names := make([]string, len(p.SampleTypes))
	for i, t := range p.SampleTypes {
		names[i] = t.Type
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// readError dresses the error of reading the profile that arg names.
func readError(arg string, err error) error {
	var limit *profile.LimitError
	if errors.As(err, &limit) {
		return &diag.Error{Op: "read", Subject: arg, Err: err, Hint: "if the file can be trusted, raise the limit: --max-memory 4GB"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &diag.Error{Op: "read", Subject: arg, Err: err, Hint: "the file is cut short: was it still being written or downloaded?"}
	}
	return &diag.Error{Op: "read", Subject: arg, Err: err}
}
