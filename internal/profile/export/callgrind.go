package export

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/terminal"
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
			return &NegativeError{"callgrind", "the cost of " + nodes.FrameName(n.Node), min(n.Flat, n.Cum)}
		}
	}
	out := make([][]profile.Edge, len(g.Nodes))
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], e)
	}
	// KCachegrind requires the lines of a function together; within it, rising addresses keep the
	// compressed positions short.
	order := make([]int, len(g.Nodes))
	for i := range order {
		order[i] = i
	}
	objects := nodes.NewObjects(v.Profile())
	object := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		object[i] = n.Object
		if n.Object == "" {
			object[i] = objects.Of(n.Address)
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
	event := callgrindEvent(t.Type)
	c.str("# callgrind format\nversion: 1\ncreator: whet\n")
	if command != "" {
		c.str("cmd: ", callgrindClean(command), "\n")
	}
	c.str("positions: instr line\nevent: ", event, " : ", callgrindClean(t.Type), " (", callgrindClean(t.Unit),
		")\nevents: ", event, "\n")
	prev := -1
	for _, i := range order {
		n := &g.Nodes[i]
		if prev < 0 || object[i] != object[prev] || n.File != g.Nodes[prev].File || n.Name != g.Nodes[prev].Name ||
			n.Name == "" && n.Address != g.Nodes[prev].Address {
			c.str("\n")
			c.name("ob=", c.objects, object[i])
			c.name("fl=", c.files, n.File)
			c.name("fn=", c.names, callgrindFunction(n))
		}
		if prev < 0 {
			c.address(n.Address)
		} else {
			c.relative(g.Nodes[prev].Address, n.Address)
		}
		c.line(n.Line, n.Flat)
		prev = i
		for _, e := range out[i] {
			to := &g.Nodes[e.To]
			if object[e.To] != object[i] {
				c.name("cob=", c.objects, object[e.To])
			}
			c.name("cfl=", c.files, to.File)
			c.name("cfn=", c.names, callgrindFunction(to))
			// The target is absolute: readers disagree about the base of a relative one.
			c.str("calls=0 ")
			c.address(to.Address)
			c.str(" ")
			c.int(int64(to.Line))
			c.str("\n* * ")
			c.int(e.Weight)
			c.str("\n")
		}
	}
	if c.err != nil {
		return c.err
	}
	return c.w.Flush()
}

// callgrindFunction returns the name of a node's function. Each address without a symbol is a
// function.
func callgrindFunction(n *profile.Weight) string {
	if n.Name != "" {
		return n.Name
	}
	return nodes.FrameName(profile.Node{Address: n.Address})
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

// callgrindClean keeps s on one line and free of escape sequences: the output may be a terminal.
func callgrindClean(s string) string {
	if strings.ContainsAny(s, "\n\r") {
		s = strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
	}
	return terminal.Clean(s)
}

// callgrindWriter writes the parts of the format and keeps the first error.
type callgrindWriter struct {
	w                     *bufio.Writer
	objects, files, names map[string]int // numbers of the names written so far
	buf                   []byte
	err                   error
}

func (c *callgrindWriter) str(parts ...string) {
	for _, s := range parts {
		if c.err == nil {
			_, c.err = c.w.WriteString(s)
		}
	}
}

func (c *callgrindWriter) write(b []byte) {
	c.buf = b[:0]
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

func (c *callgrindWriter) int(x int64) { c.write(strconv.AppendInt(c.buf, x, 10)) }

// line ends a cost line.
func (c *callgrindWriter) line(line int, cost int64) {
	c.str(" ")
	c.int(int64(line))
	c.str(" ")
	c.int(cost)
	c.str("\n")
}

// name writes a name with the format's compression: "(N) name" the first time, then "(N)".
func (c *callgrindWriter) name(key string, seen map[string]int, name string) {
	c.str(key)
	if name != "" {
		id, ok := seen[name]
		if !ok {
			id = len(seen) + 1
			seen[name] = id
		}
		c.str("(")
		c.int(int64(id))
		c.str(")")
		if !ok {
			c.str(" ", callgrindClean(name))
		}
	}
	c.str("\n")
}

func (c *callgrindWriter) address(a uint64) {
	c.write(strconv.AppendUint(append(c.buf, "0x"...), a, 16))
}

// relative writes an address with the format's compression if that is shorter.
func (c *callgrindWriter) relative(prev, a uint64) {
	switch {
	case a == prev:
		c.str("*")
	case a > prev && shorter(a-prev, a):
		c.write(strconv.AppendUint(append(c.buf, '+'), a-prev, 10))
	case a < prev && shorter(prev-a, a):
		c.write(strconv.AppendUint(append(c.buf, '-'), prev-a, 10))
	default:
		c.address(a)
	}
}

// shorter reports whether diff in decimal with a sign is shorter than a in hexadecimal with "0x".
func shorter(diff, a uint64) bool {
	return len(strconv.FormatUint(diff, 10))+1 < len(strconv.FormatUint(a, 16))+2
}
