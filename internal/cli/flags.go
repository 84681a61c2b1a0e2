package cli

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/diffs"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// profilesUsage names the arguments of app.open in Use lines.
const profilesUsage = "PROFILE..."

// profilesHelp explains in Long texts what a PROFILE is.
const profilesHelp = `A PROFILE is a recording (.whet), a pprof file of any format, an address (the
base URL of a service that serves /debug/pprof/, or the URL of one profile) or
"-" for standard input. Several are merged.`

// viewFlags are the flags that all views share. The zero value is every sample
// of the default sample type, by function.
type viewFlags struct {
	command string            // the command's name, for errors
	given   func(string) bool // which flags the user gave; nil: none

	Type string // sample type, profile name, or PROFILE:SAMPLETYPE
	By   string // granularity, as profile.ParseBy reads it

	Cum bool // bound by registerCum
	All bool // bound by top
	N   int  // bound by registerN; 0 means all

	NoInlines, Relative, JSON bool

	Focus, Ignore, Hide, Show, ShowFrom string
	PruneFrom                           string
	TagFocus, TagIgnore                 string

	Base, DiffBase []string
	Normalize      bool

	TagRoot, TagLeaf []string // label keys
	Unit             string   // of the text's values
	Mean             bool     // bound by registerMean

	Own []string // prefixes of own code besides what is known

	Header    []string      // for addresses
	Duration  time.Duration // for addresses
	MaxMemory byteSize

	profiles map[string]*profile.Profile // in memory, by name
}

// register binds the flags that every view has. -n and --cum are bound by
// registerN and registerCum, where they apply.
func (f *viewFlags) register(cmd *cobra.Command) {
	f.command = cmd.Name()
	fs := cmd.Flags()
	f.given = fs.Changed
	fs.SortFlags = false
	fs.StringVar(&f.Type, "type", "",
		"show `TYPE`: a sample type (cpu, alloc_space, inuse_space, delay, …), "+
			"a profile of a recording (cpu, heap, mutex, …) or PROFILE:SAMPLETYPE")
	fs.StringVar(&f.By, "by", "function",
		"group by `GRANULARITY`: function, line, file, package, module, address or label:KEY")
	fs.StringVar(&f.Focus, "focus", "", "keep only samples with a frame that matches `REGEXP`")
	fs.StringVar(&f.Ignore, "ignore", "", "drop samples with a frame that matches `REGEXP`")
	fs.StringVar(&f.Hide, "hide", "", "hide frames that match `REGEXP`")
	fs.StringVar(&f.Show, "show", "", "show only frames that match `REGEXP`")
	fs.StringVar(&f.ShowFrom, "show-from", "", "hide frames above the outermost that matches `REGEXP`")
	fs.StringVar(&f.PruneFrom, "prune-from", "", "hide frames below the innermost that matches `REGEXP`")
	fs.StringVar(&f.TagFocus, "tag-focus", "",
		"keep only samples with a matching label: `[KEY=]REGEXP` or a range such as 1kb:2mb")
	fs.StringVar(&f.TagIgnore, "tag-ignore", "", "drop samples with a matching label: `[KEY=]REGEXP` or a range")
	fs.StringSliceVar(&f.TagRoot, "tagroot", nil,
		"add the value of label `KEY` as the outermost frame; a list adds several")
	fs.StringSliceVar(&f.TagLeaf, "tagleaf", nil,
		"add the value of label `KEY` as the innermost frame; a list adds several")
	fs.StringVar(&f.Unit, "unit", "", "print values in this `UNIT`, such as ms or MB (default: automatic)")
	fs.StringArrayVar(&f.Base, "base", nil, "subtract `PROFILE`, taken earlier from the same process; may repeat")
	fs.StringArrayVar(&f.DiffBase, "diff-base", nil, "compare with `PROFILE`; shares are of its total; may repeat")
	fs.BoolVar(&f.Normalize, "normalize", false, "scale to the total of the base before subtracting it")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.BoolVar(&f.NoInlines, "no-inlines", false, "attribute inlined calls to the function they are inlined into")
	fs.BoolVar(&f.Relative, "relative", false, "print shares of the filtered total, not of the whole")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	fs.StringArrayVarP(&f.Header, "header", "H", nil, "send the header `NAME:VALUE` when fetching an address; may repeat")
	fs.DurationVar(&f.Duration, "duration", 10*time.Second, "profile an address for this `duration`")
	f.MaxMemory.register(fs, "")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(
		[]cobra.Completion{"function", "line", "file", "package", "module", "address", "label:"},
		cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(
		[]cobra.Completion{
			"cpu", "samples", "alloc_space", "alloc_objects", "inuse_space", "inuse_objects", "delay", "contentions",
			"goroutine",
		},
		cobra.ShellCompDirectiveNoFileComp))
}

// registerN binds -n with a default and what it counts ("own lines").
func (f *viewFlags) registerN(cmd *cobra.Command, n int, what string) {
	registerNumber(cmd.Flags(), &f.N, n, "show the", "heaviest "+what)
}

// registerNumber binds -n of any command, with its usage and its default.
func registerNumber(fs *pflag.FlagSet, p *int, n int, verb, what string) {
	fs.IntVarP(p, "number", "n", n, verb+" `N` "+what+"; 0 for all")
	// In early versions, views called it --count.
	fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "count" {
			name = "number"
		}
		return pflag.NormalizedName(name)
	})
}

// checkNumber rejects an invalid value of -n.
func checkNumber(op string, n int) error {
	if n < 0 {
		return diag.Usagef(op, "-n must be 0 (all) or more", "")
	}
	return nil
}

// registerCum binds --cum.
func (f *viewFlags) registerCum(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Cum, "cum", false, "sort by cumulative value")
}

// registerMean binds --mean.
func (f *viewFlags) registerMean(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Mean, "mean", false,
		"print means: divide values by the first sample type, such as delay by contentions")
}

// framesLabels reports whether --tagroot or --tagleaf is given.
func (f *viewFlags) framesLabels() bool { return len(f.TagRoot)+len(f.TagLeaf) > 0 }

// outputUnit returns the value of --unit; "" without one.
func (f *viewFlags) outputUnit() string {
	switch f.Unit {
	case "auto", "minimum":
		return ""
	}
	return f.Unit
}

// check rejects flag values that are invalid for any profile.
func (f *viewFlags) check() error {
	op := f.command
	if err := checkNumber(op, f.N); err != nil {
		return err
	}
	if f.Duration <= 0 {
		return diag.Usagef(op, "--duration must be positive", "--duration 10s is the default")
	}
	return nil
}

// opener returns what opens arguments, as the flags configure it.
func (a *app) opener(f *viewFlags) (*input.Opener, error) {
	header, err := input.ParseHeaders(f.Header, "Authorization: Bearer TOKEN")
	return &input.Opener{
		Op: f.command, Stdin: a.stdin, Header: header, Duration: f.Duration, Delta: f.given != nil && f.given("duration"),
		MaxMemory: unit.Bytes(f.MaxMemory),
		Status:    func(text string) { a.progressf("%s", text) },
		Warn:      func(w diag.Warning) { a.warn(w) },
		Profiles:  f.profiles,
	}, err
}

// open reads the profiles that args name, as the flags configure it. The caller closes the input.
func (a *app) open(ctx context.Context, args []string, f *viewFlags) (*input.Input, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	q, err := f.query()
	if err != nil {
		return nil, err
	}
	if err := f.checkUse(args); err != nil {
		return nil, err
	}
	o, err := a.opener(f)
	if err != nil {
		return nil, err
	}
	return o.Open(ctx, args, input.Options{
		Type: f.Type, Query: q, Base: f.Base, DiffBase: f.DiffBase, Normalize: f.Normalize,
		TagRoot: f.TagRoot, TagLeaf: f.TagLeaf, Unit: f.outputUnit(), Own: f.Own,
	})
}

// header returns the facts that reports begin with.
func (f *viewFlags) header(in *input.Input) documents.Header {
	h := documents.NewHeader(in, documents.HeaderOptions{
		Filters: f.filters(), Base: append(slices.Clone(f.Base), f.DiffBase...), Relative: f.Relative, Unit: f.outputUnit(),
	})
	if c := in.Comparison; c != nil {
		h.PerRequest = diffs.CompareRequests(c.Base, c.Profile, c.Type, c.Work)
	}
	return h
}

// query compiles the flags to a query for the default sample type. Regular expressions
// and granularities that do not parse are usage errors.
func (f *viewFlags) query() (profile.Query, error) {
	q := profile.Query{
		TagFocus: f.TagFocus, TagIgnore: f.TagIgnore,
		NoInlines: f.NoInlines, Relative: f.Relative, Mean: f.Mean,
	}
	by := f.By
	if by == "" {
		by = profile.ByFunction.String()
	}
	var err error
	if q.By, q.LabelKey, err = profile.ParseBy(by); err != nil {
		return q, &diag.Error{Op: "--by", Err: err, Kind: diag.Usage}
	}
	for _, r := range []struct {
		flag, text string
		dst        **regexp.Regexp
	}{
		{"--focus", f.Focus, &q.Focus},
		{"--ignore", f.Ignore, &q.Ignore},
		{"--hide", f.Hide, &q.Hide},
		{"--show", f.Show, &q.Show},
		{"--show-from", f.ShowFrom, &q.ShowFrom},
		{"--prune-from", f.PruneFrom, &q.PruneFrom},
	} {
		if r.text == "" {
			continue
		}
		if *r.dst, err = compileFlag(r.flag, r.text); err != nil {
			return q, err
		}
	}
	return q, nil
}

// filterNames lists the names of the filter flags, without dashes.
func filterNames() []string {
	return []string{"focus", "ignore", "hide", "show", "show-from", "prune-from", "tag-focus", "tag-ignore"}
}

// filter returns the value of a filter flag.
func (f *viewFlags) filter(name string) string {
	switch name {
	case "focus":
		return f.Focus
	case "ignore":
		return f.Ignore
	case "hide":
		return f.Hide
	case "show":
		return f.Show
	case "show-from":
		return f.ShowFrom
	case "prune-from":
		return f.PruneFrom
	case "tag-focus":
		return f.TagFocus
	case "tag-ignore":
		return f.TagIgnore
	}
	return ""
}

// filters lists the filters that are set, as the user wrote them.
func (f *viewFlags) filters() []string {
	var out []string
	for _, name := range filterNames() {
		if v := f.filter(name); v != "" {
			out = append(out, "--"+name+" "+v)
		}
	}
	return out
}

// compileFlag compiles the regular expression given to a flag or argument.
func compileFlag(name, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, &diag.Error{
			Op: name, Err: err, Kind: diag.Usage,
			Hint: "this is a Go regular expression; escape . ( ) [ ] * + ? with \\ to match them literally",
		}
	}
	return re, nil
}

// optionalRegexp is compileFlag for an optional flag; it returns nil if the flag is not set.
func optionalRegexp(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no pattern is none
	}
	return compileFlag(name, text)
}

// byteSize is a flag that takes an amount of memory.
type byteSize unit.Bytes

// register binds --max-memory; limit is appended to the default in its usage.
func (b *byteSize) register(fs *pflag.FlagSet, limit string) {
	fs.Var(b, "max-memory",
		"use at most `SIZE` of memory to decode one profile, such as 2GB (default: relative to the input"+limit+")")
}

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return unit.Bytes(*b).String()
}

func (b *byteSize) Set(s string) error {
	v, err := unit.ParseBytes(s)
	*b = byteSize(v)
	return err
}

func (*byteSize) Type() string { return "SIZE" }
