package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/work"
	"github.com/whet-go/whet/source"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/unit"
)

// DefaultDuration is the default of Opener.Duration.
const DefaultDuration = 10 * time.Second

// An Opener opens the arguments of a command. The zero value opens files and addresses. Its methods
// are safe for concurrent use. It must not be copied after first use.
type Opener struct {
	// Op is the operation in errors about arguments: the name of a command, such as "top".
	Op string

	// Stdin is what "-" reads, once; if it is nil, "-" is an error.
	Stdin io.Reader

	// Header is sent when an address is fetched. It is not sent after a redirect to another origin.
	Header http.Header

	// Duration is how long an address is profiled; 0 means DefaultDuration. Delta applies it to
	// profiles that accumulate since the start of the program, too: they show what happened during
	// that time.
	Duration time.Duration
	Delta    bool

	// MaxMemory limits the memory for decoding one profile or indexing a trace; 0 means a limit
	// that depends on the size of the input.
	MaxMemory unit.Bytes

	// OpenFile opens the files that arguments name; nil means os.Open. If it is set, inputs read
	// no other file of this machine: no source but that in recordings, and no binary that a profile
	// names.
	OpenFile func(name string) (*os.File, error)

	// Profiles are profiles in memory, which arguments name instead of files.
	Profiles map[string]*profile.Profile

	// Status is called before slow operations, Warn with warnings about a trace that was indexed.
	// Part is called with the part of a trace that was indexed, 0 to 1. All may be nil.
	Status func(text string)
	Warn   func(recording.Warning)
	Part   func(part float64)

	mu         sync.Mutex
	stdinTaken bool
}

func (o *Opener) status(format string, args ...any) {
	if o.Status != nil {
		o.Status(fmt.Sprintf(format, args...))
	}
}

func (o *Opener) warn(w recording.Warning) {
	if o.Warn != nil {
		o.Warn(w)
	}
}

// openFile opens a file that an argument names.
func (o *Opener) openFile(name string) (*os.File, error) {
	if o.OpenFile != nil {
		return o.OpenFile(name)
	}
	return os.Open(name)
}

// stdin returns standard input the first time, and an error after that.
func (o *Opener) stdin() (io.Reader, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.Stdin == nil:
		return nil, diag.Usagef(o.Op, "standard input is not available", "name a file or an address")
	case o.stdinTaken:
		return nil, diag.Usagef(o.Op, "standard input can be read only once", "save it to a file first")
	}
	o.stdinTaken = true
	return o.Stdin, nil
}

// Options configure what an Input shows. The zero value shows all samples of the default sample
// type, by function.
type Options struct {
	// Type is a sample type ("alloc_space"), a profile in a recording ("heap") or both
	// ("mutex:delay"); "" means the CPU profile, or else the most useful one.
	Type string

	// Query contains the filters and the granularity. Open sets its Type and ModuleOf.
	Query profile.Query

	// Base and DiffBase are profiles to subtract; with DiffBase, shares are relative to its total.
	// At most one of them may be set. Normalize first scales the profile to the base's total.
	Base, DiffBase []string
	Normalize      bool

	// TagRoot and TagLeaf are keys of labels whose values become frames at the root and at the leaf
	// of each stack. Unit is the unit of numeric labels; "" chooses a suitable one.
	TagRoot, TagLeaf []string
	Unit             string

	// Own are additional package prefixes of own code.
	Own []string
}

// check returns an error for options that are mutually exclusive for any profile.
func (opt *Options) check(op string) error {
	if len(opt.Base) > 0 && len(opt.DiffBase) > 0 {
		return diag.Usagef(op, "--base and --diff-base are mutually exclusive",
			"--base subtracts an earlier profile of the same process, --diff-base compares with a different one")
	}
	if opt.Normalize && len(opt.Base) == 0 && len(opt.DiffBase) == 0 {
		return diag.Usagef(op, "--normalize needs --base or --diff-base",
			"name the profile to compare with: --diff-base before.pb.gz")
	}
	return nil
}

// checkUnit returns an error for a Unit that cannot express the values of a sample type.
func (opt *Options) checkUnit(op string, typ profile.ValueType) error {
	if opt.Unit == "" {
		return nil
	}
	switch ok, known := unit.Converts(typ.Unit, opt.Unit); {
	case ok:
		return nil
	case len(known) == 0:
		return diag.Usagef(op, fmt.Sprintf("--unit has no effect: %s is in %s, which has no other units", typ.Type, typ.Unit),
			"omit it, or select another sample type with --type")
	default:
		return diag.Usagef(op, fmt.Sprintf("--unit %q is not a unit of %s", opt.Unit, typ.Type),
			"one of "+strings.Join(known, ", ")+" is")
	}
}

// An Input is what a view shows: the arguments' profiles of one type, merged, with the base
// subtracted, bound to a query. It must be closed.
type Input struct {
	Name    string // for titles
	Part    string // the profile's name in its recording, or ""
	Profile *profile.Profile
	View    *profile.View
	Type    profile.ValueType

	// Recording is the first recording among the arguments, or nil.
	Recording *recording.Recording

	// Build is the build of the program; nil if unknown.
	Build *recording.Build

	Own    Own
	Finder *source.Finder // has the recording's files and the program's modules

	// Comparison is set if costs were scaled to the requests of a base.
	Comparison *Comparison

	// Opened are the arguments, followed by the bases.
	Opened []*Opened

	Warnings recording.Warnings

	opener *Opener
	query  profile.Query
}

// A Comparison is a profile and its base, before they were scaled to the same number of requests.
type Comparison struct {
	Base, Profile *profile.Profile
	Type          profile.ValueType
	Work          *work.Pair
}

// Close releases the recordings. The profile stays valid.
func (in *Input) Close() {
	for _, l := range in.Opened {
		if l.Recording != nil {
			_ = l.Recording.Close() // read-only: nothing can be lost
		}
	}
}

// Confined reports whether in reads only the files that arguments name (see Opener.OpenFile).
func (in *Input) Confined() bool { return in.opener != nil && in.opener.OpenFile != nil }

// Open reads the profiles that args name, as configured by opt.
func (o *Opener) Open(ctx context.Context, args []string, opt Options) (*Input, error) {
	if err := opt.check(o.Op); err != nil {
		return nil, err
	}
	in := &Input{Name: title(args), opener: o}
	if err := in.load(ctx, args, &opt); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// load implements Open. It adds what it has opened to in.Opened, even if it returns an error.
func (in *Input) load(ctx context.Context, args []string, opt *Options) error {
	o := in.opener
	main, err := o.openAll(ctx, args, opt.Type, false)
	in.Opened = append(in.Opened, main...)
	if err != nil {
		return err
	}
	typ, err := typeIndex(main[0].Profile, main[0].sample)
	if err != nil {
		return err
	}
	shown := main[0].Profile.SampleTypes[typ]
	if in.Profile, err = merge(main, args, shown); err != nil {
		return err
	}
	in.Part = main[0].Part
	for _, l := range main {
		if in.Recording == nil {
			in.Recording = l.Recording
		}
		in.Warnings = append(in.Warnings, l.Warnings...)
	}
	if err := in.subtract(ctx, opt, main[0], shown); err != nil {
		return err
	}
	in.Warnings = append(in.Warnings, in.Profile.Warnings...)

	// Merging with profiles that have fewer sample types changes the index.
	typ = slices.Index(in.Profile.SampleTypes, shown)
	in.query = opt.Query
	in.query.Type = typ
	if err := opt.checkUnit(o.Op, shown); err != nil {
		return err
	}
	in.findOwn(opt.Own)
	in.warnTruncated()
	if err := in.addLabelFrames(opt); err != nil {
		return err
	}
	in.Finder = source.NewFinder(in.sourceOptions())
	if in.View, err = in.Profile.View(in.query); err != nil {
		return &diag.Error{
			Op: o.Op, Err: err, Kind: diag.Usage,
			Hint: "--tag-focus and --tag-ignore take REGEXP, KEY=REGEXP or a range: 4kb, 4kb:, :1mb, 4kb:1mb",
		}
	}
	in.Type = in.View.Type()
	in.warn(opt)
	return nil
}

// addLabelFrames adds the frames for TagRoot and TagLeaf. None of them is own code.
func (in *Input) addLabelFrames(opt *Options) error {
	keys := slices.Concat(opt.TagRoot, opt.TagLeaf)
	if len(keys) == 0 {
		return nil
	}
	p, unmatched, err := in.Profile.LabelFrames(opt.TagRoot, opt.TagLeaf, opt.Unit)
	if err != nil {
		return &diag.Error{Op: "add frames of labels", Err: err, Hint: "omit --tagroot and --tagleaf"}
	}
	for _, key := range unmatched {
		in.Warnings.Add(in.noLabel(key))
	}
	own := in.Own.Match
	in.Profile = p
	in.Own.Match = func(fn profile.Function) bool { return !slices.Contains(keys, fn.File) && own(fn) }
	return nil
}

// subtract reads the base, if there is one, and subtracts it.
func (in *Input) subtract(ctx context.Context, opt *Options, first *Opened, shown profile.ValueType) error {
	names, op := opt.Base, profile.Subtract
	if len(opt.DiffBase) > 0 {
		names, op = opt.DiffBase, profile.DiffBase
	}
	if len(names) == 0 {
		return nil
	}
	bases, err := in.opener.openAll(ctx, names, first.selection(), true)
	in.Opened = append(in.Opened, bases...)
	if err != nil {
		return err
	}
	base, err := merge(bases, names, shown)
	if err != nil {
		return err
	}
	if err := profile.Comparable(in.Profile, base, shown); err != nil {
		return notComparable("subtract base", fmt.Sprintf("%s from %s", title(names), in.Name), err, in.Profile, base)
	}
	if len(opt.DiffBase) > 0 && !opt.Normalize {
		in.scaleToBase(ctx, base, bases, shown)
	}
	if in.Profile, err = op(in.Profile, base, opt.Normalize); err != nil {
		return &diag.Error{
			Op: "subtract base", Subject: title(names), Err: err,
			Hint: "the base must be a profile of the same kind; choose it with --type",
		}
	}
	for _, l := range bases {
		in.Warnings = append(in.Warnings, l.Warnings...)
	}
	return nil
}

// Between counts the requests of two inputs, to compare costs per request.
func Between(ctx context.Context, before, after *Input) (*work.Pair, error) {
	return work.Between(before.work(ctx), after.work(ctx))
}

// work returns the requests of an input; if several arguments were merged, those of the first
// recording.
func (in *Input) work(ctx context.Context) work.Profile {
	return in.opener.work(ctx, &Opened{Name: in.Name, Recording: in.Recording, Part: in.Part})
}

// work returns the requests of an argument.
func (o *Opener) work(ctx context.Context, l *Opened) work.Profile {
	return work.Profile{
		Name: l.Name, Recording: l.Recording, Profile: l.Part,
		Trace: func() (*index.Index, error) {
			t, err := o.Trace(ctx, &Document{Name: l.Name, Path: l.Name, Recording: l.Recording}, "")
			if err != nil {
				return nil, err
			}
			return t.Until(ctx), nil
		},
	}
}

// scaleToBase scales in to the number of requests of base, so that their difference is per request.
// It adds a warning about that, or about why it is impossible.
func (in *Input) scaleToBase(ctx context.Context, base *profile.Profile, bases []*Opened, shown profile.ValueType) {
	main := slices.DeleteFunc(slices.Clone(in.Opened), func(l *Opened) bool { return slices.Contains(bases, l) })
	recorded := slices.ContainsFunc(in.Opened, func(l *Opened) bool { return l.Recording != nil })
	if !recorded || !work.PerRequest(shown.Type) {
		return
	}
	var pair *work.Pair
	err := error(&diag.Error{Err: errors.New("several profiles are merged"), Hint: "compare one recording with one"})
	if len(bases) == 1 && len(main) == 1 {
		pair, err = work.Between(in.opener.work(ctx, bases[0]), in.opener.work(ctx, main[0]))
	}
	if err != nil {
		in.Warnings.Add(&diag.Error{Op: "totals are compared, not costs per request", Err: err})
		return
	}
	for _, text := range pair.Differences {
		in.Warnings.Add(errors.New(text))
	}
	in.Comparison = &Comparison{Base: base, Profile: in.Profile, Type: shown, Work: pair}
	in.Profile = in.Profile.Scaled(func(t profile.ValueType) float64 {
		return pair.ScaleB(t.Type, base.Sum(t), in.Profile.Sum(t))
	})
	in.Warnings = append(in.Warnings, diag.Warning{
		Text: fmt.Sprintf("costs are scaled to the %d requests of the base; here there were %d",
			pair.A.Rounded(), pair.B.Rounded()),
		Hint: "`whet diff` compares per request, with intervals; --normalize compares shares",
	})
}

// Program returns the name of the profiled program, or "".
func (in *Input) Program() string {
	if m := in.Profile.Mappings; len(m) > 0 && m[0].File != "" {
		return filepath.Base(m[0].File)
	}
	if in.Recording != nil {
		if b := in.Recording.Meta().Build; b != nil && b.Path != "" {
			return filepath.Base(b.Path)
		}
	}
	return ""
}

// Duration returns the duration of the profile, or else of its recording; 0 if neither is known.
func (in *Input) Duration() time.Duration {
	if in.Profile.Duration == 0 && in.Recording != nil {
		return in.Recording.Meta().Duration
	}
	return in.Profile.Duration
}

// Samples returns the number of samples that a statistical profiler took: the sum of the "samples"
// column, or 0 without one.
func (in *Input) Samples() int64 { return sampleCount(in.Profile) }

// sampleCount returns the sum of the column that counts samples.
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

// KeptSamples is Samples after filtering.
func (in *Input) KeptSamples() int64 {
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

// samplesType returns the index of the column that counts samples, or -1.
func samplesType(p *profile.Profile) int {
	return slices.IndexFunc(p.SampleTypes, func(t profile.ValueType) bool {
		return t.Type == "samples" && t.Unit == "count"
	})
}

// title returns a title for the arguments of a view.
func title(args []string) string {
	name := func(s string) string {
		switch {
		case s == "-":
			return "standard input"
		case IsURL(s):
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

// openAll opens all arguments, which are bases if base is set. The type that typ resolves to for
// the first one is used for the others. The results must be closed even if it returns an error.
func (o *Opener) openAll(ctx context.Context, args []string, typ string, base bool) ([]*Opened, error) {
	if len(args) == 0 {
		return nil, diag.Usagef(o.Op, "no profile given",
			"name a recording, a pprof file, an address or - for standard input")
	}
	if n := len(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg != "-" })); n > 1 {
		return nil, diag.Usagef(o.Op, "standard input can be read only once", "save it to a file first")
	}
	// With several arguments, an error about --type names the one without it.
	of := func(arg string, err error) error {
		if e := (*diag.Error)(nil); errors.As(err, &e) && e.Op == "--type" && (len(args) > 1 || base) {
			e.Subject = "of " + title([]string{arg})
		}
		return err
	}
	first, err := o.open(ctx, args[0], typ)
	if err != nil {
		return nil, of(args[0], err)
	}
	all := make([]*Opened, len(args))
	all[0] = first
	rest := first.selection()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, arg := range args[1:] {
		g.Go(func() error {
			l, err := o.open(ctx, arg, rest)
			all[i+1] = l
			return of(arg, err)
		})
	}
	err = g.Wait()
	return slices.DeleteFunc(all, func(l *Opened) bool { return l == nil }), err
}

// merge adds up profiles, for the sample type shown.
func merge(ls []*Opened, args []string, shown profile.ValueType) (*profile.Profile, error) {
	if len(ls) == 1 {
		return ls[0].Profile, nil
	}
	ps := make([]*profile.Profile, len(ls))
	for i, l := range ls {
		ps[i] = l.Profile
		if err := profile.Comparable(ps[0], l.Profile, shown); err != nil {
			return nil, notComparable("merge", args[0]+" and "+args[i], err, ps[0], l.Profile)
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

// notComparable returns the error for two profiles whose values cannot be added or compared.
func notComparable(op, subject string, err error, p, q *profile.Profile) error {
	e := &diag.Error{
		Op: op, Subject: subject, Err: err,
		Hint: "use two profiles of one kind; choose a profile of a recording with --type",
	}
	for _, t := range p.SampleTypes {
		if profile.Comparable(p, q, t) == nil {
			e.Hint = "both have " + t.Type + ": --type " + t.Type
		}
	}
	return e
}

// typeIndex returns the index of the sample type that sel names in p.
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

// readError returns the error for reading the profile in arg, with a hint if there is one.
func readError(arg string, err error) error {
	var limit *profile.LimitError
	if errors.As(err, &limit) {
		return &diag.Error{
			Op: "read", Subject: arg, Err: err,
			Hint: "if the file can be trusted, raise the limit: --max-memory 4GB",
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &diag.Error{
			Op: "read", Subject: arg, Err: err,
			Hint: "the file is truncated: was it still being written or downloaded?",
		}
	}
	return &diag.Error{Op: "read", Subject: arg, Err: err}
}
