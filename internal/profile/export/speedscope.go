package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
)

// SpeedscopeSchema is the schema that Speedscope's output follows.
const SpeedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// speedscopeFrame is one entry of shared.frames.
type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Speedscope writes the view as a speedscope file (SpeedscopeSchema): one "sampled" profile for
// each sample type, over the same shared frames, with the view's sample type opened first. title is
// the name that the file shows.
//
// Samples with weight zero are left out. The format has no negative weights: a view with negative
// ones, from a subtracted base, is an error.
//
// It makes several passes over the view and keeps only the table of frames: memory does not grow
// with the number of samples.
func Speedscope(w io.Writer, v *profile.View, title string) error {
	p := v.Profile()
	frames, err := numberFrames(v)
	if err != nil {
		return err
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	enc := &speedscopeWriter{w: bw}
	enc.raw(`{"$schema":`)
	enc.json(SpeedscopeSchema)
	enc.raw(`,"name":`)
	enc.json(title)
	enc.raw(`,"exporter":"whet","activeProfileIndex":`)
	enc.json(activeType(p, v.Type()))
	enc.raw(`,"shared":{"frames":[`)
	for i, id := range frames.order {
		if i > 0 {
			enc.raw(",")
		}
		enc.raw("\n")
		enc.json(frameOf(v, id))
	}
	enc.raw("]},\n\"profiles\":[")
	for t, typ := range p.SampleTypes {
		if t > 0 {
			enc.raw(",")
		}
		speedscopeProfile(enc, v, frames, t, typ)
	}
	enc.raw("]}\n")
	if enc.err != nil {
		return enc.err
	}
	return bw.Flush()
}

// speedscopeProfile writes the "sampled" profile of sample type t.
func speedscopeProfile(enc *speedscopeWriter, v *profile.View, frames *frameTable, t int, typ profile.ValueType) {
	p := v.Profile()
	name, unit, scale := speedscopeUnit(typ)
	enc.raw("\n{\"type\":\"sampled\",\"name\":")
	enc.json(name)
	enc.raw(`,"unit":`)
	enc.json(unit)
	enc.raw(`,"startValue":0,"samples":[`)
	first := true
	for s := range v.Stacks() {
		if p.Value(s.Sample, t) == 0 {
			continue
		}
		enc.comma(&first)
		enc.raw("[")
		for i := len(s.Nodes) - 1; i >= 0; i-- { // outermost first
			enc.int(int64(frames.number[s.Nodes[i]] - 1))
			if i > 0 {
				enc.raw(",")
			}
		}
		enc.raw("]")
	}
	enc.raw(`],"weights":[`)
	first = true
	var sum int64
	for s := range v.Stacks() {
		x := p.Value(s.Sample, t) * scale
		if x == 0 {
			continue
		}
		enc.comma(&first)
		enc.int(x)
		sum += x
	}
	enc.raw(`],"endValue":`)
	enc.int(sum)
	enc.raw("}")
}

// A frameTable numbers the nodes of a view in the order in which its stacks, outermost frame first,
// show them.
type frameTable struct {
	number []uint32 // by node id: 1 + index in order, 0 when the node does not occur
	order  []uint32 // node ids
}

// numberFrames numbers the view's nodes. A negative weight is an error.
func numberFrames(v *profile.View) (*frameTable, error) {
	p := v.Profile()
	f := new(frameTable)
	for s := range v.Stacks() {
		for t, typ := range p.SampleTypes {
			if x := p.Value(s.Sample, t); x < 0 {
				return nil, &NegativeError{"speedscope", fmt.Sprintf("%s of sample %d", typ.Type, s.Sample+1), x}
			}
		}
		for i := len(s.Nodes) - 1; i >= 0; i-- {
			id := s.Nodes[i]
			for int(id) >= len(f.number) {
				f.number = append(f.number, make([]uint32, int(id)+1-len(f.number))...)
			}
			if f.number[id] == 0 {
				f.order = append(f.order, id)
				f.number[id] = uint32(len(f.order))
			}
		}
	}
	return f, nil
}

func frameOf(v *profile.View, id uint32) speedscopeFrame {
	n := v.Node(id)
	if n.Name == "" {
		return speedscopeFrame{Name: nodes.FrameName(n), File: n.File, Line: n.Line}
	}
	return speedscopeFrame{Name: n.Name, File: n.File, Line: n.Line}
}

func activeType(p *profile.Profile, t profile.ValueType) int {
	for i, x := range p.SampleTypes {
		if x == t {
			return i
		}
	}
	return 0
}

// speedscopeUnit returns the profile's name, its unit in the format's terms, and the factor that
// converts values to it.
func speedscopeUnit(t profile.ValueType) (name, unit string, scale int64) {
	switch t.Unit {
	case "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes":
		return t.Type, t.Unit, 1
	case "kilobytes", "kb", "kB":
		return t.Type, "bytes", 1 << 10
	case "megabytes", "mb", "MB":
		return t.Type, "bytes", 1 << 20
	case "count", "":
		return t.Type, "none", 1
	}
	return t.Type + " (" + t.Unit + ")", "none", 1
}

// speedscopeWriter writes parts of JSON and keeps the first error.
type speedscopeWriter struct {
	w   *bufio.Writer
	buf []byte
	err error
}

func (e *speedscopeWriter) raw(s string) {
	if e.err == nil {
		_, e.err = e.w.WriteString(s)
	}
}

func (e *speedscopeWriter) int(x int64) {
	if e.err == nil {
		e.buf = strconv.AppendInt(e.buf[:0], x, 10)
		_, e.err = e.w.Write(e.buf)
	}
}

func (e *speedscopeWriter) comma(first *bool) {
	if !*first {
		e.raw(",")
	}
	*first = false
}

func (e *speedscopeWriter) json(x any) {
	if e.err != nil {
		return
	}
	b, err := json.Marshal(x)
	if err != nil {
		e.err = err
		return
	}
	_, e.err = e.w.Write(terminal.EscapeJSON(b))
}
