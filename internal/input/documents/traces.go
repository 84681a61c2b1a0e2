package documents

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TracesSchema is the schema of Traces.
const TracesSchema = "whet.traces/2"

// Traces is the document of whet traces: whole stacks, equal ones merged.
type Traces struct {
	Schema   string        `json:"schema"`
	Header   Header        `json:"profile"`
	By       string        `json:"by"`
	Stacks   []Trace       `json:"stacks"` // heaviest first
	Hidden   int           `json:"hidden"` // lighter stacks left out
	Left     int64         `json:"left"`   // their value
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A Trace is one stack with its labels.
type Trace struct {
	Value   int64   `json:"value"`
	Share   float64 `json:"share"`   // of Header.Total, 0 to 1
	Samples int     `json:"samples"` // the number of samples merged
	Labels  []Tag   `json:"labels,omitempty"`
	Frames  []Frame `json:"frames"` // innermost first
}

// A Frame is one call of a Trace.
type Frame struct {
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Inlined bool   `json:"inlined,omitempty"` // into the next frame
}

// A Tag is a label of a sample.
type Tag struct {
	Key   string `json:"key"`
	Value string `json:"value"` // a number has its unit
}

// NewTraces returns the document of the n heaviest stacks (0: all).
func NewTraces(h Header, v *profile.View, n int) Traces {
	by := v.Query().By
	d := Traces{Schema: TracesSchema, Header: h, By: by.String(), Stacks: []Trace{}}
	all := mergeStacks(v)
	if n > 0 && len(all) > n {
		for _, m := range all[n:] {
			d.Left += m.value
		}
		d.Hidden, all = len(all)-n, all[:n]
	}
	d.Stacks = slices.Grow(d.Stacks, len(all))[:len(all)]
	place := make(map[int]int, len(all)) // first sample of a stack -> index in d.Stacks
	for i, m := range all {
		place[m.sample] = i
		d.Stacks[i] = Trace{Value: m.value, Share: unit.Share(m.value, h.Total), Samples: m.samples}
	}
	for s := range v.Stacks() {
		i, ok := place[s.Sample]
		if !ok {
			continue
		}
		t := &d.Stacks[i]
		for _, l := range s.Labels {
			t.Labels = append(t.Labels, Tag{l.Key, labelText(l)})
		}
		slices.SortStableFunc(t.Labels, func(a, b Tag) int { return strings.Compare(a.Key, b.Key) })
		t.Frames = make([]Frame, len(s.Nodes))
		for j, id := range s.Nodes {
			node := v.Node(id)
			t.Frames[j] = Frame{
				Name: nodes.Name(node, by), File: node.File, Line: node.Line,
				Inlined: j+1 < len(s.Locs) && s.Locs[j] == s.Locs[j+1],
			}
		}
	}
	return d
}

// mergedStack is the samples of a view with the same stack and labels.
type mergedStack struct {
	value   int64
	count   int64 // the divisor of value, with profile.Query.Mean
	samples int
	sample  int // the first of them
}

// mergeStacks adds up equal stacks, heaviest first. Stacks are identified by a 128-bit hash: the
// stacks of a large profile would fill memory.
func mergeStacks(v *profile.View) []mergedStack {
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	index := map[[2]uint64]int{}
	var all []mergedStack
	var key []byte
	for s := range v.Stacks() {
		if len(s.Nodes) == 0 {
			continue
		}
		key = binary.AppendUvarint(key[:0], uint64(len(s.Nodes)))
		for _, id := range s.Nodes {
			key = binary.LittleEndian.AppendUint32(key, id)
		}
		for _, l := range s.Labels {
			for _, text := range []string{l.Key, labelText(l)} {
				key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
			}
		}
		hash := [2]uint64{maphash.Bytes(seeds[0], key), maphash.Bytes(seeds[1], key)}
		i, ok := index[hash]
		if !ok {
			i = len(all)
			index[hash] = i
			all = append(all, mergedStack{sample: s.Sample})
		}
		all[i].value += s.Value
		all[i].count += v.Profile().Value(s.Sample, 0)
		all[i].samples++
	}
	slices.SortStableFunc(all, func(a, b mergedStack) int {
		return cmp.Compare(max(b.value, -b.value), max(a.value, -a.value))
	})
	for i := range all {
		all[i].value = v.Mean(all[i].value, all[i].count)
	}
	return all
}

// labelText formats a label's value. A number gets its unit, or as in pprof the one that the key
// implies.
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
