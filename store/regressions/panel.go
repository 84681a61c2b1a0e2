package regressions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// Limits, so that a query takes bounded time and memory.
const (
	maxSlots     = 400
	maxInstances = 64 // more are read together, in groups
	maxTested    = 800
	maxDeploys   = 30 // of a service; older ones are not tested
	maxServices  = 100
	maxCells     = 50_000   // of a service
	maxShares    = 64 << 20 // of all: 512 MB
)

// versionLabels and instanceLabels are the usual names of labels, the preferred first.
func versionLabels() []string {
	return []string{"version", "service_version", "build_id", "vcs_revision", "revision", "commit", "service_git_ref"}
}

// buildIDLabel is what reports name instead of a label if versions are build IDs.
const buildIDLabel = "build ID"

// revisionLabels are the usual names of labels that have a commit.
func revisionLabels() []string {
	return []string{"vcs_revision", "revision", "commit", "git_commit", "service_git_ref"}
}

func instanceLabels() []string {
	return []string{"instance", "pod", "service_instance_id", "host", "host_name", "hostname", "node"}
}

// A subject is a function or a line whose share is observed.
type subject struct {
	function, file string
	line           bool
	at             string    // of a line, what it is recognized by in other versions
	share          []float32 // per cell
	number         []int32   // of a line, per cell; 0 where it has no cost
}

// values returns the shares.
func (s *subject) values() []float64 {
	out := make([]float64, len(s.share))
	for i, v := range s.share {
		out[i] = float64(v)
	}
	return out
}

// A panel has the observations of a service.
type panel struct {
	service   string
	from      time.Time
	step      time.Duration
	slots     int
	period    int // slots after which the load repeats, a day or a week; 0 if it is not known
	day       int // slots of a day, if there is a period
	instances int
	paired    bool // most instances run before and after deploys
	profiles  int
	typ       profile.ValueType
	cells     []cell
	subjects  []subject
	versions  []string          // per cell
	label     string            // that has the versions
	revisions map[string]string // by version: the commit, if a label has it
	deploys   []Deploy
	slotOf    []int              // per deploy: its first slot
	calls     map[[2]string]bool // own functions that call each other, innermost own frames
}

// loader reads panels.
type loader struct {
	r    store.Reader
	o    Options
	read int // cells of the current service
	kept int // shares of all services
}

// slotting returns where slots begin, their width and number.
func (o *Options) slotting(first, last time.Time) (from time.Time, step time.Duration, slots int, err error) {
	from, to := o.From, o.To
	if from.IsZero() || from.Before(first) {
		from = first
	}
	if to.IsZero() || to.After(last) {
		to = last.Add(1)
	}
	span := to.Sub(from)
	const day = 24 * time.Hour
	step = o.Step
	if step == 0 {
		const parts = 48
		if step = time.Hour; span < 2*day {
			step = max((span / parts).Round(time.Minute), time.Minute)
		}
		for span/step >= maxSlots {
			step *= 2
		}
	}
	from = from.Truncate(step)
	slots = int((to.Sub(from) + step - 1) / step)
	if slots > maxSlots || slots < 1 {
		return from, step, 0, fmt.Errorf("%d steps of %v (limit %d): use a longer step", slots, step, maxSlots)
	}
	return from, step, slots, nil
}

// label returns the first label of names that one of the series has.
func label(chosen string, names []string, series []store.Series) string {
	if chosen != "" {
		return chosen
	}
	for _, name := range names {
		for _, s := range series {
			if s.Labels.Get(name) != "" {
				return name
			}
		}
	}
	return ""
}

// usual reports whether nearly all profiles have a label: not if what sets it is new.
func usual(name string, series []store.Series) bool {
	with, all := 0, 0
	for _, s := range series {
		if all += s.Profiles; s.Labels.Get(name) != "" {
			with += s.Profiles
		}
	}
	const most = 0.95
	return float64(with) >= most*float64(all)
}

// A source is what a group of instances stored under one version.
type source struct {
	inst        int
	version     string // "" without a label
	query       store.Query
	first, last time.Time
}

// sources divides series by instance and version. versions are queries for all of each version.
func (l *loader) sources(p *panel, series []store.Series) (out []source, versions []store.Query, err error) {
	version := label(l.o.Version, versionLabels(), series)
	instance := label(l.o.Instance, instanceLabels(), series)
	if p.label = version; version == "" || l.o.Version == "" && slices.Contains(revisionLabels(), version) &&
		!usual(version, series) {
		p.label = buildIDLabel
	}
	commit := label("", revisionLabels(), series)
	names := []string{}
	for _, s := range series {
		if c := s.Labels.Get(commit); c != "" && p.label != buildIDLabel {
			p.revisions[s.Labels.Get(version)] = c
		}
		names = append(names, s.Labels.Get(instance))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	p.instances = min(len(names), maxInstances)
	group := map[string]int{}
	for i, name := range names {
		group[name] = i % maxInstances
	}
	type key struct {
		inst    int
		version string
	}
	index := map[key]*source{}
	members := map[key][]string{}
	for _, s := range series {
		k := key{group[s.Labels.Get(instance)], ""}
		if version != "" {
			k.version = s.Labels.Get(version)
		}
		x := index[k]
		if x == nil {
			x = &source{inst: k.inst, version: k.version, first: s.First, last: s.Last}
			index[k] = x
		}
		if s.First.Before(x.first) {
			x.first = s.First
		}
		if s.Last.After(x.last) {
			x.last = s.Last
		}
		if name := regexp.QuoteMeta(s.Labels.Get(instance)); !slices.Contains(members[k], name) {
			members[k] = append(members[k], name)
		}
	}
	byVersion := map[string]store.Query{}
	for k, x := range index {
		x.query = l.o.Query
		x.query.Matchers = append(slices.Clone(l.o.Matchers),
			store.Matcher{Name: store.ServiceLabel, Op: store.Equal, Value: p.service})
		if version != "" {
			x.query.Matchers = append(x.query.Matchers, store.Matcher{Name: version, Op: store.Equal, Value: k.version})
		}
		byVersion[k.version] = x.query
		if instance != "" {
			slices.Sort(members[k])
			m, err := store.NewMatcher(instance, store.Regexp, strings.Join(members[k], "|"))
			if err != nil {
				return nil, nil, err
			}
			x.query.Matchers = append(slices.Clone(x.query.Matchers), m)
		}
		out = append(out, *x)
	}
	for _, v := range slices.Sorted(maps.Keys(byVersion)) {
		versions = append(versions, byVersion[v])
	}
	slices.SortFunc(out, func(a, b source) int {
		return cmp.Or(cmp.Compare(a.inst, b.inst), cmp.Compare(a.version, b.version))
	})
	l.read = 0
	for i := range out {
		l.read += int(out[i].last.Sub(out[i].first)/p.step) + 1
	}
	if l.read > maxCells {
		return nil, nil, fmt.Errorf("more than %d instances times steps: use a longer step, or select fewer instances",
			maxCells)
	}
	return out, versions, nil
}

// load reads the observations of a service; nil if there are none.
func (l *loader) load(
	ctx context.Context, service string, series []store.Series, from time.Time, step time.Duration, slots int,
) (*panel, error) {
	p := &panel{
		service: service, from: from, step: step, slots: slots, calls: map[[2]string]bool{},
		revisions: map[string]string{},
	}
	sources, versions, err := l.sources(p, series)
	if err != nil {
		return nil, err
	}
	own, tested, err := l.choose(ctx, p, versions)
	if err != nil {
		return nil, err
	}
	if l.kept += l.read * len(tested); l.kept > maxShares {
		return nil, errors.New("too many instances, steps and functions together: select fewer services, or use a " +
			"longer step")
	}
	index := map[string]int{}
	for i := range tested {
		index[tested[i].key()] = i
	}
	p.subjects = tested
	for _, x := range sources {
		for slot := range slots {
			q := x.query
			q.From = from.Add(time.Duration(slot) * step)
			q.To = q.From.Add(step)
			if q.To.Before(x.first) || q.From.After(x.last) {
				continue
			}
			if q.From.Before(l.o.From) {
				q.From = l.o.From
			}
			if !l.o.To.IsZero() && q.To.After(l.o.To) {
				q.To = l.o.To
			}
			if !q.From.Before(q.To) {
				continue
			}
			merged, stats, err := l.r.Merge(ctx, q)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if err := l.observe(p, merged, stats, x, slot, own, index); err != nil {
				return nil, err
			}
		}
	}
	p.weigh()
	return p, nil
}

// key identifies a function, or a line in any version.
func (s *subject) key() string {
	if !s.line {
		return s.function
	}
	return s.function + "\x00" + s.at
}

// A costed function or line is one of a profile.
type costed struct {
	subject
	line int
	cost int64
}

// costs returns the costs of the own functions and lines of a profile, and their total. A line is
// recognized by its distance from the function's first line, if the profile has that.
func (l *loader) costs(p *profile.Profile, own func(profile.Function) bool) (all []costed, total int64, err error) {
	typ, err := p.TypeIndex(l.o.SampleType)
	if err != nil {
		return nil, 0, err
	}
	v, err := p.View(profile.Query{Type: typ})
	if err != nil {
		return nil, 0, err
	}
	starts := map[string]int64{}
	for _, f := range p.Functions {
		if f.StartLine > 0 {
			starts[profile.Generic(f.Name)] = f.StartLine
		}
	}
	functions := map[string]int{}
	for _, line := range v.Own(own).Lines {
		at, ok := functions[line.Function]
		if !ok {
			at = len(all)
			functions[line.Function] = at
			all = append(all, costed{subject: subject{function: line.Function, file: line.File}})
		}
		all[at].cost += line.Cost
		place := fmt.Sprint(line.Line)
		if start := starts[line.Function]; start > 0 {
			place = fmt.Sprintf("%+d", int64(line.Line)-start)
		}
		all = append(all, costed{
			subject{function: line.Function, file: line.File, line: true, at: place}, line.Line, line.Cost,
		})
	}
	return all, v.Total(), nil
}

// choose selects what is tested: the functions and lines that have the least share over the whole
// time, or in one version. own is what is own code.
func (l *loader) choose(
	ctx context.Context, p *panel, versions []store.Query,
) (own func(profile.Function) bool, tested []subject, err error) {
	most := map[string]*subject{}
	share := map[string]float64{}
	for _, q := range versions {
		merged, _, err := l.r.Merge(ctx, q)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if own == nil {
			own = func(profile.Function) bool { return true }
			if l.o.Own != nil {
				own = l.o.Own(merged)
			}
		}
		all, total, err := l.costs(merged, own)
		if err != nil {
			return nil, nil, err
		}
		p.connect(merged, own)
		for _, c := range all {
			if total == 0 {
				break
			}
			s := float64(c.cost) / float64(total)
			if s < l.o.MinShare {
				continue
			}
			k := c.key()
			if most[k] == nil {
				most[k] = &c.subject
			}
			share[k] = max(share[k], s)
		}
	}
	if own == nil {
		own = func(profile.Function) bool { return true }
	}
	for _, s := range most {
		tested = append(tested, *s)
	}
	slices.SortFunc(tested, func(a, b subject) int {
		return cmp.Or(cmp.Compare(share[b.key()], share[a.key()]), cmp.Compare(a.key(), b.key()))
	})
	return own, tested[:min(len(tested), maxTested)], nil
}

// connect remembers which own functions call each other in a profile.
func (p *panel) connect(merged *profile.Profile, own func(profile.Function) bool) {
	isOwn := make([]bool, len(merged.Functions))
	names := make([]string, len(merged.Functions))
	for i, f := range merged.Functions {
		isOwn[i], names[i] = own(f), profile.Generic(f.Name)
	}
	var stack []uint32
	for i := range merged.NumSamples() {
		callee := ""
		stack = merged.AppendStack(stack[:0], i)
	frames:
		for _, loc := range stack {
			for _, line := range merged.Frames(loc) {
				if line.Function == profile.None || !isOwn[line.Function] {
					continue
				}
				name := names[line.Function]
				if callee != "" {
					if name != callee && len(p.calls) < maxCells {
						p.calls[[2]string{name, callee}] = true
					}
					break frames
				}
				callee = name
			}
		}
	}
}

// observe adds a cell.
func (l *loader) observe(
	p *panel, merged *profile.Profile, stats store.Stats, x source, slot int, own func(profile.Function) bool,
	index map[string]int,
) error {
	all, total, err := l.costs(merged, own)
	if err != nil || total == 0 {
		return err
	}
	typ, _ := merged.TypeIndex(l.o.SampleType) // costs has checked it
	switch t := merged.SampleTypes[typ]; {
	case p.typ == profile.ValueType{}:
		p.typ = t
	case p.typ != t:
		return fmt.Errorf("sample type %s of %s becomes %s", p.typ.Type, p.service, t.Type)
	}
	p.profiles += stats.Profiles
	version := x.version
	if p.label == buildIDLabel {
		id, mixed := buildID(merged)
		if mixed {
			return nil // the slot of a deploy
		}
		version = cmp.Or(id, x.version)
		if x.version != "" {
			p.revisions[version] = x.version
		}
	}
	p.cells = append(p.cells, cell{inst: x.inst, slot: slot, total: float64(total)})
	p.versions = append(p.versions, version)
	n := len(p.cells)
	for i := range p.subjects {
		x := &p.subjects[i]
		if x.share = append(x.share, 0); x.line {
			x.number = append(x.number, 0)
		}
	}
	for _, c := range all {
		if at, ok := index[c.key()]; ok {
			x := &p.subjects[at]
			x.share[n-1] += float32(float64(c.cost) / float64(total))
			if x.line {
				x.number[n-1] = int32(c.line)
			}
		}
	}
	return nil
}

// buildID returns the build ID of a profile's program; mixed if it has two builds.
func buildID(p *profile.Profile) (id string, mixed bool) {
	if len(p.Mappings) == 0 {
		return "", false
	}
	main := p.Mappings[0]
	for _, m := range p.Mappings[1:] {
		if path.Base(m.File) == path.Base(main.File) && m.BuildID != "" && main.BuildID != "" && m.BuildID != main.BuildID {
			return main.BuildID, true
		}
	}
	return main.BuildID, false
}

// weigh sets the weights of cells, which grow with their cost up to a limit, drops nearly empty
// ones, and determines whether days repeat and instances stay.
func (p *panel) weigh() {
	totals := make([]float64, len(p.cells))
	for i, c := range p.cells {
		totals[i] = c.total
	}
	slices.Sort(totals)
	if len(totals) == 0 {
		return
	}
	middle := totals[len(totals)/2]
	for i := range p.cells {
		// A twentieth of the middle is too little to be a sample of what the service does.
		if c := &p.cells[i]; c.total*20 >= middle {
			c.weight = 2 * c.total / (c.total + middle)
		}
	}
	const day = 24 * time.Hour
	used := map[int]bool{}
	for _, c := range p.cells {
		used[c.slot] = true
	}
	perDay := int(day / p.step)
	switch {
	case day%p.step != 0 || perDay < 2:
	case p.slots >= 15*perDay && len(used) >= 14*perDay:
		p.period, p.day = 7*perDay, perDay // weekends differ
	case p.slots >= 2*perDay && len(used)*4 >= 3*2*perDay:
		p.period, p.day = perDay, perDay
	}
}
