package index

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"golang.org/x/exp/trace"
)

// Info describes the trace as a whole.
type Info struct {
	Events      int64  `json:"events"`
	Generations int64  `json:"generations"` // events that begin one, and the last event
	Duration    int64  `json:"duration"`    // nanoseconds
	Goroutines  uint32 `json:"goroutines"`
	Spans       int64  `json:"spans"`
	Samples     int64  `json:"samples"`          // of the CPU
	Source      string `json:"source,omitempty"` // Options.Source
	// Began is when the trace began; zero if the trace does not have it, as before Go 1.25.
	Began time.Time `json:"began,omitzero"`
	// Damage says what ended the trace before its end; "" if it is complete.
	Damage string `json:"damage,omitempty"`
	// Limited is the Options.MaxMemory that ended the trace; 0 if it did not.
	Limited int64 `json:"limited,omitempty"`
	// StacksFull is set when stacks were left out because there were too many.
	StacksFull bool `json:"stacks_full,omitempty"`
}

// finish ends all that is open, and writes the tables.
func (b *builder) finish() error {
	alive := make([]*goroutine, 0, len(b.gs.all))
	for _, g := range b.gs.all {
		alive = append(alive, g)
	}
	byIndex(alive)
	for _, g := range alive {
		if err := b.leave(g, b.now); err != nil {
			return err
		}
		if err := b.endRegions(g); err != nil {
			return err
		}
	}
	if err := b.endOthers(); err != nil {
		return err
	}
	if err := b.flush(); err != nil {
		return err
	}
	for _, g := range alive {
		if err := b.bury(g); err != nil {
			return err
		}
	}
	if err := b.levels.finish(b.out); err != nil {
		return err
	}
	pages, err := b.ended.write(b.out)
	if err != nil {
		return err
	}
	if err := b.streams.flush(); err != nil {
		return err
	}
	b.info.Duration, b.info.Goroutines, b.info.StacksFull = b.now, b.next, b.table.Full()
	for _, t := range b.levels.slices {
		b.info.Spans += int64(t.Spans)
	}
	tables, err := b.tables(pages)
	if err != nil {
		return err
	}
	return b.out.end(tables)
}

// endOthers ends ranges, tasks and the use of threads with the trace.
func (b *builder) endOthers() error {
	for p := range b.threads.mounted {
		if r, had := b.threads.end(trace.ProcID(p), b.now); had {
			if err := b.streams.add(Procs, &r); err != nil {
				return err
			}
		}
	}
	keys := make([]rangeKey, 0, len(b.ranges))
	for key := range b.ranges {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y rangeKey) int { return cmp.Compare(b.ranges[x].from, b.ranges[y].from) })
	for _, key := range keys {
		begun := b.ranges[key]
		r := Record{From: begun.from, To: b.now, Name: b.names.user(key.name), Stack: begun.stack}
		b.of(&r, key, begun.by)
		if err := b.streams.add(Ranges, &r); err != nil {
			return err
		}
	}
	for id, t := range b.tasks {
		r := Record{
			From: t.from, To: b.now, Name: t.name, Task: uint64(id), Parent: t.parent, Goroutine: t.goroutine, Stack: t.stack,
			Value: Began,
		}
		if err := b.streams.add(Tasks, &r); err != nil {
			return err
		}
	}
	return nil
}

// tables encodes what is kept in memory while an index is open.
func (b *builder) tables(pages []ref) ([]byte, error) {
	info, err := json.Marshal(b.info)
	if err != nil {
		return nil, err
	}
	out := appendString(nil, string(info))
	out = b.kinds.encode(out) // before the names, which it does not add to
	out = binary.AppendUvarint(out, uint64(len(b.codes.names)))
	for _, name := range b.codes.names {
		out = appendString(out, name)
	}
	frames, all := b.table.All()
	type text struct{ function, file uint32 }
	texts := make([]text, len(frames))
	for i, f := range frames {
		texts[i] = text{b.names.of(f.Func), b.names.of(f.File)}
	}
	out = b.names.encode(out)
	out = binary.AppendUvarint(out, uint64(len(frames)))
	for i, f := range frames {
		out = binary.AppendUvarint(out, uint64(texts[i].function))
		out = binary.AppendUvarint(out, uint64(texts[i].file))
		out = binary.AppendUvarint(out, uint64(max(f.Line, 0)))
	}
	out = binary.AppendUvarint(out, uint64(b.table.Len()))
	for ids := range all {
		out = binary.AppendUvarint(out, uint64(len(ids)))
		for _, id := range ids {
			out = binary.AppendUvarint(out, uint64(id))
		}
	}
	branches := b.table.Branches()
	out = binary.AppendUvarint(out, uint64(len(branches)))
	for _, id := range branches {
		out = binary.AppendUvarint(out, uint64(id))
	}
	out = appendTiles(out, b.levels.slices)
	out = binary.AppendUvarint(out, uint64(len(b.levels.above)))
	for _, l := range b.levels.above {
		out = appendTiles(out, l.tiles)
	}
	out = binary.AppendUvarint(out, uint64(len(b.ended.blocks)))
	for _, r := range b.ended.blocks {
		out = appendRef(out, r.ref)
		out = binary.AppendUvarint(out, uint64(r.from))
		out = binary.AppendUvarint(out, uint64(r.to-r.from))
	}
	out = appendRefs(out, pages)
	out = binary.AppendUvarint(out, uint64(len(b.streams.blocks)))
	for i := range b.streams.blocks {
		s := &b.streams.blocks[i]
		out = s.encode(appendRef(append(out, byte(s.stream)), s.ref))
	}
	out = binary.AppendUvarint(out, uint64(len(b.threads.all)))
	for _, t := range b.threads.all {
		out = binary.AppendUvarint(out, t.ID)
		out = binary.AppendUvarint(out, uint64(t.From))
		out = binary.AppendUvarint(out, uint64(t.To-t.From))
	}
	out = binary.AppendUvarint(out, uint64(len(b.procs.lanes)))
	for _, t := range b.streams.totals {
		out = binary.AppendUvarint(out, uint64(len(t.all)))
		for _, n := range t.all {
			for _, v := range []int64{int64(n.name), n.count, n.from, n.to - n.from, n.time} {
				out = binary.AppendUvarint(out, uint64(v))
			}
		}
	}
	return out, nil
}

func appendRef(b []byte, r ref) []byte {
	b = binary.AppendUvarint(b, uint64(r.off))
	b = binary.AppendUvarint(b, uint64(r.len))
	return binary.LittleEndian.AppendUint32(b, r.sum)
}

func appendRefs(b []byte, refs []ref) []byte {
	b = binary.AppendUvarint(b, uint64(len(refs)))
	for _, r := range refs {
		b = appendRef(b, r)
	}
	return b
}

func appendTiles(b []byte, tiles []tile) []byte {
	b = binary.AppendUvarint(b, uint64(len(tiles)))
	for _, t := range tiles {
		b = appendRef(b, t.ref)
		b = binary.AppendUvarint(b, uint64(t.From))
		b = binary.AppendUvarint(b, uint64(t.To-t.From))
		b = binary.AppendUvarint(b, uint64(t.Spans))
		b = append(binary.AppendUvarint(b, uint64(len(t.procs))), t.procs...)
		b = append(binary.AppendUvarint(b, uint64(len(t.threads))), t.threads...)
		b = appendSums(b, t.sums)
	}
	return b
}

func (d *decoder) ref() ref {
	r := ref{off: int64(d.uint()), len: uint32(min(d.uint(), maxBlock))}
	if sum := d.bytes(4); sum != nil {
		r.sum = binary.LittleEndian.Uint32(sum)
	}
	return r
}

func (d *decoder) refs() []ref {
	n := d.count()
	var refs []ref
	for range n {
		refs = append(refs, d.ref())
	}
	return refs
}

func (d *decoder) tiles() []tile {
	n := d.count()
	tiles := make([]tile, 0, n)
	for range n {
		if d.bad {
			return nil
		}
		t := tile{ref: d.ref(), From: int64(d.uint())}
		t.To = t.From + int64(d.uint())
		t.Spans = int(d.uint())
		t.procs, t.threads = d.bytes(d.count()), d.bytes(d.count())
		t.sums = d.sums(nil)
		tiles = append(tiles, t)
	}
	return tiles
}

// decodeTables reads what tables has written.
func (x *Index) decodeTables(b []byte) error {
	d := &decoder{b: b}
	if err := json.Unmarshal([]byte(d.string()), &x.Info); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	x.decodeKinds(d)
	for range d.count() {
		x.reasons = append(x.reasons, d.string())
	}
	for range d.count() {
		x.names = append(x.names, d.string())
	}
	for range d.count() {
		x.frames = append(x.frames, frame{uint32(d.uint()), uint32(d.uint()), uint32(d.uint())})
	}
	x.stackEnd = append(x.stackEnd, 0)
	for range d.count() {
		for range d.count() {
			id := d.uint()
			if id >= uint64(len(x.frames)) {
				d.fail()
			}
			x.stackIDs = append(x.stackIDs, uint32(id))
		}
		x.stackEnd = append(x.stackEnd, uint32(len(x.stackIDs)))
	}
	for range d.count() {
		id := d.uint()
		if id >= uint64(len(x.frames)) {
			d.fail()
			break
		}
		x.branches = append(x.branches, uint32(id))
	}
	x.slices = d.tiles()
	for range d.count() {
		x.above = append(x.above, d.tiles())
	}
	for range d.count() {
		r := recordRef{ref: d.ref(), from: int64(d.uint())}
		r.to = r.from + int64(d.uint())
		x.records = append(x.records, r)
	}
	x.pages = d.refs()
	for range d.count() {
		if s := d.streamRef(); !d.bad {
			x.refs[s.stream][s.class] = append(x.refs[s.stream][s.class], s)
		}
	}
	for range d.count() {
		t := Thread{ID: d.uint(), From: int64(d.uint())}
		t.To = t.From + int64(d.uint())
		x.threads = append(x.threads, t)
	}
	x.procs = int(min(d.uint(), maxLanes))
	for stream := range x.totals {
		for range d.count() {
			n := Named{Name: uint32(d.uint()), Count: int64(d.uint()), From: int64(d.uint())}
			n.To = n.From + int64(d.uint())
			n.Time = time.Duration(d.uint())
			x.totals[stream] = append(x.totals[stream], n)
		}
	}
	if d.bad || len(d.b) > 0 {
		return ErrDamaged
	}
	for i, name := range x.kindNames {
		x.kinds[i].Name = x.Name(name)
	}
	return nil
}
