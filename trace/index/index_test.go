package index

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/index/indextest"
	"github.com/whet-go/whet/trace/model"
)

// magic begins an index.
const magic = "whet trace index 6\n"

// build builds the index of a trace, and opens it.
func build(t testing.TB, data []byte) *Index {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace.index")
	if _, err := Build(t.Context(), bytes.NewReader(data), name, Options{}); err != nil {
		t.Fatal(err)
	}
	x, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// exact makes x read the spans of windows of any length, even if they have more slices than the
// usual limits: the number of slices in a test's trace depends on the scheduler.
func exact(x *Index) {
	x.limits.slices, x.limits.procs, x.limits.blocks = math.MaxInt, math.MaxInt, math.MaxInt
}

// ids returns the numbers of goroutines by index.
func ids(t testing.TB, x *Index) []int64 {
	t.Helper()
	all := make([]int64, x.Info.Goroutines)
	if err := x.Goroutines(func(g *Goroutine) bool {
		all[g.Index] = g.ID
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// windows calls each with windows of all lengths, beginning with the whole trace.
func windows(x *Index, n int, each func(from, to int64)) {
	r := rand.New(rand.NewPCG(1, 2))
	each(0, x.Info.Duration)
	for range n {
		from := r.Int64N(x.Info.Duration)
		each(from, from+r.Int64N(x.Info.Duration-from+1)>>r.IntN(20))
	}
}

// seen converts a goroutine's span to the form of a scan.
func (x *Index) seen(s Span, ids []int64) indextest.Span {
	with := int64(-1)
	if s.Code == Running || s.Code == Assist || s.Code == Syscall {
		with = int64(s.With) - 1
	}
	return indextest.Span{Of: ids[s.Goroutine], State: x.Code(s.Code), From: s.From, To: s.To, With: with}
}

// TestScan compares windows of an index with a plain scan of the same events.
func TestScan(t *testing.T) {
	var data []byte
	var x *Index
	// The number of events per round depends on the scheduler: about ten on an idle machine.
	for rounds := 8_000; x == nil || len(x.tables.Slices) < 2*indexfile.Fan || len(x.tables.Above) < 2; rounds *= 2 {
		if rounds > 128_000 {
			t.Fatalf("%d slices and %d levels are too few", len(x.tables.Slices), len(x.tables.Above))
		}
		data = indextest.Record(t, rounds)
		x = build(t, data)
	}
	exact(x)
	want := indextest.Scan(t, data)
	ids := ids(t, x)
	r := rand.New(rand.NewPCG(3, 4))
	windows(x, 30, func(from, to int64) {
		var got []indextest.Span
		if err := x.Spans(from, to, func(s Span) bool {
			got = append(got, x.seen(s, ids))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		indextest.Sort(got)
		if all := indextest.In(want.Goroutines, -1, from, to); !slices.Equal(got, all) {
			t.Fatalf("window %d to %d: %d spans, want %d\n%s", from, to, len(got), len(all), cmp.Diff(all, got))
		}
		asked := []uint32{r.Uint32N(x.Info.Goroutines), r.Uint32N(x.Info.Goroutines), 0}
		rows, err := x.Rows(Window{from, to, 1 << 20}, asked)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			var got []indextest.Span
			for _, s := range row.Spans {
				got = append(got, x.seen(s, ids))
			}
			if all := indextest.In(want.Goroutines, ids[asked[i]], from, to); !slices.Equal(got, all) {
				t.Fatalf("window %d to %d, goroutine %d:\n%s", from, to, asked[i], cmp.Diff(all, got))
			}
		}
	})
}

// TestProcs compares rows of processors and threads with a plain scan.
func TestProcs(t *testing.T) {
	data := indextest.Record(t, 4_000)
	want := indextest.Scan(t, data)
	x := build(t, data)
	exact(x)
	ids := ids(t, x)
	procs := make([]uint32, x.Procs())
	for p := range procs {
		procs[p] = uint32(p)
	}
	threads := make([]uint32, len(x.Threads()))
	for i := range threads {
		threads[i] = uint32(i)
	}
	windows(x, 30, func(from, to int64) {
		rows, err := x.ProcRows(Window{from, to, 1 << 20}, procs)
		if err != nil {
			t.Fatal(err)
		}
		for p, row := range rows {
			var got []indextest.Span
			for _, s := range row.Spans {
				got = append(got, indextest.Span{
					Of: int64(s.With) - 1, State: x.Code(s.Code), From: s.From, To: s.To, With: ids[s.Goroutine],
				})
			}
			if all := indextest.In(want.Procs, int64(p), from, to); !slices.Equal(got, all) {
				t.Fatalf("window %d to %d, processor %d:\n%s", from, to, p, cmp.Diff(all, got))
			}
		}
		if rows, err = x.ThreadRows(Window{from, to, 1 << 20}, threads); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			id := int64(x.Threads()[i].ID)
			var got []indextest.Span
			for _, s := range row.Spans {
				got = append(got, indextest.Span{Of: id, From: s.From, To: s.To, With: int64(s.With) - 1})
			}
			if all := indextest.In(want.Threads, id, from, to); !slices.Equal(got, all) {
				t.Fatalf("window %d to %d, thread %d:\n%s", from, to, id, cmp.Diff(all, got))
			}
		}
	})
}

// TestUsage compares the usage of processors and threads in tiles with their spans.
func TestUsage(t *testing.T) {
	data := indextest.Record(t, 8_000)
	want := indextest.Scan(t, data)
	x := build(t, data)
	for level := range len(x.tables.Above) + 1 {
		for n, tile := range x.level(level) {
			got := map[string]int64{}
			if !indexfile.EachUsage(tile.Procs, func(u indexfile.Usage) {
				for k, t := range u.Times {
					if t > 0 {
						got[x.Code(indexfile.Use(k).Code())] += t
					}
				}
			}) {
				t.Fatal(ErrDamaged)
			}
			// A state that is first known after it began counts from then on, at the start of the
			// trace.
			if within := indextest.Within(want.Procs, tile.From, tile.To); tile.From > 0 && !cmp.Equal(within, got) {
				t.Errorf("level %d, tile %d: processors\n%s", level, n, cmp.Diff(within, got))
			}
			clear(got)
			if !indexfile.EachUsage(tile.Threads, func(u indexfile.Usage) { got[""] += u.Times[indexfile.UseRunning] }) {
				t.Fatal(ErrDamaged)
			}
			if within := indextest.Within(want.Threads, tile.From, tile.To); tile.From > 0 && !cmp.Equal(within, got) {
				t.Errorf("level %d, tile %d: threads\n%s", level, n, cmp.Diff(within, got))
			}
		}
	}
}

// TestSums compares the totals of goroutines and kinds with a plain scan.
func TestSums(t *testing.T) {
	data := indextest.Record(t, 8_000)
	x := build(t, data)
	total := indextest.Within(indextest.Scan(t, data).Goroutines, 0, x.Info.Duration)
	for _, k := range x.Kinds() {
		for _, s := range k.Stays {
			total[x.Code(s.Code)] -= int64(s.Total)
		}
	}
	for state, left := range total {
		if left != 0 {
			t.Errorf("%s: kinds have %d ns less than the spans", state, left)
		}
	}
	if err := x.Goroutines(func(g *Goroutine) bool {
		sum := int64(0)
		for _, s := range g.Times {
			sum += int64(s.Time)
		}
		if sum != g.To-g.From {
			t.Errorf("goroutine %d is there for %d ns, and in states for %d", g.ID, g.To-g.From, sum)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
}

// TestParts compares the parts of rows that have many spans with these spans.
func TestParts(t *testing.T) {
	x := build(t, indextest.Record(t, 8_000))
	all := make([]uint32, x.Info.Goroutines)
	for i := range all {
		all[i] = uint32(i)
	}
	exact(x)
	scanned, err := x.Rows(Window{0, x.Info.Duration, 1 << 22}, all)
	if err != nil {
		t.Fatal(err)
	}
	busiest := 0
	for i, row := range scanned {
		if len(row.Spans) > len(scanned[busiest].Spans) {
			busiest = i
		}
	}
	asked := []uint32{uint32(busiest)}
	w := Window{0, x.Info.Duration, 100}
	rows, err := x.Rows(w, asked)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rows[0].Parts); n == 0 || n > 2*w.Width {
		t.Errorf("%d parts in a width of %d", n, w.Width)
	}
	x.checkParts(t, rows[0].Parts, scanned[busiest].Spans, true)
	for most := indexfile.Fan; most < 2*len(x.tables.Slices); most += len(x.tables.Slices)/8 | 1 {
		q := &query{x: x, w: w, rows: map[uint32]*rowBuilder{asked[0]: {w: w, step: w.step()}}}
		for _, p := range x.cover(w, most, 1) {
			read := q.tile
			if p.level == 0 {
				read = func(tile *indexfile.Tile, asked []uint32) error { return q.slice(tile, asked, most%2 == 0) }
			}
			if err := read(p.tile, asked); err != nil {
				t.Fatal(err)
			}
		}
		b := q.rows[asked[0]]
		b.toParts()
		x.checkParts(t, b.parts, scanned[busiest].Spans, false)
	}
}

// checkParts compares parts with the spans that they sum. all reports whether spans is complete.
func (x *Index) checkParts(t *testing.T, parts []Part, spans []Span, all bool) {
	t.Helper()
	last := spans[0].From
	for _, p := range parts {
		if p.From != last {
			t.Fatalf("a part begins at %d, the one before ended at %d", p.From, last)
		}
		last = p.To
		want := Part{}
		for len(spans) > 0 && spans[0].To <= p.To && spans[0].From >= p.From {
			want.Times = model.Add(want.Times, spans[0].Code, time.Duration(spans[0].To-spans[0].From))
			spans = spans[1:]
		}
		for _, s := range p.Times {
			want.Times = model.Add(want.Times, s.Code, -s.Time)
		}
		for _, s := range want.Times {
			if s.Time != 0 {
				t.Fatalf("part %v is %v off in %s", p, s.Time, x.Code(s.Code))
			}
		}
	}
	if all && len(spans) > 0 {
		t.Errorf("%d spans are in no part", len(spans))
	}
}

// TestCover checks that covers have no gaps and consist of tiles of the index.
func TestCover(t *testing.T) {
	x := build(t, indextest.Record(t, 8_000))
	windows(x, 30, func(from, to int64) {
		first, last := overlapping(x.tables.Slices, from, to)
		for most := 1; most < 4*len(x.tables.Slices); most *= 2 {
			at := -1
			pieces := x.cover(Window{from, to, 1 << 20}, most, 1)
			for _, p := range pieces {
				if at >= 0 && p.first() != at {
					t.Fatalf("a piece begins with slice %d, the one before ended before %d", p.first(), at)
				}
				if p.first() > first && at < 0 {
					t.Fatalf("the first piece begins with slice %d, the window with %d", p.first(), first)
				}
				at = p.end()
			}
			if at < last || len(pieces) > max(most, 1) {
				t.Fatalf("%d pieces of at most %d up to slice %d, the window's last is before %d", len(pieces), most, at, last)
			}
		}
	})
}

// TestNotWhole truncates an index, and damages it.
func TestNotWhole(t *testing.T) {
	data := indextest.Record(t, 5_000)
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	if _, err := Build(t.Context(), bytes.NewReader(data), name, Options{}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 10, len(magic), len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err := Open(name); !errors.Is(err, ErrNotIndex) || x != nil {
			t.Errorf("an index of %d bytes of %d: %v", n, len(whole), err)
		}
	}
	for _, cut := range []int{len(data) / 3, len(data) / 2, len(data) - 1} {
		info, err := Build(t.Context(), bytes.NewReader(data[:cut]), name, Options{})
		if err == nil && info.Damage == "" {
			t.Errorf("a trace cut after %d bytes of %d is whole", cut, len(data))
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestRecords compares streams with a plain scan, for windows of all lengths.
func TestRecords(t *testing.T) {
	data := indextest.Record(t, 8_000)
	want := indextest.Scan(t, data)
	x := build(t, data)
	for _, one := range []struct {
		stream Stream
		want   []indextest.Span
	}{{Ranges, want.Ranges}, {Regions, want.Regions}, {Tasks, want.Tasks}, {Procs, want.Threads}} {
		windows(x, 30, func(from, to int64) {
			var got, all []indextest.Span
			last := int64(0)
			if err := x.Records(one.stream, from, to, func(r *Record) bool {
				if r.To < last {
					t.Fatalf("stream %d: a record that ends at %d comes after one that ends at %d", one.stream, r.To, last)
				}
				last = r.To
				got = append(got, indextest.Span{State: x.Name(r.Name), From: r.From, To: r.To})
				return true
			}); err != nil {
				t.Fatal(err)
			}
			for _, s := range indextest.In(one.want, -1, from, to) {
				all = append(all, indextest.Span{State: s.State, From: s.From, To: s.To})
			}
			indextest.Sort(got)
			indextest.Sort(all)
			if !slices.Equal(got, all) {
				t.Fatalf("stream %d, window %d to %d:\n%s", one.stream, from, to, cmp.Diff(all, got))
			}
		})
	}
	for _, task := range want.Tasks {
		if r, err := x.Task(uint64(task.Of)); err != nil || r == nil || r.From != task.From || r.To != task.To {
			t.Fatalf("task %d: %+v, %v, want %+v", task.Of, r, err, task)
		}
	}
	if r, err := x.Task(1 << 60); err != nil || r != nil {
		t.Errorf("a task that there is not: %+v, %v", r, err)
	}
}

// TestUntil reads an index until a context ends: its methods return the error of the context then, those of the index
// do not.
func TestUntil(t *testing.T) {
	data, err := os.ReadFile("../../internal/trace/testdata/go1.22.trace")
	if err != nil {
		t.Fatal(err)
	}
	x := build(t, data)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	until := x.Until(ctx)
	all := func(Span) bool { return true }
	if err := until.Spans(0, x.Info.Duration, all); err != nil {
		t.Error(err)
	}
	cancel()
	if err := until.Spans(0, x.Info.Duration, all); !errors.Is(err, context.Canceled) {
		t.Errorf("spans: %v, want context.Canceled", err)
	}
	if err := until.Goroutines(func(*Goroutine) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("goroutines: %v, want context.Canceled", err)
	}
	if err := x.Spans(0, x.Info.Duration, all); err != nil {
		t.Errorf("the index itself: %v", err)
	}
}
