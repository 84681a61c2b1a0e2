package report

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TracesSchema is the schema of Traces.
const TracesSchema = "whet.traces/1"

// Traces is what whet traces shows: whole stacks, equal ones merged.
type Traces struct {
	Schema string  `json:"schema"`
	Header Header  `json:"profile"`
	By     string  `json:"by"`
	Stacks []Trace `json:"stacks"` // heaviest first
	Hidden int     `json:"hidden"` // lighter stacks that were left out
	Left   int64   `json:"left"`   // their value

	by profile.By
}

// A Trace is one stack with its labels.
type Trace struct {
	Value   int64   `json:"value"`
	Share   float64 `json:"share"`   // of Header.Total, 0 to 1
	Samples int     `json:"samples"` // of the profile, that were merged
	Labels  []Tag   `json:"labels,omitempty"`
	Frames  []Frame `json:"frames"` // innermost first
}

// A Frame is one call of a Trace.
type Frame struct {
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Inlined bool   `json:"inlined,omitempty"` // into the next frame

	node profile.Node
}

// A Tag is a label of a sample.
type Tag struct {
	Key   string `json:"key"`
	Value string `json:"value"` // a number with its unit is written for people
}

// NewTraces makes the document of the n heaviest stacks (0: all).
func NewTraces(h Header, v *profile.View, n int) Traces {
	by := v.Query().By
	d := Traces{Schema: TracesSchema, Header: h, By: by.String(), Stacks: []Trace{}, by: by}
	type merged struct {
		value   int64
		samples int
		nodes   []uint32
		locs    []uint32
		labels  []profile.Label
	}
	index := map[string]int{}
	var all []merged
	var key []byte
	for s := range v.Stacks() {
		if len(s.Nodes) == 0 {
			continue
		}
		key = key[:0]
		for _, id := range s.Nodes {
			key = binary.LittleEndian.AppendUint32(key, id)
		}
		for _, l := range s.Labels {
			key = append(key, 0xff) // separates; equal labels come in equal order
			key = append(append(append(key, l.Key...), 0), labelText(l)...)
		}
		i, ok := index[string(key)]
		if !ok {
			i = len(all)
			index[string(key)] = i
			all = append(all, merged{nodes: slices.Clone(s.Nodes), locs: slices.Clone(s.Locs), labels: s.Labels})
		}
		all[i].value += s.Value
		all[i].samples++
	}
	slices.SortStableFunc(all, func(a, b merged) int {
		return cmp.Compare(max(b.value, -b.value), max(a.value, -a.value))
	})
	for i, m := range all {
		if n > 0 && i >= n {
			d.Hidden++
			d.Left += m.value
			continue
		}
		t := Trace{Value: m.value, Share: unit.Share(m.value, h.Total), Samples: m.samples, Frames: make([]Frame, len(m.nodes))}
		for _, l := range m.labels {
			t.Labels = append(t.Labels, Tag{l.Key, labelText(l)})
		}
		slices.SortStableFunc(t.Labels, func(a, b Tag) int { return strings.Compare(a.Key, b.Key) })
		for j, id := range m.nodes {
			node := v.Node(id)
			t.Frames[j] = Frame{
				Name: NodeName(node, by), File: node.File, Line: node.Line, node: node,
				Inlined: j+1 < len(m.locs) && m.locs[j] == m.locs[j+1],
			}
		}
		d.Stacks = append(d.Stacks, t)
	}
	return d
}

// labelText writes a label's value; a number gets its unit, which pprof takes
// from the key when the label has none.
func labelText(l profile.Label) string {
	if !l.Numeric {
		return l.Str
	}
	u := l.Unit
	if u == "" {
		switch u = l.Key; u {
		case "request", "alignment":
			u = "bytes"
		}
	}
	return unit.Of(l.Num, u).String()
}

// WriteTraces writes Traces for people.
func WriteTraces(w io.Writer, s Style, d Traces) error {
	t := &text{w: w}
	writeHeader(t, s, d.Header)
	common := scaleFor(d.Header.SampleType, d.Header.Total, func(yield func(int64) bool) {
		for _, st := range d.Stacks {
			if !yield(st.Value) {
				return
			}
		}
	})
	value := func(v int64) string { return columnValue(v, d.Header.SampleType.Unit, common) }
	valueW := 6
	for _, st := range d.Stacks {
		valueW = max(valueW, columns(value(st.Value)))
	}
	lead := ownShareW + 2 + valueW + 2
	for _, st := range d.Stacks {
		t.line()
		front := s.paint(heat(st.Share), right(unit.Percent(st.Value, d.Header.Total), ownShareW)) + "  " + right(value(st.Value), valueW) + "  "
		for _, l := range st.Labels {
			t.line(front, s.paint(cyan, cut(Clean(l.Key+": "+l.Value), s.room(lead, 10))))
			front = blanks(lead)
		}
		for _, f := range st.Frames {
			suffix := ""
			if f.Inlined {
				suffix = " (inline)"
			}
			t.line(front, FitNode(f.node, d.by, s.room(lead+columns(suffix), 10)), s.paint(dim, suffix))
			front = blanks(lead)
		}
	}
	if d.Hidden > 0 {
		t.line()
		t.line(s.paint(dim, right(unit.Percent(d.Left, d.Header.Total), ownShareW)+"  "+right(value(d.Left), valueW)+
			"  "+more(d.Hidden, "more stack", "more stacks", s.room(lead, 10))))
	}
	return t.result()
}
