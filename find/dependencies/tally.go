package dependencies

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/profile"
)

// A callKey is an own line and the function of another module that it calls.
type callKey struct {
	file   string
	line   int32
	callee string
}

// A lineKey is a line of another module.
type lineKey struct {
	file, function string
	line           int32
}

// charged is what one value of a profile charges to a call.
type charged struct {
	value int64
	lines map[lineKey]int64
	work  map[diagnosis.Kind]map[string]int64 // by kind and function of the standard library
}

// A charge is what profiles charge to a call.
type charge struct {
	cpu, memory charged
	made        map[string]map[int64]objects // by what they show, and the size of one
}

// Objects are allocated objects of one size, estimated from samples.
type objects struct{ count, space int64 }

// A tally charges profiles to calls of other modules.
type tally struct {
	in      *Input
	charges map[callKey]*charge
	totals  map[string]int64
	origins map[string]origin // by callee

	sampling int64 // bytes per sampled allocation
}

func newTally(in *Input) *tally {
	return &tally{
		in: in, charges: map[callKey]*charge{}, totals: map[string]int64{}, origins: map[string]origin{},
		sampling: defaultSampling,
	}
}

// Whose a function is.
type whose int

const (
	ofStandard whose = iota
	ofOwn
	ofOthers
)

// whoseOf returns whose a function is.
func (in *Input) whoseOf(f profile.Function) whose {
	pkg := originOf(f.Name, f.File).pkg
	switch {
	case in.Own(f):
		return ofOwn
	case pkg == profile.PackagePath(f.Name) && in.Own(profile.Function{Name: pkg + ".f"}):
		return ofStandard // a closure that was inlined into own code, and not from the file of another module
	case pkg == "" || pkg == "main" || goruntime.In(f.Name) || goruntime.Standard(f.Name) || profile.IsStd(pkg):
		return ofStandard
	}
	return ofOthers
}

// A walk reads the stacks of a profile.
type walk struct {
	p     *profile.Profile
	whose []whose
	kinds []diagnosis.Kind
	stack []uint32
}

func (t *tally) walk(p *profile.Profile) *walk {
	w := &walk{p: p, whose: make([]whose, len(p.Functions)), kinds: make([]diagnosis.Kind, len(p.Functions))}
	for i, f := range p.Functions {
		w.whose[i], w.kinds[i] = t.in.whoseOf(f), diagnosis.Class(f.Name)
	}
	return w
}

// A sample is what the stack of a sample shows about a call of another module.
type sample struct {
	own       profile.Line
	callee    uint32       // the first function of another module below the own line
	innermost profile.Line // of another module
	kind      diagnosis.Kind
	calls     uint32 // the function of the standard library that the innermost line calls; profile.None for none
	leaf      uint32
}

// sample reads a sample; false if it has no own line, or no other module below it.
func (w *walk) sample(i int) (s sample, ok bool) {
	none := profile.Line{Function: profile.None}
	s = sample{own: none, callee: profile.None, innermost: none, calls: profile.None, leaf: profile.None}
	w.stack = w.p.AppendStack(w.stack[:0], i)
	for _, loc := range w.stack {
		at := w.p.Locations[loc]
		for _, ln := range w.p.Lines[at.First : at.First+at.Num] {
			if ln.Function == profile.None {
				continue
			}
			if profile.IsInjected(w.p.Functions[ln.Function].Name) {
				s = sample{own: none, callee: profile.None, innermost: none, calls: profile.None, leaf: profile.None}
				continue
			}
			if s.leaf == profile.None {
				s.leaf = ln.Function
			}
			switch w.whose[ln.Function] {
			case ofOwn:
				s.own = ln
				return s, s.callee != profile.None
			case ofOthers:
				s.callee = ln.Function
				if s.innermost.Function == profile.None {
					s.innermost = ln
				}
			case ofStandard:
				if s.innermost.Function == profile.None {
					s.calls, s.kind = ln.Function, w.kinds[ln.Function].Around(s.kind)
				}
			}
		}
	}
	return s, false
}

// add charges a value of a profile.
func (t *tally) add(p *profile.Profile, value string, into func(*charge) *charged) {
	if p == nil {
		return
	}
	typ, err := p.TypeIndex(value)
	if err != nil {
		return
	}
	w := t.walk(p)
	for i := range p.NumSamples() {
		v := p.Value(i, typ)
		t.totals[value] += v
		if v == 0 {
			continue
		}
		s, ok := w.sample(i)
		if !ok {
			continue
		}
		c := into(t.charge(p, &s))
		if c.lines == nil {
			c.lines, c.work = map[lineKey]int64{}, map[diagnosis.Kind]map[string]int64{}
		}
		c.value += v
		f := p.Functions[s.innermost.Function]
		c.lines[lineKey{f.File, profile.Generic(f.Name), s.innermost.Line}] += v
		kind, function := cmp.Or(s.kind, diagnosis.Own), ""
		if s.calls != profile.None {
			function = profile.Generic(p.Functions[s.calls].Name)
		}
		if c.work[kind] == nil {
			c.work[kind] = map[string]int64{}
		}
		c.work[kind][function] += v
	}
}

// charge returns the charge of the call that a sample is in.
func (t *tally) charge(p *profile.Profile, s *sample) *charge {
	callee := p.Functions[s.callee]
	key := callKey{p.Functions[s.own.Function].File, s.own.Line, profile.Generic(callee.Name)}
	c := t.charges[key]
	if c == nil {
		c = &charge{made: map[string]map[int64]objects{}}
		t.charges[key] = c
		t.origins[key.callee] = originOf(callee.Name, callee.File)
	}
	return c
}

// An origin is where the source of a function is, as far as a profile shows it.
type origin struct {
	pkg             string // import path
	module, version string // "" if unknown
	file            string // relative to the module, or the name in the profile
}

// originOf returns the origin of a function. A closure that was inlined together with the function around it has the
// name of the package that it was inlined into; its file shows where it is from.
func originOf(function, file string) origin {
	o := origin{pkg: profile.PackagePath(function), file: strings.ReplaceAll(file, `\`, "/")}
	head, rest, ok := profile.SplitVersion(o.file)
	if !ok {
		_, vendored, isVendored := strings.Cut(o.file, "/vendor/")
		if isVendored && !strings.Contains(o.file, "/vendor/"+o.pkg+"/") {
			o.pkg = path.Dir(vendored)
		}
		return o
	}
	before, _ := strings.CutSuffix(o.file, "/"+rest)
	o.version, o.file = before[strings.LastIndexByte(before, '@')+1:], rest
	for m := o.pkg; m != "." && m != "/"; m = path.Dir(m) {
		if head == m || strings.HasSuffix(head, "/"+m) {
			o.module = m
			return o
		}
	}
	if _, inCache, ok := strings.Cut(head, "/pkg/mod/"); ok {
		head = inCache
	}
	if !strings.HasPrefix(head, "/") && !strings.Contains(head, ":") {
		o.module, o.pkg = head, path.Join(head, path.Dir(rest))
	}
	return o
}

// makers are functions of the standard library that allocate one object of their largest size each time they are
// called, and what that shows. They are read in the source of Go 1.20 to 1.26.
func makers() map[string]string {
	return map[string]string{
		"os.newFile":                   "files opened",
		"regexp.compile":               "regular expressions compiled",
		"text/template/parse.New":      "templates parsed",
		"encoding/json.NewDecoder":     "JSON decoders made",
		"encoding/json.NewEncoder":     "JSON encoders made",
		"compress/gzip.NewWriterLevel": "gzip writers made",
	}
}

// count counts what calls make, in an allocation profile.
func (t *tally) count(p *profile.Profile) {
	if p == nil {
		return
	}
	count, err := p.TypeIndex("alloc_objects")
	space, err2 := p.TypeIndex("alloc_space")
	if err != nil || err2 != nil {
		return
	}
	if p.PeriodType.Unit == "bytes" && p.Period > 0 {
		t.sampling = p.Period
	}
	w := t.walk(p)
	for i := range p.NumSamples() {
		s, ok := w.sample(i)
		if !ok {
			continue
		}
		what := makers()[p.Functions[s.leaf].Name]
		one := objects{p.Value(i, count), p.Value(i, space)}
		if what == "" || one.count <= 0 {
			continue
		}
		made := t.charge(p, &s).made
		if made[what] == nil {
			made[what] = map[int64]objects{}
		}
		size := one.space / one.count // the runtime keeps a sample for each size
		sum := made[what][size]
		made[what][size] = objects{sum.count + one.count, sum.space + one.space}
	}
}

// amount returns a value with its share of a profile.
func (t *tally) amount(v int64, value string) Amount {
	if t.totals[value] == 0 {
		return Amount{Value: v}
	}
	return Amount{Value: v, Share: float64(v) / float64(t.totals[value])}
}

// main returns what orders the lines and work of a call: CPU time, or else allocated bytes.
func (c *charge) main() (of *charged, value string) {
	if c.cpu.value > 0 {
		return &c.cpu, "cpu"
	}
	return &c.memory, "alloc_space"
}

// hottest returns the most expensive lines of other modules below a call.
func (t *tally) hottest(c *charge) []Line {
	of, value := c.main()
	list := []Line{}
	for key, v := range of.lines {
		list = append(list, Line{
			File: key.file, Line: int(key.line), Function: key.function, Share: t.amount(v, value).Share,
			Memory: t.amount(c.memory.lines[key], "alloc_space").Share, profileFile: key.file,
		})
	}
	slices.SortFunc(list, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Function, b.Function))
	})
	list = list[:min(len(list), maxLines)]
	for i := range list {
		l := &list[i]
		from := originOf(l.Function, l.File)
		l.Module, l.Version, l.File, l.pkg = from.module, from.version, from.file, from.pkg
	}
	return list
}

// work returns what lines of other modules do below a call.
func (t *tally) work(c *charge) (list []Work) {
	of, value := c.main()
	for kind, functions := range of.work {
		var sum int64
		for _, v := range functions {
			sum += v
		}
		names := slices.SortedFunc(maps.Keys(functions), func(a, b string) int {
			return cmp.Or(cmp.Compare(functions[b], functions[a]), cmp.Compare(a, b))
		})
		names = slices.DeleteFunc(names, func(name string) bool { return name == "" || 10*functions[name] < sum })
		list = append(list, Work{Kind: kind, Share: t.amount(sum, value).Share, Functions: names[:min(len(names), 3)]})
	}
	slices.SortFunc(list, func(a, b Work) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Kind, b.Kind))
	})
	return list[:min(len(list), maxWork)]
}

// The runtime samples one allocation in defaultSampling bytes. From minSamples of them on, they say how often something
// is done: the error is then mostly less than a third.
const (
	defaultSampling = 512 << 10
	minSamples      = 10
)

// counts returns what a call makes.
func (t *tally) counts(c *charge) (list []Count) {
	for what, bySize := range c.made {
		largest := slices.Max(slices.Collect(maps.Keys(bySize)))
		n := bySize[largest].count
		if bySize[largest].space < minSamples*t.sampling {
			continue
		}
		one := Count{What: what, Times: n}
		if t.in.Requests >= 1 {
			one.PerRequest = float64(n) / t.in.Requests
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.What, b.What))
	})
	return list
}
