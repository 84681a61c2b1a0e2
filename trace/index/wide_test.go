package index

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/whet-go/whet/trace/index/indextest"
)

// TestWide compares windows that are too wide to be read span by span with a plain scan: their
// times differ by at most the sums at the window's ends.
func TestWide(t *testing.T) {
	data := indextest.Record(t, 8_000)
	want := indextest.Scan(t, data)
	x := build(t, data)
	x.limits = limits{slices: 2, few: 1, tiles: 10, sliceCost: 2, procs: 2, blocks: 0}
	ids := ids(t, x)
	r := rand.New(rand.NewPCG(5, 6))
	var procs, threads []uint32
	for p := range x.Procs() {
		procs = append(procs, uint32(p))
	}
	for n := range x.Threads() {
		threads = append(threads, uint32(n))
	}
	goroutines, onProcs, onThreads := group(want.Goroutines), group(want.Procs), group(want.Threads)
	wide := 0
	windows(x, 60, func(from, to int64) {
		w := Window{from, to, 1 + r.IntN(50)}
		asked := []uint32{0, r.Uint32N(20), r.Uint32N(x.Info.Goroutines), r.Uint32N(x.Info.Goroutines)}
		rows, err := x.Rows(w, asked)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			wide += len(rows[i].Parts)
			x.between(t, w, &rows[i], goroutines[ids[asked[i]]], false)
		}
		if rows, err = x.ProcRows(w, procs); err != nil {
			t.Fatal(err)
		}
		for p := range rows {
			x.between(t, w, &rows[p], onProcs[int64(p)], false)
		}
		if rows, err = x.ThreadRows(w, threads); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			x.between(t, w, &rows[i], onThreads[int64(x.Threads()[i].ID)], true)
		}
	})
	if wide == 0 {
		t.Error("no row had parts")
	}
}

// group groups spans by what they belong to.
func group(all []indextest.Span) map[int64][]indextest.Span {
	by := map[int64][]indextest.Span{}
	for _, s := range all {
		by[s.Of] = append(by[s.Of], s)
	}
	return by
}

// between compares the times of a row's parts with those of spans: in the window alone, and in the
// whole range of the parts. Goroutines' spans that end before a part begins are not in it.
func (x *Index) between(t *testing.T, w Window, row *Row, spans []indextest.Span, nameless bool) {
	t.Helper()
	if len(row.Parts) == 0 {
		return
	}
	got, at := map[string]int64{}, int64(math.MinInt64)
	for _, p := range row.Parts {
		if p.From < at || p.To < p.From {
			t.Fatalf("a part from %d to %d after one that ends at %d", p.From, p.To, at)
		}
		at = p.To
		for _, s := range p.Times {
			name := x.Code(s.Code)
			if nameless {
				name = ""
			}
			got[name] += int64(s.Time)
		}
	}
	inner := indextest.Within(spans, w.From, w.To)
	outer := indextest.Within(spans, min(w.From, row.Parts[0].From), max(w.To, at))
	for name, took := range outer {
		// A state that is first known after it began counts from then on, at the start of the
		// trace.
		off, first := int64(len(row.Parts)), x.tables.Slices[0].To
		if got[name] < inner[name]-off && w.From > first || got[name] > took+off {
			t.Fatalf("window %d to %d, width %d: %d ns %s, want from %d to %d", w.From, w.To, w.Width, got[name],
				name, inner[name], took)
		}
	}
}

// TestBlockSums compares the sums that ranges and metrics are drawn from, if they have too many
// blocks to read, with a plain scan.
func TestBlockSums(t *testing.T) {
	data := indextest.Record(t, 8_000)
	want := indextest.Scan(t, data)
	x := build(t, data)
	x.limits.blocks = 0
	for stream, all := range map[Stream][]indextest.Span{Ranges: want.Ranges, Regions: want.Regions} {
		windows(x, 20, func(from, to int64) {
			for _, n := range x.Names(stream) {
				rows, err := x.NamedRows(stream, Window{from, to, 20}, []uint32{n.Name})
				if err != nil {
					t.Fatal(err)
				}
				got, took := int64(0), indextest.Within(all, 0, x.Info.Duration)[x.Name(n.Name)]
				for _, p := range rows[0].Parts {
					got += int64(p.Times[0].Time)
				}
				if int64(n.Time) != took || got > took+20 || from == 0 && to == x.Info.Duration && got < took-20 {
					t.Fatalf("%s in %d to %d: %d ns, and %d in all, want %d", x.Name(n.Name), from, to, got, n.Time, took)
				}
			}
		})
	}
	windows(x, 50, func(from, to int64) {
		for _, n := range x.Names(Metrics) {
			points, err := x.Metric(n.Name, Window{from, to, 20})
			if err != nil || len(points) > 20 {
				t.Fatalf("%d points, %v", len(points), err)
			}
			for _, v := range want.Metrics {
				if v.Name != x.Name(n.Name) || v.At < from || v.At > to {
					continue
				}
				if !slices.ContainsFunc(points, func(p Point) bool { return p.Least <= v.Value && v.Value <= p.Most }) {
					t.Fatalf("%s in %d to %d: no point has what it was at %d", v.Name, from, to, v.At)
				}
			}
		}
	})
}
