package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/profile"
)

// Find looks for the causes of what profiles show in a module's source. It is an error if there is
// no module, if no profile has a value, or if no line of the module is in the profiles.
func Find(ctx context.Context, p Profiles, o Options) (*Result, error) {
	f, err := newFinder(p, o)
	if f == nil {
		return nil, err
	}
	if err != nil {
		return f.result, err
	}
	if err := f.analyse(ctx); err != nil {
		return nil, err
	}
	f.judge(p.CPU)
	f.o.Progress("get compiler notes")
	f.annotate(ctx)
	f.rank()
	f.wait(p.Waits)
	return f.result, nil
}

// newFinder charges the profiles to the lines of the module. With an error it returns a finder only
// if the sole problem is that no line of the module is in the profiles.
func newFinder(p Profiles, o Options) (*finder, error) {
	o.MinShare = cmp.Or(o.MinShare, DefaultMinShare)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	m, err := findModule(o.Dir)
	if err != nil {
		return nil, err
	}
	f := &finder{
		o: o, m: m, result: &Result{
			Schema: Schema, Module: m.path, Dir: m.dir, Rules: len(o.Rules), Findings: []Finding{}, Unexplained: []HotLine{},
		},
	}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	o.Progress("read profiles")
	if f.ledgers = f.read(p); len(f.ledgers) == 0 {
		return nil, &diag.Error{
			Op: "find", Err: errors.New("the profiles contain no samples"),
			Hint: "record the program under load: `whet record TARGET --load URL`",
		}
	}
	f.matcher = newMatcher(m, o.Recorded)
	if err := f.join(); err != nil {
		return nil, err
	}
	f.result.charged = map[place]float64{}
	for at, c := range f.places {
		for _, l := range f.ledgers {
			var sum int64
			for _, a := range c[l.cost] {
				sum += a.value
			}
			f.result.charged[at] = max(f.result.charged[at], share(sum, l.total))
		}
	}
	for _, l := range f.ledgers {
		f.result.Totals = append(f.result.Totals, Total{Cost: l.cost, Unit: l.unit, Value: l.total, Own: l.own})
		if l.cost == CPU {
			f.result.GC, f.background = share(l.gc.Total(), l.total), share(l.gc.Background, l.total)
			f.result.GCBackground = f.background
		}
	}
	if len(f.places) == 0 {
		return f, &diag.Error{
			Op: "find", Subject: m.dir,
			Err:  errors.New("no line of the module " + m.path + " is in the profiles"),
			Hint: "name the recorded source with --dir, or add own code with --own",
		}
	}
	return f, nil
}

// join maps the ledgers to the lines of the module.
func (f *finder) join() error {
	if f.o.OriginalDir == "" {
		f.places, f.result.Stale = f.matcher.join(f.ledgers)
		return nil
	}
	was, err := findModule(f.o.OriginalDir)
	if err != nil {
		return err
	}
	f.places, f.result.Stale = newMatcher(was, f.o.Recorded).join(f.ledgers)
	f.places, err = follow(f.places, was, f.m)
	return err
}

// A finder is one run of Find.
type finder struct {
	o       Options
	m       *module
	matcher *matcher
	pats    patterns
	causes  map[string]*cause // by rule and category
	ledgers []*ledger
	places  map[place]charges
	claimed map[place]map[Cost]int64 // by findings
	// collecting is the index of the pattern for the collector's functions, and assisting their CPU
	// time below lines that are charged to findings.
	collecting int
	assisting  int64
	background float64 // share of the CPU time in the collector's own goroutines
	result     *Result

	pkgs    map[string]*packages.Package // by the module's file
	why     map[string]string            // by the module's file: why rules cannot analyse it
	matches []*match
	notes   map[string][]notes.Note // by the module's file
}

// prepare compiles the patterns of the rules' causes.
func (f *finder) prepare() error {
	f.causes, f.claimed = map[string]*cause{}, map[place]map[Cost]int64{}
	f.pkgs, f.why = map[string]*packages.Package{}, map[string]string{}
	for _, r := range f.o.Rules {
		for i := range r.Causes {
			c := &cause{rule: r, Cause: &r.Causes[i]}
			for cost, expr := range map[Cost]string{
				CPU: c.CPU, AllocSpace: c.Alloc, AllocObjects: c.Alloc,
				Mutex: c.Mutex, Block: c.Block,
			} {
				n, err := f.pats.add(expr)
				if err != nil {
					return fmt.Errorf("rule %s, %s: %w", r.Analyzer.Name, cost, err)
				}
				if c.pattern == nil {
					c.pattern = map[Cost]int{}
				}
				c.pattern[cost] = n
			}
			f.causes[causeKey(r.Analyzer.Name, c.Category)] = c
		}
	}
	var err error
	if f.collecting, err = f.pats.add(profile.CollectorPattern); err != nil {
		return err
	}
	if len(f.pats.exprs) > maxPatterns {
		return fmt.Errorf("the rules have %d patterns, more than %d", len(f.pats.exprs), maxPatterns)
	}
	return nil
}

func causeKey(rule, category string) string { return rule + "/" + cmp.Or(category, rule) }

// read makes the ledgers, each in its own goroutine.
func (f *finder) read(p Profiles) []*ledger {
	all := make([]*ledger, len(costs()))
	var wg sync.WaitGroup
	for i, cost := range costs() {
		prof, typ := p.of(cost)
		if prof == nil {
			continue
		}
		wg.Go(func() { all[i] = newLedger(prof, cost, typ, f.o.Own, &f.pats) })
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(l *ledger) bool { return l == nil || l.total == 0 })
}

// of returns the profile that contains a cost, and the name of the sample type there.
func (p Profiles) of(cost Cost) (prof *profile.Profile, sampleType string) {
	switch cost {
	case CPU:
		return p.CPU, "cpu"
	case AllocSpace:
		return p.Allocs, "alloc_space"
	case AllocObjects:
		return p.Allocs, "alloc_objects"
	case Mutex:
		return p.Mutex, "delay"
	case Block:
		return p.Block, "delay"
	}
	return nil, ""
}

// analyse loads the packages with hot lines, runs the rules on them and charges their diagnostics.
func (f *finder) analyse(ctx context.Context) error {
	dirs := f.hotDirs()
	if len(dirs) == 0 {
		return nil
	}
	f.o.Progress(fmt.Sprintf("load %d packages", len(dirs)))
	pkgs, err := driver.Load(ctx, driver.Options{Dir: f.m.dir, Flags: f.o.Flags, Env: f.o.Env}, dirs...)
	if err != nil {
		return &diag.Error{Op: "load", Subject: f.m.dir, Err: err, Hint: "the module must build: try `go build ./...` there"}
	}
	for _, pkg := range pkgs {
		f.index(pkg)
	}
	f.o.Progress(fmt.Sprintf("run %d rules", len(f.o.Rules)))
	found := make([][]*match, len(pkgs))
	errs := make([]error, len(pkgs))
	var wg sync.WaitGroup
	for i, pkg := range pkgs {
		if pkg.IllTyped || len(pkg.Errors) > 0 {
			continue
		}
		wg.Go(func() { found[i], errs[i] = f.run(pkg) })
	}
	wg.Wait()
	for i := range pkgs {
		f.matches = append(f.matches, found[i]...)
		if errs[i] != nil {
			f.result.Warnings = append(f.result.Warnings, errs[i])
		}
	}
	f.charge()
	return nil
}

// hotDirs returns the directories with lines above the minimum share of some profile, as patterns
// for the go command.
func (f *finder) hotDirs() []string {
	sums := map[string]map[Cost]int64{}
	for at, c := range f.places {
		dir := path.Dir(at.file)
		if sums[dir] == nil {
			sums[dir] = map[Cost]int64{}
		}
		for cost, accounts := range c {
			for _, a := range accounts {
				sums[dir][cost] += a.value
			}
		}
	}
	var dirs []string
	for dir, sum := range sums {
		for _, l := range f.ledgers {
			if share(sum[l.cost], l.total) >= f.o.MinShare {
				dirs = append(dirs, "./"+dir)
				break
			}
		}
	}
	slices.Sort(dirs)
	return dirs
}

// index records the files of a package, and why rules cannot analyse some of them.
func (f *finder) index(pkg *packages.Package) {
	rel := func(file string) string {
		r, err := filepath.Rel(f.m.dir, file)
		if err != nil {
			return file
		}
		return filepath.ToSlash(r)
	}
	why := ""
	if len(pkg.Errors) > 0 || pkg.IllTyped {
		why = "its package does not build"
		if len(pkg.Errors) > 0 {
			said := firstComplaint(pkg.Errors[0].Error())
			why += ": " + said
			f.result.Warnings = append(f.result.Warnings, fmt.Errorf("package %s does not build: %s", pkg.PkgPath, said))
		}
	}
	for _, file := range slices.Concat(pkg.GoFiles, pkg.CompiledGoFiles) {
		if why != "" {
			f.why[rel(file)] = why
		}
		f.pkgs[rel(file)] = pkg
	}
	for _, file := range pkg.GoFiles {
		if why == "" && len(pkg.CompiledGoFiles) > 0 && !slices.Contains(pkg.CompiledGoFiles, file) {
			f.why[rel(file)] = "the file uses cgo, so the compiler sees generated code"
		}
	}
	for _, file := range pkg.IgnoredFiles {
		f.why[rel(file)] = "build constraints exclude the file"
	}
}

// firstComplaint returns the first line of an error that does more than name the package, which is
// what go build prints first.
func firstComplaint(text string) string {
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "-: # ") {
		text = rest
	}
	return firstLine(text)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// rank sorts the result, and lists hot lines without a finding.
func (f *finder) rank() {
	r := f.result
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(largest(b.Evidence), largest(a.Evidence)),
			cmp.Compare(b.Alone, a.Alone), cmp.Compare(a.ID, b.ID))
	})
	for _, at := range sortedPlaces(f.places) {
		if h, ok := f.unexplained(at); ok {
			r.Unexplained = append(r.Unexplained, h)
		}
	}
	slices.SortStableFunc(r.Unexplained, func(a, b HotLine) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(largest(b.Evidence), largest(a.Evidence)))
	})
}

// largest returns the largest share of any profile.
func largest(e []Evidence) float64 {
	most := 0.0
	for _, one := range e {
		most = max(most, one.Share)
	}
	return most
}

// unexplained returns a hot line if findings claim less than half of it.
func (f *finder) unexplained(at place) (HotLine, bool) {
	var all, left []Evidence
	for _, l := range f.ledgers {
		accounts := f.places[at][l.cost]
		if len(accounts) == 0 {
			continue
		}
		whole, rest := Evidence{Cost: l.cost}, Evidence{Cost: l.cost}
		callees := map[string]int64{}
		for _, a := range accounts {
			whole.Value += a.value
			for name, v := range a.callees {
				callees[name] += v
			}
		}
		rest.Value = whole.Value - f.claimed[at][l.cost]
		whole.Share, rest.Share = share(whole.Value, l.total), share(rest.Value, l.total)
		all = append(all, whole)
		if rest.Value == 0 {
			continue
		}
		for name, v := range callees {
			callees[name] = min(v, rest.Value)
		}
		rest.Callees = heaviest(callees, l.total)
		left = append(left, rest)
	}
	h := HotLine{Evidence: left, Saving: f.saving(left), Why: f.why[at.file]}
	if largest(left) < f.o.MinShare || largest(left) < largest(all)/2 {
		return h, false
	}
	h.Place = f.placeOf(at.file, at.line, 1, at.line)
	h.Function = f.function(at.file, at.line)
	if strings.HasSuffix(at.file, "_test.go") {
		h.Why = "test code"
	}
	h.Notes = f.notesOf(at.file, at.line, at.line)
	return h, true
}

// maxCallees is the number of callees shown for a line.
const maxCallees = 5

func heaviest(callees map[string]int64, total int64) []Callee {
	list := make([]Callee, 0, len(callees))
	for name, v := range callees {
		list = append(list, Callee{Function: name, Value: v, Share: share(v, total)})
	}
	slices.SortFunc(list, func(a, b Callee) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Function, b.Function))
	})
	return list[:min(len(list), maxCallees)]
}

// saving returns the charged share of the CPU time, plus the share of the collector's work.
func (f *finder) saving(evidence []Evidence) float64 {
	sum := 0.0
	for _, e := range evidence {
		switch e.Cost {
		case CPU:
			sum += e.Share
		case AllocSpace:
			sum += f.background * e.Share
		case AllocObjects, Mutex, Block:
		}
	}
	return sum
}

// maxCode is the number of lines shown for a place.
const maxCode = 12

func (f *finder) placeOf(file string, line, column, end int) Place {
	p := Place{File: file, Line: line, Column: column, EndLine: end}
	if src := f.matcher.source(file); src != nil {
		p.Code = src.code(line, end, maxCode)
	}
	return p
}
