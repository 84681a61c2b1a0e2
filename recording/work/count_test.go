package work

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"testing"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/trace/index"
)

// Requests in a trace are those that a server answered during it; a longer window has
// proportionally more.
func TestOfTrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	defer server.Close()
	get := func() {
		resp, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	get()
	r, w := io.Pipe()
	if err := trace.Start(w); err != nil {
		t.Fatal(err)
	}
	built := make(chan *index.Index, 1)
	go func() {
		x, err := index.BuildTemporary(context.Background(), r, index.Options{})
		if err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, r)
		built <- x
	}()
	const n = 500
	for range n {
		get()
	}
	trace.Stop()
	_ = w.Close()
	x := <-built
	if x == nil {
		t.FailNow()
	}
	defer func() { _ = x.Close() }()
	length := time.Duration(x.Info.Duration)
	for _, times := range []float64{1, 4} {
		c, err := ofTrace(x, time.Duration(times*float64(length)))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(c.Requests-n*times) > 2*times {
			t.Errorf("%v requests in %v times the trace, want %v", c.Requests, times, n*times)
		}
		if estimated := c.Estimated() != ""; estimated != (times > 1) || times > 1 && c.requests.variance <= 0 {
			t.Errorf("%v times the trace: %q, variance %v", times, c.Estimated(), c.requests.variance)
		}
	}
}

// Intervals contain the planted change for any amount of work: 8 to 30 seconds that vary by 4%,
// with different rates.
func TestIntervalsHold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	begin := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	simulate := func(cost float64) *Count {
		n := 8 + random.IntN(23)
		l := &load.Result{Started: begin}
		rate := 100 + 900*random.Float64()
		for i := range n {
			requests := max(rate*(1+0.2*random.NormFloat64()), 10)
			l.Seconds = append(l.Seconds, load.Second{
				Start: time.Duration(i) * time.Second, Elapsed: time.Second, Responses: int64(requests),
				TargetCPU: time.Duration(float64(int64(requests)) * cost * (1 + 0.04*random.NormFloat64())),
			})
		}
		c, err := ofLoad(l, begin, begin.Add(time.Duration(n)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const pairs = 3000
	missed, wrong, found := 0, 0, 0
	for i := range pairs {
		planted := float64(i%3-1) * 0.05
		c := Compare(simulate(1e6).Clocked(1, 0), simulate(1e6*(1+planted)).Clocked(1, 0))
		if *c.Low > planted || *c.High < planted {
			missed++
		}
		switch c.Verdict {
		case More, Less:
			if (c.Verdict == More) != (planted > 0) || planted == 0 {
				wrong++
			} else {
				found++
			}
		case Noise, Unknown:
		}
	}
	t.Logf("%d pairs: %d intervals miss what was planted, %d wrong verdicts, %d of %d changes found", pairs, missed,
		wrong, found, pairs*2/3)
	// 1% may miss, which is 30 ± 5.5, and a third of these are of pairs without a change.
	if missed > 50 || wrong > 25 || found < pairs/3 {
		t.Errorf("%d intervals miss, %d verdicts are wrong, %d changes found", missed, wrong, found)
	}
}
