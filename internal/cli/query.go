package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/selection"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

// queryFlags are the flags of whet query.
type queryFlags struct {
	storeFlags
	outputFlags
	Type    string // KIND or KIND:SAMPLETYPE
	Since   time.Duration
	From    string
	To      string
	Against string
	ID      string
	Own     []string
	N       int
	All     bool
	JSON    bool

	Normalize bool
	Step      time.Duration // of a timeline
}

const selectorHelp = `A SELECTOR has the matchers of Prometheus for labels and for service: =, !=, and
=~ and !~ with a regular expression for the whole value. An empty one selects
all. --since, --from and --to bound when a profile began.`

func (a *app) queryCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query [SELECTOR]",
		Short: "Query stored profiles: merged, compared, over time",
		Long: `Merge the profiles that a selector selects, and show the most expensive lines of
your own code, as whet top does. Without --type, CPU profiles are merged where
there are any. -o writes the merged profile in pprof's format, which all views
read, or with a name that ends in .whet, a recording with a merged profile of
each kind.

` + selectorHelp + `

--against compares: the profiles of its selector, or of the time span that it
names (FROM/TO), are A of whet diff, and those of the query are B. Shares are
compared, because the amounts of work differ.`,
		Example: `  whet query '{service="shop"}' --store profiles --type cpu --from 2026-01-01
  whet query '{service="shop",version="v2"}' --store profiles \
    --against '{service="shop",version="v1"}'
  whet query '{service="shop"}' --store profiles -o merged.pb.gz
  whet query '{service="shop"}' --store profiles --since 1h -o shop.whet
  whet query series --store http://localhost:7070
  whet query series --store clickhouse://whet@db1:9000,db2:9000/whet`,
		Args: selectorArgs,
	}
	f.registerQuery(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.ID, "id", "", "show the one profile with this `ID`, as whet query profiles lists it")
	fs.StringVar(&f.Against, "against", "", "compare with the profiles of `SELECTOR`, or of the time span FROM/TO")
	fs.BoolVar(&f.Normalize, "normalize", true, "with --against, compare shares")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.BoolVar(&f.All, "all", false, "show all code, not only your own")
	registerNumber(fs, &f.N, 10, "show", "lines or functions")
	f.registerOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.query(cmd, args, f) }
	for _, sub := range []*cobra.Command{
		a.querySeriesCommand(), a.queryLabelsCommand(), a.queryProfilesCommand(), a.queryTimelineCommand(),
		a.queryRegressionsCommand(), a.queryRecordingsCommand(), a.queryResultsCommand(),
	} {
		cmd.AddCommand(sub)
	}
	return cmd
}

// selectorArgs accepts at most one selector.
func selectorArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return diag.Usagef(cmd.Name(), fmt.Sprintf("want one selector, not %d", len(args)), `quote it: '{service="shop"}'`)
	}
	return nil
}

// registerQuery adds the flags that select profiles.
func (f *queryFlags) registerQuery(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	f.registerStore(fs, true)
	fs.BoolVar(&f.AllowPartial, "allow-partial", false,
		"answer without the shards of a ClickHouse cluster that are down, and warn of it")
	fs.StringVar(&f.Type, "type", "", "select the `KIND` cpu, heap, allocs, … and maybe its sample type: heap:alloc_space")
	fs.DurationVar(&f.Since, "since", 0, "select profiles of the last `duration`, such as 1h")
	fs.StringVar(&f.From, "from", "", "select profiles from this `DATE` on: 2026-05-04T03:00:00Z, or 2026-05-04 in UTC")
	fs.StringVar(&f.To, "to", "", "select profiles before this `DATE`")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
}

// selected returns the query of the flags and a selector.
func (f *queryFlags) selected(op string, args []string) (q store.Query, sample string, err error) {
	q.Tenant = f.Tenant
	if len(args) > 0 {
		if q.Matchers, err = store.ParseMatchers(args[0]); err != nil {
			return q, "", &diag.Error{Op: op, Err: err, Kind: diag.Usage}
		}
	}
	q.Kind, sample, _ = strings.Cut(f.Type, ":")
	if f.Since < 0 || f.Since > 0 && f.From+f.To != "" {
		return q, "", diag.Usagef(op, "--since is positive, and without --from and --to", "--since 1h selects the last hour")
	}
	if f.Since > 0 {
		q.From = time.Now().Add(-f.Since)
	}
	for _, t := range []struct {
		flag, text string
		into       *time.Time
	}{{"--from", f.From, &q.From}, {"--to", f.To, &q.To}} {
		if t.text == "" {
			continue
		}
		if *t.into, err = parseTime(t.text); err != nil {
			return q, "", &diag.Error{Op: t.flag, Err: err, Kind: diag.Usage, Hint: "write 2026-05-04T03:00:00Z or 2026-05-04"}
		}
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return q, "", diag.Usagef(op, "--from is not before --to", "exchange them")
	}
	return q, sample, nil
}

// parseTime reads a time as flags have it: RFC 3339, or a prefix of it in UTC.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, time.DateOnly,
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time", text)
}

// openQuery opens the store for reading.
func (a *app) openQuery(ctx context.Context, f *queryFlags) (store.Store, error) {
	return a.openStore(ctx, "query", &f.storeFlags, local.Options{ReadOnly: true})
}

// query merges profiles and shows them, or compares two selections.
func (a *app) query(cmd *cobra.Command, args []string, f *queryFlags) (err error) {
	ctx := cmd.Context()
	if err := checkNumber("query", f.N); err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if err := checkUseless("query", cmd.Flags().Changed, []useless{
		{"normalize", f.Against == "", "without --against", "name what to compare with"},
		{"type", f.ID != "" && !strings.Contains(f.Type, ":"), "with --id, but for KIND:SAMPLETYPE", "leave it out"},
		{"against", f.Output != "" || f.ID != "", "with -o or --id", "leave one out"},
		{"json", f.Output != "", "with -o, which writes the merged profile", "leave one out"},
		{
			"type", f.recording() && strings.Contains(f.Type, ":"), "with a sample type in a recording, which has all",
			"name the KIND alone",
		},
	}); err != nil {
		return err
	}
	q, sample, err := f.selected("query", args)
	if err != nil {
		return err
	}
	s, err := a.openQuery(ctx, f)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // only read
	if f.recording() {
		return a.storedRecording(ctx, s, q, f)
	}
	if f.ID == "" {
		if err := chooseKind(ctx, s, &q); err != nil {
			return err
		}
	}
	name := q.Name()
	merge := func(q store.Query) (*profile.Profile, error) {
		p, stats, err := s.Merge(ctx, q)
		if err == nil {
			_, _ = fmt.Fprintln(a.stderr, stores.Selected(stats))
		}
		return p, err
	}
	v := &viewFlags{command: "query", Type: sample, N: f.N, All: f.All, Own: f.Own, JSON: f.JSON}
	v.By, v.Duration, v.given = profile.ByFunction.String(), input.DefaultDuration, func(string) bool { return false }
	v.profiles = map[string]*profile.Profile{}
	var p *profile.Profile
	if f.ID != "" {
		p, name, err = a.oneProfile(ctx, s, f)
	} else {
		p, err = merge(q)
	}
	if err != nil {
		return err
	}
	if f.Output != "" {
		return a.writeOutput(&f.outputFlags, p.Write)
	}
	v.profiles[name] = p
	if f.Against == "" {
		in, err := a.open(ctx, []string{name}, v)
		if err != nil {
			return err
		}
		defer in.Close()
		return a.top(in, v, true, false)
	}
	base, err := f.against(q)
	if err != nil {
		return err
	}
	if base.Name() == name {
		return diag.Usagef("--against", "it selects the same profiles", "name another selector or time span")
	}
	if v.profiles[base.Name()], err = merge(base); err != nil {
		return err
	}
	v.Normalize = f.Normalize
	return a.diff(ctx, []string{base.Name(), name}, v)
}

// recording reports whether a recording is written.
func (f *queryFlags) recording() bool { return f.ID == "" && strings.HasSuffix(f.Output, ".whet") }

// storedRecording writes what is selected as a recording.
func (a *app) storedRecording(ctx context.Context, s store.Reader, q store.Query, f *queryFlags) error {
	stats, err := selection.Write(ctx, s, q, f.Output)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(a.stderr, stores.Selected(stats))
	_, _ = fmt.Fprintf(a.stderr, "wrote %s\n", f.Output)
	return nil
}

// oneProfile returns a single stored profile, and its name.
func (a *app) oneProfile(ctx context.Context, s store.Store, f *queryFlags) (*profile.Profile, string, error) {
	id, err := store.ParseID(f.ID)
	if err != nil {
		return nil, "", &diag.Error{Op: "--id", Err: err, Kind: diag.Usage, Hint: "`whet query profiles` lists them"}
	}
	p, err := s.Get(ctx, f.Tenant, id)
	if err != nil {
		return nil, "", err
	}
	return p.Data, p.Service + " " + p.Kind + " " + p.Start.UTC().Format(time.RFC3339), nil
}

// against returns the query of --against: that of q with another selector, or another time.
func (f *queryFlags) against(q store.Query) (store.Query, error) {
	from, to, span := strings.Cut(f.Against, "/")
	if span && !strings.ContainsAny(f.Against, `{="`) {
		other := queryFlags{From: from, To: to}
		times, _, err := other.selected("--against", nil)
		q.From, q.To = times.From, times.To
		return q, err
	}
	var err error
	if q.Matchers, err = store.ParseMatchers(f.Against); err != nil {
		return q, &diag.Error{Op: "--against", Err: err, Kind: diag.Usage}
	}
	return q, nil
}

// listing returns a command of whet query that lists something.
func (a *app) listing(
	use, short, long, example string, f *queryFlags,
	run func(ctx context.Context, s store.Store, q store.Query, sample string) error,
) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long + "\n\n" + selectorHelp, Example: example, Args: selectorArgs}
	f.registerQuery(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q, sample, err := f.selected(cmd.Name(), args)
		if err != nil {
			return err
		}
		s, err := a.openQuery(cmd.Context(), f)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }() // only read
		return run(cmd.Context(), s, q, sample)
	}
	return cmd
}

func (a *app) querySeriesCommand() *cobra.Command {
	f := &queryFlags{}
	return a.listing("series [SELECTOR]", "List services, kinds and labels that are stored",
		"List the series that are stored: combinations of service, kind and labels.",
		"  whet query series --store profiles\n  whet query series '{env=\"prod\"}' --store profiles --since 24h", f,
		func(ctx context.Context, s store.Store, q store.Query, _ string) error {
			series, err := s.Series(ctx, q)
			if err != nil {
				return err
			}
			types, err := s.Types(ctx, q)
			if err != nil {
				return err
			}
			doc := documents.NewSeries(series, types)
			doc.Partial, doc.Warnings = a.lacks, a.warned
			return show(a, f.JSON, doc, stores.WriteSeries)
		})
}

func (a *app) queryLabelsCommand() *cobra.Command {
	f, name := &queryFlags{}, ""
	cmd := a.listing("labels [SELECTOR]", "List the names of labels, or the values of one",
		"List the names of the labels of stored profiles, or with --name the values of\none.",
		"  whet query labels --store profiles\n  whet query labels '{service=\"shop\"}' --name version --store profiles", f,
		func(ctx context.Context, s store.Store, q store.Query, _ string) error {
			var values []string
			var err error
			if name == "" {
				values, err = s.LabelNames(ctx, q)
			} else {
				values, err = s.LabelValues(ctx, q, name)
			}
			if err != nil {
				return err
			}
			doc := documents.NewLabels(name, values)
			doc.Partial, doc.Warnings = a.lacks, a.warned
			return show(a, f.JSON, doc, stores.WriteLabels)
		})
	cmd.Flags().StringVar(&name, "name", "", "list the values of the label `NAME`")
	return cmd
}

func (a *app) queryProfilesCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := a.listing("profiles [SELECTOR]", "List single profiles, newest first",
		"List single profiles, newest first. whet query --id shows one.",
		"  whet query profiles '{service=\"shop\"}' --store profiles --since 1h", f,
		func(ctx context.Context, s store.Store, q store.Query, _ string) error {
			if err := checkNumber("profiles", f.N); err != nil {
				return err
			}
			limit := f.N
			if limit == 0 {
				limit = 1 << 30
			}
			list, err := s.Profiles(ctx, q, limit)
			if err != nil {
				return err
			}
			doc := documents.NewProfiles(list)
			doc.Partial, doc.Warnings = a.lacks, a.warned
			return show(a, f.JSON, doc, stores.WriteProfiles)
		})
	registerNumber(cmd.Flags(), &f.N, 20, "list", "profiles")
	return cmd
}

// timelineColumns is how many columns a timeline has without --step.
const timelineColumns = 30

func (a *app) queryTimelineCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := a.listing("timeline [SELECTOR]", "Show the most expensive own lines over time",
		"Show the most expensive lines of your own code over time, by CPU profiles if\n"+
			"there are any and --type names no others. A column is a step of time.",
		"  whet query timeline '{service=\"shop\"}' --store profiles --type cpu --step 1h", f,
		func(ctx context.Context, s store.Store, q store.Query, sample string) error {
			if err := checkNumber("timeline", f.N); err != nil {
				return err
			}
			t := store.TimelineQuery{Query: q, SampleType: sample, Step: f.Step, Lines: f.N}
			if t.Lines == 0 {
				t.Lines = 1 << 30
			}
			t.Own = func(p *profile.Profile) func(profile.Function) bool { return input.OwnCode(p, nil, f.Own).Match }
			if err := chooseKind(ctx, s, &t.Query); err != nil {
				return err
			}
			line, err := storedTimeline(ctx, s, t)
			if err != nil {
				return err
			}
			doc := documents.NewTimeline(line)
			doc.Partial, doc.Warnings = a.lacks, a.warned
			return show(a, f.JSON, doc, stores.WriteTimeline)
		})
	fs := cmd.Flags()
	fs.DurationVar(&f.Step, "step", 0, "width of a column (default: a thirtieth of the time)")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	registerNumber(fs, &f.N, 10, "show", "lines")
	return cmd
}

// chooseKind has a query of several kinds select CPU profiles, if they are among them.
func chooseKind(ctx context.Context, s store.Store, q *store.Query) error {
	if q.Kind != "" {
		return nil
	}
	types, err := s.Types(ctx, *q)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(types, func(t store.Type) bool { return t.Kind == "cpu" }) {
		q.Kind = "cpu"
	}
	return nil
}

// storedTimeline bounds the time by what is stored, and chooses a step if there is none.
func storedTimeline(ctx context.Context, s store.Store, t store.TimelineQuery) (*store.LineTimeline, error) {
	if t.From.IsZero() || t.To.IsZero() {
		series, err := s.Series(ctx, t.Query)
		if err != nil {
			return nil, err
		}
		var first, last time.Time
		for _, x := range series {
			if first.IsZero() || x.First.Before(first) {
				first = x.First
			}
			if x.Last.After(last) {
				last = x.Last
			}
		}
		if len(series) == 0 {
			return nil, &diag.Error{
				Op: "timeline", Err: store.ErrNotFound, Hint: "`whet query series` lists what is stored",
			}
		}
		if t.From.IsZero() {
			t.From = first
		}
		if t.To.IsZero() {
			t.To = last.Add(1)
		}
	}
	if t.Step == 0 {
		t.Step = max((t.To.Sub(t.From)+timelineColumns-1)/timelineColumns, time.Millisecond)
	}
	return store.Timeline(ctx, s, t)
}
