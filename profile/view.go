package profile

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"sync"
)

// A View is a profile seen through a Query. It has tables over the profile's locations: which
// frames are visible and which node each belongs to. Samples are not copied. A View is safe for
// concurrent use.
type View struct {
	p      *Profile
	q      Query
	typ    int
	values []int64

	// The nodes, and the mapping from frames to nodes, are computed on first use: the own-code view
	// does not need them.
	once  sync.Once
	nodes []Node

	// The visible frames of location l, innermost first, are frames[start[l]:start[l+1]], as
	// indices into Profile.Lines; frameNode has the node of each.
	start     []uint32
	frames    []uint32
	frameNode []uint32
	// one is the node of a location with exactly one visible frame, hidden for one with none,
	// several for others: the inner loops check it first.
	one []uint32

	sumsOnce  sync.Once
	sumsOfAll []sum // see allSums

	samples []uint32 // kept samples in order; nil: all
	ends    []uint32 // with ShowFrom, per kept sample: length of the remaining stack
	begins  []uint32 // with PruneFrom, per kept sample: number of locations removed at the leaf
	pruned  []bool   // with PruneFrom, per location: a visible frame of it matches
	label   []uint32 // ByLabel: node per sample (indexed by sample)

	divisor *View // with Mean: the view of what sums are divided by

	total     int64
	unmatched []string
}

const (
	hidden  = None
	several = None - 1
)

// View binds a query. It fails when a tag filter does not parse or the sample
// type is out of range.
func (p *Profile) View(q Query) (*View, error) {
	v := &View{p: p, q: q, typ: q.Type}
	if v.typ < 0 {
		v.typ, _ = p.TypeIndex("")
	}
	if v.typ >= len(p.SampleTypes) {
		return nil, fmt.Errorf("sample type %d: the profile has %d", v.typ, len(p.SampleTypes))
	}
	v.values = p.values[v.typ]
	f := newFrameFilter(p, &q)
	v.visible(f)
	if err := v.selectSamples(f); err != nil {
		return nil, err
	}
	if q.Mean {
		q.Mean, q.Type = false, 0
		var err error
		if v.divisor, err = p.View(q); err != nil {
			return nil, err
		}
	}
	v.total = v.computeTotal()
	return v, nil
}

// Profile returns the profile that v shows.
func (v *View) Profile() *Profile { return v.p }

// Query returns the query that v was made with.
func (v *View) Query() Query { return v.q }

// Type returns the sample type shown.
func (v *View) Type() ValueType { return v.p.SampleTypes[v.typ] }

// Total returns the sum of the samples' absolute values: of all samples before filters, of the kept
// ones with Query.Relative, and of the base's alone for a DiffBase profile. Shares are relative to
// it.
func (v *View) Total() int64 { return v.total }

// Samples returns the number of samples that the filters keep.
func (v *View) Samples() int {
	if v.samples == nil {
		return len(v.p.stacks)
	}
	return len(v.samples)
}

// Unmatched returns the filters of the query that matched nothing at all, usually because of a
// typing error.
func (v *View) Unmatched() []string { return v.unmatched }

// Node returns the node with the given id.
func (v *View) Node(id uint32) Node {
	v.needNodes()
	return v.nodes[id]
}

func (v *View) needNodes() { v.once.Do(v.assignNodes) }

// NumNodes returns the number of nodes; ids are less. Nodes may have no weight.
func (v *View) NumNodes() int {
	v.needNodes()
	return len(v.nodes)
}

// sample returns the k-th kept sample and its stack.
func (v *View) sample(k int) (int, stack) {
	i, r := v.ref(k)
	return i, v.p.pieces.stack(r)
}

// stopped reports whether nothing of the k-th kept sample on need be added up anymore.
func (v *View) stopped(k int) bool {
	return k%4096 == 0 && v.q.Canceled != nil && v.q.Canceled() != nil
}

func (v *View) ref(k int) (int, stackRef) {
	if v.samples == nil {
		return k, v.p.stacks[k]
	}
	i := int(v.samples[k])
	r := v.p.stacks[i]
	if v.ends != nil {
		r = r.upTo(int(v.ends[k]))
	}
	if v.begins != nil {
		r = r.from(int(v.begins[k]))
	}
	return i, r
}

func (v *View) computeTotal() int64 {
	var total, base, divisor, baseDivisor int64
	add := func(i int) {
		if v.divisor != nil {
			d := v.divisor.values[i]
			divisor += d
			if v.p.IsBase(i) {
				baseDivisor += d
			}
		}
		x := v.values[i]
		if x < 0 {
			x = -x
		}
		total += x
		if v.p.IsBase(i) {
			base += x
		}
	}
	if v.q.Relative && v.samples != nil {
		for _, i := range v.samples {
			add(int(i))
		}
	} else {
		for i := range v.values {
			add(i)
		}
	}
	if base > 0 {
		return mean(base, baseDivisor)
	}
	return mean(total, divisor)
}

// mean returns sum/n, or sum if n is 0.
func mean(sum, n int64) int64 {
	if n == 0 {
		return sum
	}
	return sum / n
}

// Mean returns sum divided by n, the sum of the first sample type of the same samples, if
// Query.Mean is set; else sum.
func (v *View) Mean(sum, n int64) int64 {
	if v.divisor == nil {
		return sum
	}
	return mean(sum, n)
}

// A Stack is one sample of a view. Its slices are parallel, leaf first, and valid
// until the next iteration. Under ByLabel there is one node and no Lines or Locs.
type Stack struct {
	Nodes  []uint32 // node ids
	Lines  []uint32 // indices into Profile.Lines
	Locs   []uint32 // indices into Profile.Locations; equal neighbors are inlined
	Value  int64    // may be 0
	Labels []Label
	Sample int // index for Profile.AppendStack and Profile.Value
}

// Stacks yields the samples that the filters keep, in file order, with their
// visible frames. Recursion shows every frame.
func (v *View) Stacks() iter.Seq[Stack] {
	return func(yield func(Stack) bool) {
		v.needNodes()
		var s Stack
		var stack []uint32
		for k := range v.Samples() {
			if v.stopped(k) {
				return
			}
			i, packed := v.sample(k)
			s.Sample, s.Value = i, v.values[i]
			s.Nodes, s.Lines, s.Locs = s.Nodes[:0], s.Lines[:0], s.Locs[:0]
			if v.label != nil {
				s.Nodes = append(s.Nodes, v.label[i])
			} else {
				stack = packed.appendTo(stack[:0])
				for _, loc := range stack {
					first, end := v.start[loc], v.start[loc+1]
					s.Nodes = append(s.Nodes, v.frameNode[first:end]...)
					s.Lines = append(s.Lines, v.frames[first:end]...)
					for range end - first {
						s.Locs = append(s.Locs, loc)
					}
				}
			}
			s.Labels = v.p.Labels(i)
			if !yield(s) {
				return
			}
		}
	}
}

// frameFilter holds a query's regular expressions, evaluated once per function
// and mapping.
type frameFilter struct {
	p                                   *Profile
	focus, ignore, hide, show, showFrom *matches
}

// matches has the functions (by name or file) and mappings (by file) that a regular expression
// matches.
type matches struct {
	functions, mappings []bool
	any                 bool // some location matched
}

func newFrameFilter(p *Profile, q *Query) *frameFilter {
	m := func(re *regexp.Regexp) *matches {
		if re == nil {
			return nil
		}
		m := &matches{make([]bool, len(p.Functions)), make([]bool, len(p.Mappings)), false}
		for i := range p.Functions {
			m.functions[i] = re.MatchString(p.Functions[i].Name) || re.MatchString(p.Functions[i].File)
		}
		for i := range p.Mappings {
			m.mappings[i] = re.MatchString(p.Mappings[i].File)
		}
		return m
	}
	return &frameFilter{p, m(q.Focus), m(q.Ignore), m(q.Hide), m(q.Show), m(q.ShowFrom)}
}

func (m *matches) mapping(l *Location) bool {
	return l.Mapping != None && m.mappings[l.Mapping]
}

func (m *matches) line(l Line) bool {
	return l.Function != None && m.functions[l.Function]
}

// location reports whether any frame, or the mapping, of a location matches.
func (m *matches) location(p *Profile, loc uint32) bool {
	hit := m.mapping(&p.Locations[loc])
	for _, ln := range p.Frames(loc) {
		hit = hit || m.line(ln)
	}
	m.any = m.any || hit
	return hit
}

// visible fills the tables of visible frames. Hide and Show work on frames; a matching mapping
// applies to all frames of its locations.
func (v *View) visible(f *frameFilter) {
	p := v.p
	v.start = make([]uint32, 1, len(p.Locations)+1)
	v.frames = make([]uint32, 0, len(p.Lines))
	pruneFrom := newPruneFrom(v)
	for i := range p.Locations {
		l := &p.Locations[i]
		first := len(v.frames)
		hide := f.hide != nil && f.hide.location(p, uint32(i))
		hideAll := hide && f.hide.mapping(l)
		showAll := f.show == nil || f.show.mapping(l)
		for j := l.First; j < l.First+l.Num && !hideAll; j++ {
			ln := p.Lines[j]
			switch {
			case hide && f.hide.line(ln):
			case f.show != nil && ln.Function == None: // nothing to match
			case !showAll && !f.show.line(ln):
			default:
				v.frames = append(v.frames, j)
			}
		}
		if f.show != nil && len(v.frames) > first {
			f.show.any = true
		}
		if f.showFrom != nil && !f.showFrom.mapping(l) {
			// Frames outside the outermost match are removed.
			for j := len(v.frames) - 1; j >= first; j-- {
				if f.showFrom.line(p.Lines[v.frames[j]]) {
					v.frames = v.frames[:j+1]
					break
				}
			}
		}
		pruneFrom.location(i, first)
		if n := len(v.frames); v.q.NoInlines && n > first+1 {
			v.frames[first] = v.frames[n-1]
			v.frames = v.frames[:first+1]
		}
		v.start = append(v.start, uint32(len(v.frames)))
	}
}

// selectSamples applies focus, ignore, show-from and the tag filters.
func (v *View) selectSamples(f *frameFilter) error {
	p := v.p
	tagFocus, err := newTagFilter(p, v.q.TagFocus)
	if err != nil {
		return fmt.Errorf("tag focus: %w", err)
	}
	tagIgnore, err := newTagFilter(p, v.q.TagIgnore)
	if err != nil {
		return fmt.Errorf("tag ignore: %w", err)
	}
	byName := f.focus != nil || f.ignore != nil || f.hide != nil || f.show != nil
	if !byName && f.showFrom == nil && tagFocus == nil && tagIgnore == nil && v.pruned == nil {
		return nil
	}
	const (
		focused = 1 << iota
		ignored
		from
	)
	class := make([]uint8, len(p.Locations))
	for i := range p.Locations {
		loc := uint32(i)
		if f.ignore != nil && f.ignore.location(p, loc) {
			class[i] |= ignored
		} else if f.focus == nil || f.focus.location(p, loc) {
			class[i] |= focused
		}
		if f.showFrom != nil {
			hit := f.showFrom.mapping(&p.Locations[i])
			for _, j := range v.frames[v.start[i]:v.start[i+1]] {
				hit = hit || f.showFrom.line(p.Lines[j])
			}
			if hit {
				class[i] |= from
				f.showFrom.any = true
			}
		}
	}
	v.samples = make([]uint32, 0, len(p.stacks))
	if f.showFrom != nil {
		v.ends = make([]uint32, 0, len(p.stacks))
	}
	if v.pruned != nil {
		v.begins = make([]uint32, 0, len(p.stacks))
	}
	var sawFocus, sawIgnore bool
	var stack []uint32
	for i := range p.stacks {
		stack = p.stack(i).appendTo(stack[:0])
		if byName {
			var all uint8
			seen := false
			for _, loc := range stack {
				all |= class[loc]
				seen = seen || v.start[loc] < v.start[loc+1]
			}
			if all&focused == 0 || all&ignored != 0 || !seen && (f.hide != nil || f.show != nil) {
				continue
			}
		}
		end := len(stack)
		if f.showFrom != nil {
			for end > 0 && class[stack[end-1]]&from == 0 {
				end--
			}
			if end == 0 {
				continue
			}
		}
		if tagFocus != nil {
			if !tagFocus.match(i) {
				continue
			}
			sawFocus = true
		}
		if tagIgnore != nil && tagIgnore.match(i) {
			sawIgnore = true
			continue
		}
		v.samples = append(v.samples, uint32(i))
		if v.ends != nil {
			v.ends = append(v.ends, uint32(end))
		}
		if v.pruned != nil {
			begin := max(slices.IndexFunc(stack[:end], func(loc uint32) bool { return v.pruned[loc] }), 0)
			v.begins = append(v.begins, uint32(begin))
		}
	}
	report := func(name string, asked, hit bool) {
		if asked && !hit {
			v.unmatched = append(v.unmatched, name)
		}
	}
	report("focus", f.focus != nil, f.focus != nil && f.focus.any)
	report("ignore", f.ignore != nil, f.ignore != nil && f.ignore.any)
	report("hide", f.hide != nil, f.hide != nil && f.hide.any)
	report("show", f.show != nil, f.show != nil && f.show.any)
	report("show-from", f.showFrom != nil, f.showFrom != nil && f.showFrom.any)
	report("prune-from", v.pruned != nil, slices.Contains(v.pruned, true))
	report("tag-focus", tagFocus != nil, sawFocus)
	report("tag-ignore", tagIgnore != nil, sawIgnore)
	return nil
}
