package timeline

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	rtrace "runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/index/indextest"
	"github.com/whet-go/whet/trace/stacks"
)

// marked returns the timeline of a trace with nested regions and messages.
func marked(t *testing.T) *Timeline {
	t.Helper()
	var out bytes.Buffer
	if err := rtrace.Start(&out); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		ctx, task := rtrace.NewTask(context.Background(), "order")
		defer task.End()
		rtrace.WithRegion(ctx, "outer", func() {
			for range 3 {
				rtrace.WithRegion(ctx, "inner", func() { rtrace.Log(ctx, "step", "one more") })
			}
		})
		rtrace.WithRegion(ctx, "after", func() {})
	}()
	<-done
	rtrace.Stop()
	return New(tracetest.Index(t, out.Bytes()), "test")
}

// TestMarks finds regions by their depth, and messages, on the goroutine that they belong to.
func TestMarks(t *testing.T) {
	tl := marked(t)
	list, err := tl.Rows(t.Context(), RowQuery{Type: Goroutine, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range list.Rows {
		ids = append(ids, r.ID)
	}
	a, err := tl.Marks(t.Context(), MarkQuery{Width: 1000, IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]int64{} // depths
	logs := 0
	for i, r := range a.Rows {
		if r.ID != ids[i] {
			t.Errorf("row %d is %s, want %s", i, r.ID, ids[i])
		}
		for _, one := range r.Regions {
			found[a.Names[one[2]]] = append(found[a.Names[one[2]]], one[3])
		}
		for _, l := range r.Logs {
			if l.Category != "step" || l.Text != "one more" {
				t.Errorf("message %+v", l)
			}
			logs++
		}
	}
	if !slices.Equal(found["outer"], []int64{0}) || !slices.Equal(found["inner"], []int64{1, 1, 1}) ||
		!slices.Equal(found["after"], []int64{0}) || logs != 3 || a.Partial != 0 {
		t.Errorf("regions at depths %v, %d messages, partial %d", found, logs, a.Partial)
	}
	// A narrow picture has less, and says so.
	if a, err = tl.Marks(t.Context(), MarkQuery{Width: 1, IDs: ids}); err != nil || a.Partial != 1 {
		t.Errorf("partial %d, %v", a.Partial, err)
	}
}

// TestStays compares the statistics of spans with a scan.
func TestStays(t *testing.T) {
	x := tracetest.Index(t, indextest.Record(t, 2000))
	tl := New(x, "test")
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		from := r.Int64N(x.Info.Duration)
		to := from + 1 + r.Int64N(x.Info.Duration-from)
		state := r.IntN(x.Codes()+1) - 1
		var ids []string
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(4) {
				ids = append(ids, formatID(Goroutine, uint64(r.Uint32N(x.Info.Goroutines))))
			}
			slices.Sort(ids)
			ids = slices.Compact(ids)
		}
		got, err := tl.Stays(t.Context(), StayQuery{From: from, To: to, IDs: ids, State: state, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		var want []Stay
		var total time.Duration
		waits := int64(0)
		if err := x.Spans(from, to, func(s index.Span) bool {
			id := formatID(Goroutine, uint64(s.Goroutine))
			if len(ids) > 0 && !slices.Contains(ids, id) {
				return true
			}
			if s.Code != index.Running && s.Code != index.Assist && s.Code != index.Unknown {
				waits += min(s.To, to) - max(s.From, from)
			}
			if state < 0 || int(s.Code) == state {
				want = append(want, Stay{id, s.From, s.To, int(s.Code), s.Stack})
				total += time.Duration(s.To - s.From)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(want, func(a, b Stay) int {
			return cmp.Or(cmp.Compare(b.To-b.From, a.To-a.From), cmp.Compare(a.From, b.From), cmp.Compare(a.ID, b.ID))
		})
		if got.Count != int64(len(want)) || got.Total != total || !slices.Equal(got.Longest, want[:min(5, len(want))]) {
			t.Fatalf("state %d of %v: %+v, want %d spans, %v, %v", state, ids, got, len(want), total, want[:min(5, len(want))])
		}
		count, last := int64(0), time.Duration(0)
		for _, b := range got.Buckets {
			if b.From >= b.To || b.From < last || b.Time < 0 {
				t.Errorf("bucket %+v after %v", b, last)
			}
			count, last = count+b.Count, b.From
		}
		if count != got.Count {
			t.Errorf("%d spans in buckets, want %d", count, got.Count)
		}
		weights, err := tl.Stacks(t.Context(), StackQuery{From: from, To: to, IDs: ids, By: ByWait})
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, s := range weights.Stacks {
			sum += s.Value
		}
		if weights.Total != waits || sum != waits {
			t.Errorf("waits of %v: total %d, sum %d, want %d", ids, weights.Total, sum, waits)
		}
	}
}

// TestSamples compares the weights of CPU samples with the samples of goroutines.
func TestSamples(t *testing.T) {
	data, err := os.ReadFile("../../internal/trace/testdata/go1.26.trace")
	if err != nil {
		t.Fatal(err)
	}
	x := tracetest.Index(t, data)
	weights, err := New(x, "test").Stacks(t.Context(), StackQuery{})
	if err != nil || weights.Total != x.Info.Samples {
		t.Errorf("%d samples, want %d: %v", weights.Total, x.Info.Samples, err)
	}
}

// TestUtilization compares the minimum utilization with windows at all times, on random usage.
func TestUtilization(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		const end = 3_000_000
		var all []usage
		busy := make([]float64, end/1000)
		for range r.IntN(30) {
			from := r.Int64N(end/1000-1) * 1000
			to := min(from+1000+r.Int64N(200)*1000, end)
			if r.IntN(4) == 0 {
				all = append(all, usage{from, 0, 1}, usage{to, 0, -1})
				for i := from / 1000; i < to/1000; i++ {
					busy[i] += 100
				}
				continue
			}
			all = append(all, usage{from, 1, 0}, usage{to, -1, 0})
			for i := from / 1000; i < to/1000; i++ {
				busy[i]++
			}
		}
		for _, p := range minimumUtilization(shares(all, 4, end), end) {
			steps := int(p.Window / 1000)
			want := 1.0
			for at := 0; at+steps <= len(busy); at++ {
				sum := 0.0
				for _, b := range busy[at : at+steps] {
					sum += max(0, 1-b/4)
				}
				want = min(want, sum/float64(steps))
			}
			if math.Abs(p.Share-want) > 1e-9 {
				t.Errorf("window %v: %v, want %v", p.Window, p.Share, want)
			}
		}
	}
	a, err := New(tracetest.Index(t, indextest.Record(t, 2000)), "test").Utilization(t.Context())
	if err != nil || len(a.Points) < 5 {
		t.Fatal(a, err)
	}
	for i, p := range a.Points {
		if p.Share < 0 || p.Share > 1 || i > 0 && p.Window <= a.Points[i-1].Window {
			t.Errorf("%+v", p)
		}
	}
}

// TestClasses has the classes of the requests in rows.
func TestClasses(t *testing.T) {
	tl := marked(t)
	infos, err := tl.Classes()
	if err != nil || infos == nil || len(infos) != 0 {
		t.Errorf("%v, %v: a program without a server", infos, err)
	}
}

// TestKinds says whose code frames are, wherever they are shown.
func TestKinds(t *testing.T) {
	tl := marked(t)
	tl.MarkKinds(func(f stacks.Frame) string {
		if strings.Contains(f.Func, "timeline.") {
			return "own"
		}
		return "std"
	})
	weights, err := tl.Stacks(t.Context(), StackQuery{By: ByWait})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	see := func(f Frame) {
		want := "std"
		if strings.Contains(f.Function, "timeline.") {
			want = "own"
		}
		if count[want]++; f.Kind != want {
			t.Errorf("%s is %q, want %s", f.Function, f.Kind, want)
		}
	}
	for _, f := range weights.Frames {
		see(f)
	}
	for n := range uint32(10) {
		for _, f := range tl.Frames(n) {
			see(f)
		}
	}
	if count["own"] == 0 || count["std"] == 0 {
		t.Errorf("seen %v", count)
	}
}
