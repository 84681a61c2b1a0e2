package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/whet-go/whet/profile"
)

// Callgrind writes the view in the callgrind format that KCachegrind and
// QCachegrind open (https://valgrind.org/docs/manual/cl-format.html). The view
// must be bound by address; command goes to the header's cmd: line.
//
// Costs are in the sample type's own unit, whole and unscaled: go tool pprof
// picks a rounder unit and truncates each line to it. As there, the number of
// calls is written as 0, since a sampling profiler does not count calls, and
// the cost of a call is that of the samples that pass through it.
func Callgrind(w io.Writer, v *profile.View, command string) error {
	g := v.Graph(nil)
	for _, n := range g.Nodes {
		if n.Flat < 0 || n.Cum < 0 {
			return &NegativeError{"callgrind", "the cost of " + frameName(n.Node), min(n.Flat, n.Cum)}
		}
	}
	out := make([][]profile.Edge, len(g.Nodes))
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], e)
	}
	// KCachegrind wants the lines of a function together; within it, rising
	// addresses keep the compressed positions short.
	order := make([]int, len(g.Nodes))
	for i := range order {
		order[i] = i
	}
	objects := newObjects(v.Profile())
	object := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		object[i] = n.Object
		if n.Object == "" {
			object[i] = objects.of(n.Address)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &g.Nodes[a], &g.Nodes[b]
		return cmp.Or(
			strings.Compare(object[a], object[b]),
			strings.Compare(x.File, y.File),
			strings.Compare(x.Name, y.Name),
			cmp.Compare(x.Address, y.Address),
			cmp.Compare(x.Line, y.Line),
		)
	})

	c := &callgrindWriter{
		w:       bufio.NewWriterSize(w, 1<<16),
		objects: make(map[string]int), files: make(map[string]int), names: make(map[string]int),
	}
	t := v.Type()
	c.printf("# callgrind format\nversion: 1\ncreator: whet\n")
	if command != "" {
		c.printf("cmd: %s\n", callgrindClean(command))
	}
	c.printf("positions: instr line\n")
	event := callgrindEvent(t.Type)
	c.printf("event: %s : %s (%s)\n", event, callgrindClean(t.Type), callgrindClean(t.Unit))
	c.printf("events: %s\n", event)

	prev := -1
	var address uint64
	for _, i := range order {
		n := &g.Nodes[i]
		if prev < 0 || object[i] != object[prev] || n.File != g.Nodes[prev].File || callgrindFunction(n) != callgrindFunction(&g.Nodes[prev]) {
			c.printf("\nob=%s\nfl=%s\nfn=%s\n",
				compressName(c.objects, object[i]), compressName(c.files, n.File), compressName(c.names, callgrindFunction(n)))
		}
		c.printf("%s %d %d\n", relativeAddress(prev >= 0, address, n.Address), n.Line, n.Flat)
		address, prev = n.Address, i
		for _, e := range out[i] {
			to := &g.Nodes[e.To]
			if object[e.To] != object[i] {
				c.printf("cob=%s\n", compressName(c.objects, object[e.To]))
			}
			// The target is absolute: readers disagree on what a relative
			// one is relative to.
			c.printf("cfl=%s\ncfn=%s\ncalls=0 %#x %d\n* * %d\n",
				compressName(c.files, to.File), compressName(c.names, callgrindFunction(to)), to.Address, to.Line, e.Weight)
		}
	}
	if c.err != nil {
		return c.err
	}
	return c.w.Flush()
}

// callgrindFunction is the name of a node's function. Code without symbols is
// one function per address.
func callgrindFunction(n *profile.Weight) string {
	if n.Name != "" {
		return n.Name
	}
	return frameName(profile.Node{Address: n.Address})
}

// callgrindEvent makes s a short event name, which must be one word.
func callgrindEvent(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			b[i] = '_'
		}
	}
	if len(b) == 0 {
		return "samples"
	}
	return string(b)
}

// callgrindClean keeps s on one line.
func callgrindClean(s string) string {
	if !strings.ContainsAny(s, "\n\r") {
		return s
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
}

// compressName is the format's name compression: "(N) name" at first, then "(N)".
func compressName(seen map[string]int, name string) string {
	if name == "" {
		return ""
	}
	if id, ok := seen[name]; ok {
		return "(" + strconv.Itoa(id) + ")"
	}
	seen[name] = len(seen) + 1
	return "(" + strconv.Itoa(len(seen)) + ") " + callgrindClean(name)
}

// relativeAddress is the format's position compression, where it is shorter.
func relativeAddress(have bool, prev, addr uint64) string {
	abs := "0x" + strconv.FormatUint(addr, 16)
	switch {
	case !have:
		return abs
	case addr == prev:
		return "*"
	}
	rel := strconv.FormatInt(int64(addr-prev), 10)
	if addr > prev {
		rel = "+" + strconv.FormatUint(addr-prev, 10)
	} else if rel[0] != '-' { // the difference does not fit
		return abs
	}
	if len(rel) < len(abs) {
		return rel
	}
	return abs
}

// objects finds the mapping of an address.
type objects struct {
	maps  []profile.Mapping
	order []int // indices into maps, by Start
}

func newObjects(p *profile.Profile) *objects {
	o := &objects{maps: p.Mappings, order: make([]int, len(p.Mappings))}
	for i := range o.order {
		o.order[i] = i
	}
	slices.SortStableFunc(o.order, func(a, b int) int { return cmp.Compare(o.maps[a].Start, o.maps[b].Start) })
	return o
}

// index returns the index in Profile.Mappings of the mapping that holds address,
// -1 when there is none. A mapping without limits holds all above its start.
func (o *objects) index(address uint64) int {
	i := sort.Search(len(o.order), func(i int) bool { return o.maps[o.order[i]].Start > address })
	if i == 0 {
		return -1
	}
	if m := &o.maps[o.order[i-1]]; address >= m.Limit && m.Limit != 0 {
		return -1
	}
	return o.order[i-1]
}

// of returns the file mapped at address, "" when there is none.
func (o *objects) of(address uint64) string {
	if i := o.index(address); i >= 0 {
		return o.maps[i].File
	}
	return ""
}

// callgrindWriter writes formatted text and keeps the first error.
type callgrindWriter struct {
	w                     *bufio.Writer
	objects, files, names map[string]int
	err                   error
}

func (c *callgrindWriter) printf(format string, args ...any) {
	if c.err == nil {
		_, c.err = fmt.Fprintf(c.w, format, args...)
	}
}
