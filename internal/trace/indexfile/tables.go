package indexfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/model"
)

// Tables are what is in memory while an index is open.
type Tables struct {
	Info    model.Info
	Kinds   []Kind
	Reasons []string // names of codes from model.Waiting on
	Names   []string // texts by number; 0 is ""
	Frames  []Frame
	// Stack i has the frames StackIDs[StackEnd[i-1]:StackEnd[i]], leaf first; stacks are numbered
	// from 1.
	StackEnd []uint32
	StackIDs []uint32
	Branches []uint32 // frames

	Slices     []Tile
	Above      [][]Tile // levels, the smallest tiles first
	Goroutines []GoroutinesRef
	Pages      []Ref // of positions in Goroutines
	Records    []RecordsRef

	Threads []model.Thread
	Procs   int
	Totals  [model.Streams][]model.Named
}

// A Kind is a [model.Kind] with the number of its name.
type Kind struct {
	Name uint32
	model.Kind
}

// A Frame is a frame of stacks, with the numbers of its texts.
type Frame struct{ Func, File, Line uint32 }

// Append encodes tables.
func (t *Tables) Append(b []byte) ([]byte, error) {
	info, err := json.Marshal(t.Info)
	if err != nil {
		return nil, err
	}
	b = appendString(b, string(info))
	b = appendKinds(b, t.Kinds)
	b = appendStrings(b, t.Reasons)
	b = appendStrings(b, t.Names)
	b = binary.AppendUvarint(b, uint64(len(t.Frames)))
	for _, f := range t.Frames {
		b = binary.AppendUvarint(b, uint64(f.Func))
		b = binary.AppendUvarint(b, uint64(f.File))
		b = binary.AppendUvarint(b, uint64(f.Line))
	}
	b = binary.AppendUvarint(b, uint64(len(t.StackEnd)-1))
	for i, end := range t.StackEnd[1:] {
		b = appendNumbers(b, t.StackIDs[t.StackEnd[i]:end])
	}
	b = appendNumbers(b, t.Branches)
	b = appendTiles(b, t.Slices)
	b = binary.AppendUvarint(b, uint64(len(t.Above)))
	for _, tiles := range t.Above {
		b = appendTiles(b, tiles)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Goroutines)))
	for _, r := range t.Goroutines {
		b = appendRef(b, r.Ref)
		b = binary.AppendUvarint(b, uint64(r.From))
		b = binary.AppendUvarint(b, uint64(r.To-r.From))
	}
	b = binary.AppendUvarint(b, uint64(len(t.Pages)))
	for _, r := range t.Pages {
		b = appendRef(b, r)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Records)))
	for i := range t.Records {
		b = t.Records[i].append(b)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Threads)))
	for _, t := range t.Threads {
		b = binary.AppendUvarint(b, t.ID)
		b = binary.AppendUvarint(b, uint64(t.From))
		b = binary.AppendUvarint(b, uint64(t.To-t.From))
	}
	b = binary.AppendUvarint(b, uint64(t.Procs))
	for _, all := range t.Totals {
		b = binary.AppendUvarint(b, uint64(len(all)))
		for _, n := range all {
			for _, v := range []int64{int64(n.Name), n.Count, n.From, n.To - n.From, int64(n.Time)} {
				b = binary.AppendUvarint(b, uint64(v))
			}
		}
	}
	return b, nil
}

func appendStrings(b []byte, all []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, text := range all {
		b = appendString(b, text)
	}
	return b
}

func appendNumbers(b []byte, all []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, n := range all {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendKinds(b []byte, all []Kind) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, k := range all {
		for _, v := range []int64{int64(k.Name), k.Count, k.Created, k.Ended, int64(k.Life)} {
			b = binary.AppendUvarint(b, uint64(v))
		}
		b = binary.AppendUvarint(b, uint64(len(k.Stays)))
		for _, s := range k.Stays {
			b = append(b, byte(s.Code))
			b = binary.AppendUvarint(b, uint64(s.Count))
			for _, v := range []time.Duration{s.Total, s.Max, s.P50, s.P90, s.P99} {
				b = binary.AppendUvarint(b, uint64(v))
			}
		}
	}
	return b
}

// decodeTables reads what Append has written.
func decodeTables(b []byte) (*Tables, error) {
	d := &decoder{b: b}
	t := &Tables{}
	if err := json.Unmarshal([]byte(d.string()), &t.Info); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	t.Kinds = d.kinds()
	t.Reasons, t.Names = d.strings(), d.strings()
	t.decodeStacks(d)
	t.Slices = d.tiles()
	for range d.count() {
		t.Above = append(t.Above, d.tiles())
	}
	for range d.count() {
		r := GoroutinesRef{Ref: d.ref(), From: int64(d.uint())}
		r.To = r.From + int64(d.uint())
		t.Goroutines = append(t.Goroutines, r)
	}
	for range d.count() {
		t.Pages = append(t.Pages, d.ref())
	}
	for range d.count() {
		if s := d.recordsRef(); !d.bad {
			t.Records = append(t.Records, s)
		}
	}
	for range d.count() {
		one := model.Thread{ID: d.uint(), From: int64(d.uint())}
		one.To = one.From + int64(d.uint())
		t.Threads = append(t.Threads, one)
	}
	t.Procs = int(min(d.uint(), MaxLanes))
	for stream := range t.Totals {
		for range d.count() {
			n := model.Named{Name: uint32(d.uint()), Count: int64(d.uint()), From: int64(d.uint())}
			n.To = n.From + int64(d.uint())
			n.Time = time.Duration(d.uint())
			t.Totals[stream] = append(t.Totals[stream], n)
		}
	}
	if d.bad || len(d.b) > 0 {
		return nil, ErrDamaged
	}
	for i := range t.Kinds {
		if k := &t.Kinds[i]; int(k.Name) < len(t.Names) {
			k.Kind.Name = t.Names[k.Name]
		}
	}
	return t, nil
}

func (d *decoder) strings() []string {
	var all []string
	for range d.count() {
		all = append(all, d.string())
	}
	return all
}

// decodeStacks reads frames, stacks of them, and branches.
func (t *Tables) decodeStacks(d *decoder) {
	for range d.count() {
		t.Frames = append(t.Frames, Frame{uint32(d.uint()), uint32(d.uint()), uint32(d.uint())})
	}
	frame := func() uint32 {
		id := d.uint()
		if id >= uint64(len(t.Frames)) {
			d.fail()
		}
		return uint32(id)
	}
	t.StackEnd = append(t.StackEnd, 0)
	for range d.count() {
		for range d.count() {
			t.StackIDs = append(t.StackIDs, frame())
		}
		t.StackEnd = append(t.StackEnd, uint32(len(t.StackIDs)))
	}
	for range d.count() {
		if id := frame(); !d.bad {
			t.Branches = append(t.Branches, id)
		}
	}
}

func (d *decoder) kinds() []Kind {
	var all []Kind
	for range d.count() {
		k := Kind{Name: uint32(d.uint())}
		k.Count, k.Created, k.Ended = int64(d.uint()), int64(d.uint()), int64(d.uint())
		k.Life = time.Duration(d.uint())
		for range d.count() {
			s := model.Stays{
				Code: model.Code(d.byte()), Count: int64(d.uint()), Total: time.Duration(d.uint()),
				Max: time.Duration(d.uint()),
			}
			s.P50, s.P90, s.P99 = time.Duration(d.uint()), time.Duration(d.uint()), time.Duration(d.uint())
			k.Stays = append(k.Stays, s)
		}
		all = append(all, k)
	}
	return slices.Clip(all)
}
