package pyroscope

import (
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/profile"
)

// Names of nodes that are not functions.
const (
	rootName = "total"
	restName = "other"
)

// A node is a function in a tree of two profiles; the second is zero if there is only one.
type node struct {
	name     string
	total    [2]int64
	self     [2]int64
	children []*node
	byName   map[string]*node
}

// child returns the child of a name.
func (n *node) child(name string) *node {
	if c := n.byName[name]; c != nil {
		return c
	}
	if n.byName == nil {
		n.byName = map[string]*node{}
	}
	c := &node{name: name}
	n.byName[name] = c
	n.children = append(n.children, c)
	return c
}

// add adds the call tree of a profile as one side.
func (n *node) add(m *merged, side, limit int) error {
	v, err := m.View(profile.Query{Type: m.typ})
	if err != nil {
		return err
	}
	t := v.Tree(limit, false)
	at := make([]*node, len(t.Nodes))
	for i, tn := range t.Nodes {
		self := tn.Self
		switch {
		case i == 0:
			at[i] = n
		case tn.Rest > 0:
			at[i], self = at[tn.Parent].child(restName), tn.Total
		default:
			at[i] = at[tn.Parent].child(nodes.FrameName(v.Node(tn.Node)))
		}
		at[i].total[side] += tn.Total
		at[i].self[side] += self
	}
	return nil
}

// flameGraph returns the flame graph of a profile.
func flameGraph(m *merged, limit int) (*wire.FlameGraph, error) {
	root := &node{name: rootName}
	if err := root.add(m, 0, limit); err != nil {
		return nil, err
	}
	names, levels, most := root.levels(1)
	return &wire.FlameGraph{
		Names: names, Levels: levels, Total: wire.Int(root.total[0]), MaxSelf: wire.Int(most),
	}, nil
}

// flameDiff returns the flame graph of two profiles.
func flameDiff(left, right *merged, limit int) (*wire.FlameGraphDiff, error) {
	root := &node{name: rootName}
	for i, m := range []*merged{left, right} {
		if err := root.add(m, i, limit); err != nil {
			return nil, err
		}
	}
	names, levels, most := root.levels(2)
	return &wire.FlameGraphDiff{
		Names: names, Levels: levels, MaxSelf: wire.Int(most), Total: wire.Int(root.total[0] + root.total[1]),
		LeftTicks: wire.Int(root.total[0]), RightTicks: wire.Int(root.total[1]),
	}, nil
}

// levels lists the nodes by depth. For each side, a node has the distance from the end of the node
// before it on its level, its total and its own value; then follows the index of its name. A node
// begins with its own value, and its children follow.
func (n *node) levels(sides int) (names []string, levels []*wire.Level, most int64) {
	type placed struct {
		*node
		x [2]int64
	}
	index := map[string]int{}
	for row := []placed{{node: n}}; len(row) > 0; {
		var next []placed
		var end [2]int64
		level := &wire.Level{}
		for _, p := range row {
			x := p.x
			for s := range sides {
				level.Values = append(level.Values, wire.Int(x[s]-end[s]), wire.Int(p.total[s]), wire.Int(p.self[s]))
				end[s] = x[s] + p.total[s]
				most = max(most, p.self[s])
				x[s] += p.self[s]
			}
			name, ok := index[p.name]
			if !ok {
				name = len(names)
				index[p.name] = name
				names = append(names, p.name)
			}
			level.Values = append(level.Values, wire.Int(name))
			for _, c := range p.children {
				next = append(next, placed{c, x})
				for s := range sides {
					x[s] += c.total[s]
				}
			}
		}
		levels = append(levels, level)
		row = next
	}
	return names, levels, most
}
