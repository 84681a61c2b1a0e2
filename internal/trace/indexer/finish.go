package indexer

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// finish ends everything that is open, and writes the tables.
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
	tables, err := b.tables(pages).Append(nil)
	if err != nil {
		return err
	}
	return b.out.End(tables)
}

// endOthers ends ranges, tasks and the use of threads with the trace.
func (b *builder) endOthers() error {
	for p := range b.threads.mounted {
		if r, had := b.threads.end(trace.ProcID(p), b.now); had {
			if err := b.streams.add(model.Procs, &r); err != nil {
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
		r := model.Record{From: begun.from, To: b.now, Name: b.names.user(key.name), Stack: begun.stack}
		b.of(&r, key, begun.by)
		if err := b.streams.add(model.Ranges, &r); err != nil {
			return err
		}
	}
	for id, t := range b.tasks {
		r := model.Record{
			From: t.from, To: b.now, Name: t.name, Task: uint64(id), Parent: t.parent, Goroutine: t.goroutine, Stack: t.stack,
			Value: model.Began,
		}
		if err := b.streams.add(model.Tasks, &r); err != nil {
			return err
		}
	}
	return nil
}

// tables returns what is in memory while the index is open.
func (b *builder) tables(pages []indexfile.Ref) *indexfile.Tables {
	t := &indexfile.Tables{
		Info: b.info, Kinds: b.kinds.tables(), Reasons: b.codes.names,
		Slices: b.levels.slices, Goroutines: b.ended.blocks, Pages: pages, Records: b.streams.blocks,
		Threads: b.threads.all, Procs: len(b.procs.lanes), Branches: b.table.Branches(),
	}
	frames, all := b.table.All()
	t.Frames = make([]indexfile.Frame, len(frames))
	for i, f := range frames {
		t.Frames[i] = indexfile.Frame{
			Func: b.names.of(f.Func), File: b.names.of(f.File), Line: uint32(max(f.Line, 0)),
		}
	}
	t.Names = b.names.all // with those of frames
	t.StackEnd = append(make([]uint32, 0, b.table.Len()+1), 0)
	for ids := range all {
		t.StackIDs = append(t.StackIDs, ids...)
		t.StackEnd = append(t.StackEnd, uint32(len(t.StackIDs)))
	}
	for _, l := range b.levels.above {
		t.Above = append(t.Above, l.tiles)
	}
	for stream, totals := range b.streams.totals {
		for _, n := range totals.all {
			t.Totals[stream] = append(t.Totals[stream], model.Named{
				Name: n.Name, Count: n.Count, From: n.From, To: n.To, Time: time.Duration(n.Time),
			})
		}
	}
	return t
}
