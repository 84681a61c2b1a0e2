package timeline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	rtrace "runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/index/indextest"
	"github.com/whet-go/whet/trace/timeline"
)

// serve returns a trace of a server.
func serve(t *testing.T) []byte {
	t.Helper()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, task := rtrace.NewTask(r.Context(), "answer")
		defer task.End()
		mu.Lock()
		defer mu.Unlock()
		rtrace.WithRegion(ctx, "write", func() { _, _ = fmt.Fprintln(w, "hello") })
	}))
	defer server.Close()
	var out bytes.Buffer
	if err := rtrace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 300 {
				resp, err := server.Client().Get(server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	rtrace.Stop()
	return out.Bytes()
}

// A checked is a trace whose timeline is compared with a plain scan.
type checked struct {
	t    *testing.T
	x    *index.Index
	tl   *timeline.Timeline
	want *indextest.Scanned
	info timeline.Trace
	rows map[string]timeline.RowInfo // by ID
	id   map[uint64]int64            // of goroutines, by index
}

func check(t *testing.T, data []byte) *checked {
	t.Helper()
	x := tracetest.Index(t, data)
	tl := timeline.New(x, "trace")
	c := &checked{
		t: t, x: x, tl: tl, want: indextest.Scan(t, data), info: tl.Trace(), rows: map[string]timeline.RowInfo{},
		id: map[uint64]int64{},
	}
	for _, one := range c.info.Types {
		for n := 0; ; {
			list, err := tl.Rows(t.Context(), timeline.RowQuery{Type: one.Type, Skip: n, Limit: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range list.Rows {
				c.rows[row.ID] = row
				if number, is := strings.CutPrefix(row.Name, "goroutine "); is {
					c.id[c.number(row.ID)], err = strconv.ParseInt(number, 10, 64)
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			if n += len(list.Rows); n >= list.Total {
				break
			}
		}
	}
	return c
}

func (c *checked) number(id string) uint64 {
	n, err := strconv.ParseUint(id[1:], 10, 64)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// scanned returns the spans of a row in a window according to the scan.
func (c *checked) scanned(id string, from, to int64) []indextest.Span {
	n, name := int64(c.number(id)), c.rows[id].Name
	named := func(all []indextest.Span) []indextest.Span {
		var some []indextest.Span
		for _, s := range indextest.In(all, -1, from, to) {
			if s.State == name {
				s.Of = 0
				some = append(some, s)
			}
		}
		return some
	}
	switch id[0] {
	case 'p':
		return indextest.In(c.want.Procs, n, from, to)
	case 'm':
		return indextest.In(c.want.Threads, n, from, to)
	case 'g':
		return indextest.In(c.want.Goroutines, c.id[uint64(n)], from, to)
	case 'c':
		return named(c.want.Ranges)
	case 'u':
		return named(c.want.Regions)
	}
	// A task or request: its goroutine, cut.
	row := c.rows[id]
	if row.From > to || row.To < from {
		return nil
	}
	var some []indextest.Span
	for _, s := range indextest.In(c.want.Goroutines, c.id[c.number(row.Goroutine)],
		max(from, row.From), min(to, row.To)) {
		if s.From, s.To = max(s.From, row.From), min(s.To, row.To); s.To > s.From {
			some = append(some, s)
		}
	}
	return some
}

// answered returns the spans of an answer, reduced to what the scan knows.
func (c *checked) answered(row timeline.RowSpans) []indextest.Span {
	var all []indextest.Span
	for _, s := range row.Spans {
		one := indextest.Span{From: s.From, To: s.To, State: c.info.States[s.State].Name, With: -1}
		switch row.ID[0] {
		case 'p':
			one.Of, one.With = int64(c.number(row.ID)), c.id[uint64(s.With)-1]
		case 'm':
			one.Of, one.With, one.State = int64(c.number(row.ID)), int64(s.With)-1, ""
		case 'c', 'u':
			one.State = c.rows[row.ID].Name
		default:
			g := row.ID
			if g[0] != 'g' {
				g = c.rows[g].Goroutine
			}
			one.Of = c.id[c.number(g)]
			if one.State == "running" || one.State == "GC assist" || one.State == "syscall" {
				one.With = int64(s.With) - 1
			}
		}
		all = append(all, one)
	}
	indextest.Sort(all)
	return all
}

// TestScan compares rows of all types, in windows of all lengths, with a plain scan of the events.
func TestScan(t *testing.T) {
	for name, data := range map[string][]byte{"worker": indextest.Record(t, 4000), "server": serve(t)} {
		t.Run(name, func(t *testing.T) {
			c := check(t, data)
			r := rand.New(rand.NewPCG(1, 2))
			ids := map[byte][]string{}
			for id := range c.rows {
				ids[id[0]] = append(ids[id[0]], id)
			}
			if len(ids) < 6 || name == "server" && len(ids['r']) < 1000 {
				t.Fatalf("%d types of rows, %d requests", len(ids), len(ids['r']))
			}
			for _, of := range ids {
				slices.Sort(of)
			}
			for n := range 100 {
				from := r.Int64N(c.info.Duration)
				to := from + r.Int64N(c.info.Duration-from+1)>>r.IntN(20)
				if n == 0 {
					from, to = 0, c.info.Duration
				}
				var some []string
				for _, of := range ids {
					for range 5 {
						some = append(some, of[r.IntN(len(of))])
					}
				}
				c.exact(from, to, some)
				c.dense(from, to, 1+r.IntN(200), some)
			}
		})
	}
}

// exact compares windows in which all spans can be distinguished with the scan.
func (c *checked) exact(from, to int64, ids []string) {
	c.t.Helper()
	if to == 0 {
		return // is the end
	}
	answer, err := c.tl.Spans(c.t.Context(), timeline.SpanQuery{From: from, To: to, Width: 16384, IDs: ids})
	if err != nil {
		c.t.Fatal(err)
	}
	for i, row := range answer.Rows {
		if row.ID != ids[i] {
			c.t.Fatalf("row %d is %s, want %s", i, row.ID, ids[i])
		}
		short := row.ID[0] == 't' || row.ID[0] == 'r'
		if short && c.rows[row.ID].To-c.rows[row.ID].From < (to-from)/16384 || len(row.Parts) > 0 {
			continue
		}
		want := c.scanned(row.ID, from, to)
		if got := c.answered(row); !slices.Equal(got, want) {
			c.t.Fatalf("%v in %d to %d:\n%s", c.rows[row.ID], from, to, cmp.Diff(want, got))
		}
	}
}

// dense compares the times of windows with few pixels with the scan: they differ at most by what is
// cut at the window's ends.
func (c *checked) dense(from, to int64, width int, ids []string) {
	c.t.Helper()
	if to == 0 {
		return // is the end
	}
	answer, err := c.tl.Spans(c.t.Context(), timeline.SpanQuery{From: from, To: to, Width: width, IDs: ids})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, row := range answer.Rows {
		if n := len(row.Spans) + len(row.Parts); n > 2*width+2 {
			c.t.Fatalf("%s in %d to %d: %d spans and parts in a width of %d", row.ID, from, to, n, width)
		}
		if len(row.Parts) == 0 {
			continue
		}
		// The times of the parts, as far as they are in the window, and in total.
		first, last := min(from, row.Parts[0].From), max(to, row.Parts[len(row.Parts)-1].To)
		got, at := map[string]int64{}, int64(-1)
		for _, p := range row.Parts {
			if p.From < at || p.To < p.From {
				c.t.Fatalf("%s: a part from %d to %d after one that ends at %d", row.ID, p.From, p.To, at)
			}
			at = p.To
			for _, s := range p.Times {
				name := c.info.States[s.State].Name
				if c.info.States[s.State].Group == timeline.FunctionGroup {
					name = "running"
				}
				got[name] += int64(s.Time)
			}
		}
		inner := indextest.Within(c.scanned(row.ID, from, to), from, to)
		outer := indextest.Within(c.scanned(row.ID, first, last), first, last)
		if row.ID[0] == 'm' || row.ID[0] == 'c' || row.ID[0] == 'u' {
			inner, outer = together(inner), together(outer)
		}
		rounding := int64(len(row.Parts)) + 1
		if row.ID[0] == 't' || row.ID[0] == 'r' { // its parts are cut as if their times were even
			first, last := row.Parts[0], row.Parts[len(row.Parts)-1]
			rounding += first.To - first.From + last.To - last.From
		}
		for _, state := range c.info.States {
			if state.Group == timeline.FunctionGroup {
				continue
			}
			if t := got[state.Name]; t < inner[state.Name]-rounding || t > outer[state.Name]+rounding {
				c.t.Fatalf("%v in %d to %d, width %d: %d ns %s, want from %d to %d", c.rows[row.ID], from, to, width, t, state.Name,
					inner[state.Name], outer[state.Name])
			}
		}
	}
}

func together(times map[string]int64) map[string]int64 {
	sum := int64(0)
	for _, t := range times {
		sum += t
	}
	return map[string]int64{"active": sum}
}

// TestMetric compares metrics with a plain scan.
func TestMetric(t *testing.T) {
	c := check(t, indextest.Record(t, 4000))
	if len(c.info.Metrics) == 0 {
		t.Fatal("no metrics")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		name := c.info.Metrics[r.IntN(len(c.info.Metrics))]
		from := r.Int64N(c.info.Duration)
		to := from + 1 + r.Int64N(c.info.Duration-from)>>r.IntN(20)
		width := 1 + r.IntN(2000)
		points, err := c.tl.Metric(name, from, to, width)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) > width {
			t.Fatalf("%d points in a width of %d", len(points), width)
		}
		var before *uint64
		var inside []uint64
		for _, v := range c.want.Metrics {
			switch {
			case v.Name != name || v.At > to:
			case v.At < from:
				before = &v.Value
			default:
				inside = append(inside, v.Value)
			}
		}
		if before != nil {
			inside = slices.Insert(inside, 0, *before)
		}
		if len(points) == 0 {
			if len(inside) > 0 {
				t.Fatalf("%s in %d to %d: no point, want %d values", name, from, to, len(inside))
			}
			continue
		}
		least, most, last := points[0].Min, points[0].Max, points[len(points)-1].Last
		for i, p := range points {
			least, most = min(least, p.Min), max(most, p.Max)
			if p.At < from || p.At > to || i > 0 && p.At < points[i-1].At {
				t.Fatalf("%s in %d to %d: a point at %d", name, from, to, p.At)
			}
		}
		if least != slices.Min(inside) || most != slices.Max(inside) || last != inside[len(inside)-1] {
			t.Fatalf("%s in %d to %d: %d to %d, last %d, want %v", name, from, to, least, most, last, inside)
		}
	}
}

// TestRows compares pages of rows in all orders with each other.
func TestRows(t *testing.T) {
	c := check(t, indextest.Record(t, 2000))
	life := func(row timeline.RowInfo) int64 { return row.To - row.From }
	for _, of := range []string{timeline.Goroutine, timeline.Task, timeline.Range, timeline.Thread} {
		for _, order := range []string{timeline.ByTime, timeline.Long, timeline.Busy} {
			whole, err := c.tl.Rows(t.Context(), timeline.RowQuery{Type: of, Order: order, Limit: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			var paged []timeline.RowInfo
			for len(paged) < whole.Total {
				page, err := c.tl.Rows(t.Context(), timeline.RowQuery{Type: of, Order: order, Skip: len(paged), Limit: 7})
				if err != nil || len(page.Rows) == 0 {
					t.Fatalf("page after %d: %v, %v", len(paged), page, err)
				}
				paged = append(paged, page.Rows...)
			}
			if !slices.Equal(paged, whole.Rows) {
				t.Errorf("%s by %s: %s", of, order, cmp.Diff(whole.Rows, paged))
			}
			if !slices.IsSortedFunc(paged, func(a, b timeline.RowInfo) int {
				switch order {
				case timeline.ByTime:
					return int(a.From - b.From)
				case timeline.Long:
					return int(life(b) - life(a))
				}
				return 0
			}) {
				t.Errorf("%s by %s are not in order", of, order)
			}
		}
	}
	// Windows and names.
	from, to := c.info.Duration/3, c.info.Duration/2
	all, err := c.tl.Rows(t.Context(), timeline.RowQuery{
		Type: timeline.Goroutine, From: from, To: to, Match: regexp.MustCompile("^runtime|^goroutine .*3$"), Limit: 10_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for id, row := range c.rows {
		if id[0] == 'g' && row.From <= to && row.To >= from && (strings.HasPrefix(row.Kind, "runtime") ||
			strings.HasSuffix(row.Name, "3")) {
			want++
		}
	}
	if all.Total != want || len(all.Rows) != want || want == 0 {
		t.Errorf("%d goroutines match in a window, want %d", all.Total, want)
	}
	var ids []string
	for _, row := range all.Rows {
		ids = append(ids, row.ID)
	}
	if named, err := c.tl.RowsByID(ids); err != nil || !slices.Equal(named, all.Rows) {
		t.Errorf("rows by their IDs: %v, %s", err, cmp.Diff(all.Rows, named))
	}
}

// TestErrors checks that errors of queries can be distinguished from others, and name what is
// wrong.
func TestErrors(t *testing.T) {
	tl := timeline.New(tracetest.Index(t, indextest.Record(t, 100)), "trace")
	spans := func(q timeline.SpanQuery) error {
		_, err := tl.Spans(t.Context(), q)
		return err
	}
	rows := func(q timeline.RowQuery) error {
		_, err := tl.Rows(t.Context(), q)
		return err
	}
	_, metric := tl.Metric("heap", 0, 0, 10)
	_, named := tl.RowsByID([]string{"m18446744073709551615"})
	for text, err := range map[string]error{
		`row "x1"`:            spans(timeline.SpanQuery{Width: 1, IDs: []string{"x1"}}),
		`row "g"`:             spans(timeline.SpanQuery{Width: 1, IDs: []string{"g"}}),
		`row "g4294967296"`:   spans(timeline.SpanQuery{Width: 1, IDs: []string{"g4294967296"}}),
		`row "t99999"`:        spans(timeline.SpanQuery{Width: 1, IDs: []string{"t99999"}}),
		`row "r9999"`:         spans(timeline.SpanQuery{Width: 1, IDs: []string{"r9999"}}),
		`row "c999999"`:       spans(timeline.SpanQuery{Width: 1, IDs: []string{"c999999"}}),
		"1001 rows":           spans(timeline.SpanQuery{Width: 1, IDs: make([]string, 1001)}),
		"of width 0":          spans(timeline.SpanQuery{}),
		"from 5 to 4":         spans(timeline.SpanQuery{From: 5, To: 4, Width: 1}),
		"from -1":             spans(timeline.SpanQuery{From: -1, Width: 1}),
		`type "heap"`:         rows(timeline.RowQuery{Type: "heap"}),
		`order "name"`:        rows(timeline.RowQuery{Type: timeline.Proc, Order: "name"}),
		"10001 rows":          rows(timeline.RowQuery{Type: timeline.Proc, Limit: 10_001}),
		"rows after 99999999": rows(timeline.RowQuery{Type: timeline.Proc, Skip: 99999999}),
		`metric "heap"`:       metric,
		`row "m1844674407`:    named,
	} {
		if !errors.Is(err, timeline.ErrQuery) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want an ErrQuery with %q", err, text)
		}
	}
}

// TestJSON checks the form of an answer's JSON.
func TestJSON(t *testing.T) {
	b, err := json.Marshal(timeline.SpanAnswer{To: 9, Width: 3, Rows: []timeline.RowSpans{
		{ID: "g1", Spans: []timeline.Span{{1, 2, 3, 4, 5}, {2, 9, 0, 0, 0}}},
		{ID: "p0", Parts: []timeline.Part{{1, 9, []timeline.Time{{1, 3}, {2, 4}}}, {9, 9, nil}}},
		{ID: "m7"},
	}})
	want := `{"from":0,"to":9,"width":3,"rows":[` +
		`{"id":"g1","spans":[[1,2,3,4,5],[2,9,0,0,0]]},{"id":"p0","parts":[[1,9,1,3,2,4],[9,9]]},{"id":"m7"}]}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
}

// TestConcurrent queries one timeline from several goroutines.
func TestConcurrent(t *testing.T) {
	c := check(t, serve(t))
	tl := timeline.New(c.x, "trace")
	var ids []string
	for id := range c.rows {
		if ids = append(ids, id); len(ids) == 50 {
			break
		}
	}
	q := timeline.SpanQuery{Width: 100, IDs: ids}
	want, err := c.tl.Spans(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := tl.Spans(t.Context(), q)
			if err != nil || !cmp.Equal(got, want) {
				t.Errorf("%v %s", err, cmp.Diff(want, got))
			}
			if _, err := tl.Rows(t.Context(), timeline.RowQuery{Type: timeline.Request}); err != nil {
				t.Error(err)
			}
			tl.Trace()
		})
	}
	wg.Wait()
}
