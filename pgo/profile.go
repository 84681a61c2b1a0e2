package pgo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// Errors for profiles that the compiler cannot use. Errors of this package that wrap them have a
// hint.
var (
	ErrNotCPU      = errors.New("not a CPU profile")
	ErrEmpty       = errors.New("the profile has no samples")
	ErrNoStartLine = errors.New("the profile does not have the start lines of functions")
)

// callerAndCallee is the part of a stack that the compiler uses: the frames of its two innermost
// locations (internal/profile.NewGraph).
const callerAndCallee = 2

// An Edge is a call as the compiler finds it in a profile: names in the linker's form, and the line
// of the call relative to the start of the caller.
type Edge struct {
	Caller, Callee string
	Offset         int
	Weight         int64 // samples, or nanoseconds if the profile does not count samples

	// Position of the call when the profile was taken.
	File string
	Line int
}

// Reduce returns the part of a CPU profile that the compiler reads: the innermost two locations of
// each stack, without labels, with equal ones merged. cmd/preprofile returns the same for both. It
// returns an error for profiles that the compiler would reject, and for empty ones, which it would
// silently accept.
func Reduce(p *profile.Profile) (*profile.Profile, error) {
	if weightColumn(p) < 0 {
		var has []string
		for _, t := range p.SampleTypes {
			has = append(has, t.Type+"/"+t.Unit)
		}
		return nil, &diag.Error{
			Err: fmt.Errorf("%w: it has %s (want samples/count or cpu/nanoseconds)", ErrNotCPU,
				strings.Join(has, ", ")),
			Hint: "use a CPU profile: a recording made by `whet record`, or the output of /debug/pprof/profile",
		}
	}
	if !slices.ContainsFunc(p.Functions, func(f profile.Function) bool { return f.StartLine != 0 }) &&
		len(p.Functions) > 0 {
		return nil, &diag.Error{
			Err: ErrNoStartLine,
			Hint: "record it again with a program built with Go 1.20 or newer; tools that convert profiles may " +
				"drop these lines too",
		}
	}
	var columns []int
	for i, t := range p.SampleTypes {
		if isWeight(t) {
			columns = append(columns, i)
		}
	}
	reduced, err := rewrite(p, columns, func(name string) string { return name })
	if err != nil {
		return nil, fmt.Errorf("reduce profile: %w", err)
	}
	if reduced.NumSamples() == 0 {
		return nil, &diag.Error{
			Err: ErrEmpty, Hint: "record the program while it is busy: a minute under typical load is good",
		}
	}
	return reduced, nil
}

func isWeight(t profile.ValueType) bool {
	return t == profile.ValueType{Type: "samples", Unit: "count"} || t == profile.ValueType{
		Type: "cpu", Unit: "nanoseconds",
	}
}

// weightColumn returns the sample type that the compiler uses, the first that it knows, or -1.
func weightColumn(p *profile.Profile) int { return slices.IndexFunc(p.SampleTypes, isWeight) }

// rewrite returns p with the sample types in columns, the first of which must not be 0, reduced to
// the ends of stacks that the compiler uses, and with functions renamed.
func rewrite(p *profile.Profile, columns []int, name func(string) string) (*profile.Profile, error) {
	var types []profile.ValueType
	for _, col := range columns {
		types = append(types, p.SampleTypes[col])
	}
	c := copier{
		from: p, to: profile.NewBuilder(types...), name: name,
		locations: map[uint32]uint32{}, functions: map[uint32]uint32{}, mappings: map[uint32]uint32{},
	}
	if len(p.Mappings) > 0 {
		c.mapping(0) // by convention the first one is the program
	}
	var stack []uint32
	values := make([]int64, len(columns))
	for i := range p.NumSamples() {
		for k, col := range columns {
			values[k] = p.Value(i, col)
		}
		if values[0] == 0 {
			continue // the compiler ignores it
		}
		stack = p.AppendStack(stack[:0], i)
		stack = stack[:min(len(stack), callerAndCallee)]
		for k, loc := range stack {
			stack[k] = c.location(loc)
		}
		if err := c.to.Sample(stack, nil, values...); err != nil {
			return nil, err
		}
	}
	return c.to.Profile(&profile.Profile{
		PeriodType: p.PeriodType, Period: p.Period, Time: p.Time, Duration: p.Duration,
	}), nil
}

// A copier copies locations from a profile to another one's builder.
type copier struct {
	from                           *profile.Profile
	to                             *profile.Builder
	name                           func(string) string // of functions
	locations, functions, mappings map[uint32]uint32
}

func (c *copier) location(i uint32) uint32 {
	if to, ok := c.locations[i]; ok {
		return to
	}
	l := c.from.Locations[i]
	mapping := profile.None
	if l.Mapping != profile.None {
		mapping = c.mapping(l.Mapping)
	}
	lines := slices.Clone(c.from.Frames(i))
	for k := range lines {
		if lines[k].Function != profile.None {
			lines[k].Function = c.function(lines[k].Function)
		}
	}
	to := c.to.Location(l.Address, mapping, l.Folded, lines...)
	c.locations[i] = to
	return to
}

func (c *copier) function(i uint32) uint32 {
	to, ok := c.functions[i]
	if !ok {
		f := c.from.Functions[i]
		f.Name, f.SystemName = c.name(f.Name), c.name(f.SystemName)
		to = c.to.Function(f)
		c.functions[i] = to
	}
	return to
}

func (c *copier) mapping(i uint32) uint32 {
	to, ok := c.mappings[i]
	if !ok {
		to = c.to.Mapping(c.from.Mappings[i])
		c.mappings[i] = to
	}
	return to
}

// renamePackage returns a profile of Reduce with the functions of package from renamed to package
// to. The linker names the functions of a program's main package main.f, and those of the same
// package in a test binary by its import path: a profile of one does not apply to the other until
// it is renamed.
func renamePackage(reduced *profile.Profile, from, to string) (*profile.Profile, error) {
	columns := make([]int, len(reduced.SampleTypes))
	for i := range columns {
		columns[i] = i
	}
	p, err := rewrite(reduced, columns, func(name string) string { return renamed(name, from, to) })
	if err != nil {
		return nil, fmt.Errorf("rename %s to %s: %w", from, to, err)
	}
	return p, nil
}

func renamed(name, from, to string) string {
	if rest, ok := strings.CutPrefix(name, from+"."); ok {
		return to + "." + rest
	}
	return name
}

// Edges returns the calls that the compiler finds in a CPU profile, heaviest first: those of
// cmd/preprofile, in its order. Their weights add up to the total that it uses.
func Edges(p *profile.Profile) []Edge {
	column := weightColumn(p)
	if column < 0 {
		return nil
	}
	type key struct {
		caller, callee string
		offset         int
	}
	index := map[key]int{}
	var edges []Edge
	var stack []uint32
	var seen [][2]callNode // of one sample
	for i := range p.NumSamples() {
		w := p.Value(i, column)
		if w == 0 {
			continue
		}
		stack = p.AppendStack(stack[:0], i)
		var parent callNode
		first := true
		seen = seen[:0]
		for k := min(len(stack), callerAndCallee) - 1; k >= 0; k-- {
			frames := p.Frames(stack[k])
			for f := len(frames) - 1; f >= 0; f-- {
				n := nodeOf(p, stack[k], frames[f])
				call := [2]callNode{parent, n}
				if !first && n != parent && !slices.Contains(seen, call) {
					seen = append(seen, call)
					id := key{parent.name, n.name, parent.line - parent.start}
					at, ok := index[id]
					if !ok {
						at = len(edges)
						index[id] = at
						edges = append(edges, Edge{
							Caller: id.caller, Callee: id.callee, Offset: id.offset, File: parent.file, Line: parent.line,
						})
					}
					edges[at].Weight += w
				}
				parent, first = n, false
			}
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Callee, b.Callee),
			cmp.Compare(a.Offset, b.Offset))
	})
	return edges
}

// A callNode identifies a position in a profile as the compiler does.
type callNode struct {
	name, file  string
	addr        uint64
	start, line int
}

func nodeOf(p *profile.Profile, loc uint32, frame profile.Line) callNode {
	n := callNode{addr: p.Locations[loc].Address}
	if frame.Function != profile.None {
		f := &p.Functions[frame.Function]
		n.name, n.file, n.start, n.line = f.Name, f.File, int(f.StartLine), int(frame.Line)
	}
	return n
}

// hotShare is the fraction of the weight of all calls that the compiler treats as hot: its
// -d=pgoinlinecdfthreshold, 99%.
const hotShare = 0.99

// hotEdges returns the edges, which must be in the order of Edges, that the compiler inlines with a
// larger budget: the heaviest ones, with 99% of the weight in total.
func hotEdges(edges []Edge) []Edge {
	total, sum := weightOf(edges), int64(0)
	for i, e := range edges {
		if sum += e.Weight; float64(sum) > hotShare*float64(total) {
			return edges[:i+1]
		}
	}
	return edges
}

func weightOf(edges []Edge) (total int64) {
	for _, e := range edges {
		total += e.Weight
	}
	return total
}
