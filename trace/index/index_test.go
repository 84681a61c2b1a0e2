package index

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	rtrace "runtime/trace"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/exp/trace"
)

// record makes a trace of goroutines of several kinds: long and short ones, that wait for each other,
// collect garbage and use tasks, regions and logs.
func record(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := rtrace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	work := make(chan int)
	var mu sync.Mutex
	var keep [][]byte
	for range 4 {
		wg.Go(func() {
			for n := range work {
				mu.Lock()
				keep = append(keep, make([]byte, 10<<10))
				if len(keep) > 100 {
					keep = nil
				}
				mu.Unlock()
				if n%50 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	ctx, task := rtrace.NewTask(t.Context(), "job")
	wg.Go(func() { <-time.After(30 * time.Millisecond) })
	for n := range 20_000 {
		if n%1000 == 0 {
			rtrace.WithRegion(ctx, "part", func() { rtrace.Log(ctx, "at", "here") })
			runtime.GC()
		}
		if n%10 == 0 {
			wg.Go(func() { mu.Lock(); mu.Unlock() }) //nolint:staticcheck // the wait is what is wanted
		}
		work <- n
	}
	task.End()
	close(work)
	wg.Wait()
	rtrace.Stop()
	return out.Bytes()
}

// build makes an index of a trace, and opens it.
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

// A scanned span is one as a plain scan of the events sees it.
type scanned struct {
	id       trace.GoID
	state    string
	from, to int64
}

// scan follows the events without an index.
func scan(t testing.TB, data []byte) []scanned {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	type current struct {
		state   string
		since   int64
		assists bool
	}
	var all []scanned
	now := map[trace.GoID]*current{}
	inCall := map[trace.ProcID]trace.GoID{}
	var first trace.Time
	var at, sync int64
	seen := false
	to := func(id trace.GoID, state string) {
		g := now[id]
		all = append(all, scanned{id, g.state, g.since, at})
		g.state, g.since = state, at
	}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !seen {
			first, seen = ev.Time(), true
		}
		at = int64(ev.Time() - first)
		switch ev.Kind() {
		case trace.EventSync:
			sync = at
		case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
			if rg := ev.Range(); rg.Name == "GC mark assist" {
				id := rg.Scope.Goroutine()
				g := now[id]
				g.assists = ev.Kind() != trace.EventRangeEnd
				switch {
				case g.assists && g.state == "running":
					to(id, "GC assist")
				case !g.assists && g.state == "GC assist":
					to(id, "running")
				}
			}
		case trace.EventStateTransition:
			st := ev.StateTransition()
			if st.Resource.Kind == trace.ResourceProc {
				if from, state := st.Proc(); from != state && state == trace.ProcIdle {
					if id, ok := inCall[st.Resource.Proc()]; ok {
						delete(inCall, st.Resource.Proc())
						to(id, "syscall, without processor")
					}
				}
				continue
			}
			id := st.Resource.Goroutine()
			from, state := st.Goroutine()
			if from == state {
				continue
			}
			if from == trace.GoSyscall {
				for p, g := range inCall {
					if g == id {
						delete(inCall, p)
					}
				}
			}
			name := ""
			switch state {
			case trace.GoRunning:
				name = "running"
				if g := now[id]; g != nil && g.assists {
					name = "GC assist"
				}
			case trace.GoRunnable:
				name = "runnable"
			case trace.GoSyscall:
				name = "syscall"
				if ev.Proc() == trace.NoProc {
					name = "syscall, without processor"
				} else {
					inCall[ev.Proc()] = id
				}
			case trace.GoWaiting:
				name = st.Reason
			}
			switch {
			case from == trace.GoUndetermined:
				now[id] = &current{state: name, since: sync}
			case now[id] == nil:
				now[id] = &current{state: name, since: at}
			default:
				to(id, name)
			}
			if state == trace.GoNotExist || name == "forever" {
				delete(now, id)
			}
		}
	}
	for id := range now {
		to(id, "")
	}
	return all
}

func bySpan(a, b scanned) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.id, b.id), cmp.Compare(a.state, b.state))
}

// TestScan holds windows of an index against a plain scan of the same events.
func TestScan(t *testing.T) {
	data := record(t)
	want := scan(t, data)
	x := build(t, data)
	if len(want) < 3*sliceSpans {
		t.Fatalf("%d spans are too few to have several slices", len(want))
	}
	ids := make([]trace.GoID, x.Info.Goroutines)
	index := map[trace.GoID]uint32{}
	for i := range x.Info.Goroutines {
		g, err := x.Goroutine(i)
		if err != nil {
			t.Fatal(err)
		}
		ids[i], index[trace.GoID(g.ID)] = trace.GoID(g.ID), i
	}
	byG := map[uint32][]scanned{}
	for _, s := range want {
		byG[index[s.id]] = append(byG[index[s.id]], s)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		from := r.Int64N(x.Info.Duration)
		to := from + r.Int64N(x.Info.Duration-from+1)>>r.IntN(20)
		if n == 0 {
			from, to = 0, x.Info.Duration
		}
		overlapping := func(all []scanned) []scanned {
			var some []scanned
			for _, s := range all {
				if s.from <= to && s.to >= from {
					some = append(some, s)
				}
			}
			slices.SortFunc(some, bySpan)
			return some
		}
		var got []scanned
		if err := x.Spans(from, to, func(s Span) bool {
			got = append(got, scanned{ids[s.Goroutine], x.Code(s.Code), s.From, s.To})
			return true
		}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, bySpan)
		if all := overlapping(want); !slices.Equal(got, all) {
			t.Fatalf("window %d to %d: %d spans, want %d", from, to, len(got), len(all))
		}
		asked := []uint32{r.Uint32N(x.Info.Goroutines), r.Uint32N(x.Info.Goroutines), 0}
		rows, err := x.Rows(Window{from, to, 1 << 20}, asked)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			var got []scanned
			for _, s := range row.Spans {
				got = append(got, scanned{ids[s.Goroutine], x.Code(s.Code), s.From, s.To})
			}
			if all := overlapping(byG[asked[i]]); !slices.Equal(got, all) {
				t.Fatalf("window %d to %d, goroutine %d: %v, want %v", from, to, asked[i], got, all)
			}
		}
	}
	// What goroutines and kinds did in all.
	total := map[string]int64{}
	for _, s := range want {
		total[s.state] += s.to - s.from
	}
	for _, k := range x.Kinds() {
		for _, s := range k.Stays {
			total[x.Code(s.Code)] -= int64(s.Total)
		}
	}
	for i := range x.Info.Goroutines {
		g, err := x.Goroutine(i)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, s := range g.Times {
			sum += int64(s.Time)
		}
		if sum != g.To-g.From {
			t.Errorf("goroutine %d is there for %d ns, and in states for %d", g.ID, g.To-g.From, sum)
		}
	}
	for state, left := range total {
		if left != 0 {
			t.Errorf("%s: kinds have %d ns less than the spans", state, left)
		}
	}
}

// TestParts holds the parts of rows that have many spans against these.
func TestParts(t *testing.T) {
	data := record(t)
	x := build(t, data)
	busiest, most := uint32(0), 0
	for i := range x.Info.Goroutines {
		rows, err := x.Rows(Window{0, x.Info.Duration, 1 << 20}, []uint32{i})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(rows[0].Spans); n > most {
			busiest, most = i, n
		}
	}
	exact, err := x.Rows(Window{0, x.Info.Duration, 1 << 20}, []uint32{busiest})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range append([][]tile{nil}, x.above...) {
		q := &query{x: x, w: Window{0, x.Info.Duration, 100}, rows: map[uint32]*building{busiest: {}}}
		var parts []Part
		if level == nil {
			rows, err := x.Rows(q.w, []uint32{busiest})
			if err != nil {
				t.Fatal(err)
			}
			parts = rows[0].Parts
			if len(parts) == 0 || len(parts) > 2*q.w.Width {
				t.Errorf("%d parts in a width of %d", len(parts), q.w.Width)
			}
		} else {
			if _, err := q.tiles(level, []uint32{busiest}); err != nil {
				t.Fatal(err)
			}
			parts = q.rows[busiest].parts
		}
		spans := exact[0].Spans
		last := spans[0].From
		for _, p := range parts {
			if p.From != last {
				t.Fatalf("a part begins at %d, the one before ended at %d", p.From, last)
			}
			last = p.To
			want := Part{}
			for len(spans) > 0 && spans[0].To <= p.To && spans[0].From >= p.From {
				want.add(spans[0].Code, time.Duration(spans[0].To-spans[0].From))
				spans = spans[1:]
			}
			for _, s := range p.Times {
				want.add(s.Code, -s.Time)
			}
			for _, s := range want.Times {
				if s.Time != 0 {
					t.Fatalf("part %v is %v off in %s", p, s.Time, x.Code(s.Code))
				}
			}
		}
		if level == nil && len(spans) > 0 {
			t.Errorf("%d spans are in no part", len(spans))
		}
	}
}

// TestNotWhole cuts an index off, and damages it.
func TestNotWhole(t *testing.T) {
	data := record(t)
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
