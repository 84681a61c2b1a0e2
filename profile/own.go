package profile

import (
	"cmp"
	"path"
	"slices"
)

// Own charges each sample to its innermost own frame: the line of the user's code that caused the
// cost, whatever it called. own is called once per function.
func (v *View) Own(own func(Function) bool) *OwnReport {
	o := newOwnCounter(v, own)
	for k := range v.Samples() {
		if v.stopped(k) {
			break
		}
		i, stack := v.sample(k)
		if w := v.values[i]; w != 0 {
			o.add(stack, w)
		}
	}
	return o.report()
}

// ownCounter sums the cost of own lines. Functions are distinguished by name: an index into names.
type ownCounter struct {
	v     *View
	names []string
	lines []ownPlace
	cost  []int64 // per line
	self  []int64
	calls []ownCall
	index table            // of calls
	none  map[uint32]int64 // outermost function's name, None without one -> cost
	own   int64
	rest  int64

	// Per location: the own line of its innermost own frame, the name of the function that was
	// inlined into that line, and the name of the outermost visible frame's function; each None if
	// there is none.
	lineOf, inlinee, outer []uint32
	injected               []bool // per name
}

type ownPlace struct {
	name uint32
	line int32
	file string
}

type ownCall struct {
	line, callee uint32
	cost         int64
}

func newOwnCounter(v *View, own func(Function) bool) *ownCounter {
	p := v.p
	o := &ownCounter{
		v: v, none: make(map[uint32]int64),
		lineOf:  make([]uint32, len(p.Locations)),
		inlinee: make([]uint32, len(p.Locations)),
		outer:   make([]uint32, len(p.Locations)),
	}
	isOwn := make([]bool, len(p.Functions))
	nameOf := make([]uint32, len(p.Functions))
	names := make(map[string]uint32)
	files := make([]string, len(p.Functions))
	for i := range p.Functions {
		fn := &p.Functions[i]
		name := Generic(fn.Name)
		id, ok := names[name]
		if !ok {
			id = uint32(len(o.names))
			names[name] = id
			o.names = append(o.names, name)
			o.injected = append(o.injected, IsInjected(name))
		}
		nameOf[i] = id
		if isOwn[i] = own(*fn); isOwn[i] && fn.File != "" {
			files[i] = path.Clean(fn.File)
		}
	}
	lines := make(map[ownPlace]uint32)
	for i := range p.Locations {
		o.lineOf[i], o.inlinee[i], o.outer[i] = None, None, None
		callee := None
		for j := v.start[i]; j < v.start[i+1]; j++ {
			ln := p.Lines[v.frames[j]]
			name := None
			if ln.Function != None {
				name = nameOf[ln.Function]
			}
			o.outer[i] = name
			if o.lineOf[i] == None && ln.Function != None && isOwn[ln.Function] {
				place := ownPlace{name, ln.Line, files[ln.Function]}
				id, ok := lines[place]
				if !ok {
					id = uint32(len(o.lines))
					lines[place] = id
					o.lines = append(o.lines, place)
				}
				o.lineOf[i], o.inlinee[i] = id, callee
			}
			callee = name
		}
	}
	o.cost = make([]int64, len(o.lines))
	o.self = make([]int64, len(o.lines))
	return o
}

// add charges w to the innermost own line of a stack, or to its outermost frame.
func (o *ownCounter) add(s stack, w int64) {
	callee, root := None, None
	for j := range int(s.depth) {
		loc := s.at(j)
		line := o.lineOf[loc]
		if line == None {
			if outer := o.outer[loc]; outer != None {
				callee, root = outer, outer
				if o.injected[outer] {
					callee = None // callees below were not called either
				}
			}
			continue
		}
		if o.inlinee[loc] != None {
			callee = o.inlinee[loc]
		}
		o.cost[line] += w
		o.own += w
		if callee == None {
			o.self[line] += w
			return
		}
		h := mix(uint64(line), uint64(callee))
		slot, found := o.index.find(h, func(i uint32) bool { return o.calls[i].line == line && o.calls[i].callee == callee })
		if found {
			o.calls[o.index.index(slot)].cost += w
			return
		}
		o.index.put(slot, h, uint32(len(o.calls)))
		o.calls = append(o.calls, ownCall{line, callee, w})
		return
	}
	o.none[root] += w
	o.rest += w
}

func (o *ownCounter) name(id uint32) string {
	if id == None {
		return ""
	}
	return o.names[id]
}

// report sorts the sums.
func (o *ownCounter) report() *OwnReport {
	slices.SortFunc(o.calls, func(a, b ownCall) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(abs(b.cost), abs(a.cost)),
			cmp.Compare(o.names[a.callee], o.names[b.callee]))
	})
	callees := make([]OwnCallee, len(o.calls))
	for i, c := range o.calls {
		callees[i] = OwnCallee{o.names[c.callee], c.cost}
	}
	r := &OwnReport{Own: o.own, Rest: o.rest, Lines: make([]OwnLine, 0, len(o.lines))}
	at := 0
	for id, place := range o.lines {
		first := at
		for at < len(o.calls) && o.calls[at].line == uint32(id) {
			at++
		}
		if o.cost[id] == 0 && o.self[id] == 0 && at == first {
			continue // no sample was charged to it
		}
		r.Lines = append(r.Lines, OwnLine{
			Function: o.names[place.name], File: place.file, Line: int(place.line),
			Self: o.self[id], Cost: o.cost[id], Callees: callees[first:at:at],
		})
	}
	r.Lines = joinLines(r.Lines)
	for fn, cost := range o.none {
		r.None = append(r.None, OwnCallee{o.name(fn), cost})
	}
	slices.SortFunc(r.None, func(a, b OwnCallee) int {
		return cmp.Or(cmp.Compare(abs(b.Cost), abs(a.Cost)), cmp.Compare(a.Function, b.Function))
	})
	slices.SortFunc(r.Lines, func(a, b OwnLine) int {
		return cmp.Or(cmp.Compare(abs(b.Cost), abs(a.Cost)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Function, b.Function))
	})
	return r
}

// joinLines merges the rows of a line: code that is compiled several times, inlined or
// instantiated, has a function name for each. The heaviest name remains.
func joinLines(rows []OwnLine) []OwnLine {
	type place struct {
		file string
		line int
	}
	index := make(map[place]int, len(rows))
	shown := make([]int64, 0, len(rows)) // cost under the remaining name
	joined := make(map[int]bool)
	out := rows[:0]
	for _, r := range rows {
		at := place{r.File, r.Line}
		i, ok := index[at]
		if !ok || r.File == "" || r.Line == 0 {
			index[at] = len(out)
			out = append(out, r)
			shown = append(shown, abs(r.Cost))
			continue
		}
		o := &out[i]
		if cost := abs(r.Cost); cost > shown[i] || cost == shown[i] && r.Function < o.Function {
			o.Function, shown[i] = r.Function, cost
		}
		o.Self += r.Self
		o.Cost += r.Cost
		o.Callees = append(o.Callees, r.Callees...)
		joined[i] = true
	}
	for i := range joined {
		out[i].Callees = joinCallees(out[i].Callees)
	}
	return out
}

// joinCallees sums the callees of the same name; the result is heaviest first.
func joinCallees(list []OwnCallee) []OwnCallee {
	slices.SortFunc(list, func(a, b OwnCallee) int { return cmp.Compare(a.Function, b.Function) })
	out := list[:0]
	for _, c := range list {
		if n := len(out); n > 0 && out[n-1].Function == c.Function {
			out[n-1].Cost += c.Cost
			continue
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b OwnCallee) int {
		return cmp.Or(cmp.Compare(abs(b.Cost), abs(a.Cost)), cmp.Compare(a.Function, b.Function))
	})
	return out
}
