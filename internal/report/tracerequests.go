package report

import (
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/unit"
)

// TraceRequestsSchema is the schema of TraceRequests.
const TraceRequestsSchema = "whet.trace-requests/1"

// TraceRequests is what whet trace requests shows.
type TraceRequests struct {
	Schema  string              `json:"schema"`
	Name    string              `json:"name"`
	Count   int                 `json:"count"`
	Open    int                 `json:"open"`              // begun before the trace, or not ended when it did
	Dropped int                 `json:"dropped,omitempty"` // beyond what is kept
	Classes []TraceRequestClass `json:"classes"`
}

// A TraceRequestClass is the requests with one handler.
type TraceRequestClass struct {
	Handler string         `json:"handler"`
	Count   int            `json:"count"`
	P50     time.Duration  `json:"p50_ns"`
	P90     time.Duration  `json:"p90_ns"`
	P99     time.Duration  `json:"p99_ns"`
	Max     time.Duration  `json:"max_ns"`
	Parts   []TracePart    `json:"parts"` // of those in the middle, the largest first
	Slowest []TraceRequest `json:"slowest"`
}

// A TracePart is a cause that requests are spent on.
type TracePart struct {
	Cause  string        `json:"cause"`
	Middle time.Duration `json:"middle_ns"` // on average, of those between the quantiles of 40 and 60 %
	Slow   time.Duration `json:"slow_ns"`   // of those from the quantile of 99 % on
}

// A TraceRequest is one of the slowest.
type TraceRequest struct {
	Goroutine int64         `json:"goroutine"`
	From      time.Duration `json:"from_ns"` // since the trace's begin
	Latency   time.Duration `json:"latency_ns"`
	Cause     string        `json:"cause"` // what most of it is
	Part      time.Duration `json:"part_ns"`
}

// NewTraceRequests makes the document of a result. id is the number that the runtime gave a goroutine.
func NewTraceRequests(name string, r *requests.Result, id func(index uint32) int64) TraceRequests {
	d := TraceRequests{Schema: TraceRequestsSchema, Name: name, Count: r.Count, Open: r.Open, Dropped: r.Dropped, Classes: []TraceRequestClass{}}
	for _, c := range r.Classes {
		class := TraceRequestClass{Handler: c.Name, Count: c.Count, P50: c.P50, P90: c.P90, P99: c.P99, Max: c.Max, Parts: []TracePart{}, Slowest: []TraceRequest{}}
		for cause := range requests.Causes {
			if c.Middle[cause] > 0 || c.Slow[cause] > 0 {
				class.Parts = append(class.Parts, TracePart{requests.Cause(cause).String(), c.Middle[cause], c.Slow[cause]})
			}
		}
		for _, one := range c.Slowest {
			cause, part := one.Largest()
			class.Slowest = append(class.Slowest, TraceRequest{id(one.Goroutine), time.Duration(one.From), one.Latency(), cause.String(), part})
		}
		d.Classes = append(d.Classes, class)
	}
	return d
}

// WriteTraceRequests writes the document as text.
func WriteTraceRequests(w io.Writer, style Style, d TraceRequests) error {
	t := &text{w: w}
	t.line(style.paint(bold, fmt.Sprintf("%s requests in the trace of %s", unit.Count(d.Count).Short(), Clean(d.Name))))
	if d.Open > 0 {
		t.line(fmt.Sprintf("%d more had begun before it, or had not ended when it did", d.Open))
	}
	if d.Dropped > 0 {
		t.line(style.paint(gold, fmt.Sprintf("%d more are left out: --from and --to choose a part", d.Dropped)))
	}
	if d.Count == 0 {
		t.line("whet knows servers of net/http (HTTP/1 and 2), net/rpc and gRPC")
	}
	for _, c := range d.Classes {
		t.line()
		head := unit.Count(c.Count).Short() + " x "
		t.line(style.paint(bold, head+FitName(Clean(c.Handler), style.room(columns(head), 20))))
		t.line("  p50 ", unit.Duration(c.P50), "  p90 ", unit.Duration(c.P90), "  p99 ", unit.Duration(c.P99), "  max ", unit.Duration(c.Max))
		t.line("  ", left("spent on", 16), right("in the middle", 14), right("", 7), right("slowest 1%", 14), right("", 7))
		middle, slow := time.Duration(0), time.Duration(0)
		for _, p := range c.Parts {
			middle, slow = middle+p.Middle, slow+p.Slow
		}
		for _, p := range c.Parts {
			share, shareSlow := unit.Share(int64(p.Middle), int64(middle)), unit.Share(int64(p.Slow), int64(slow))
			t.line(
				"  ", left(p.Cause, 16), right(unit.Duration(p.Middle), 14), style.paint(heat(share), right(fmt.Sprintf("%.0f%%", 100*share), 7)),
				right(unit.Duration(p.Slow), 14), style.paint(heat(shareSlow), right(fmt.Sprintf("%.0f%%", 100*shareSlow), 7)),
			)
		}
		for _, one := range c.Slowest {
			t.line("  at ", right(unit.Duration(one.From), 9), ", goroutine ", fmt.Sprint(one.Goroutine), ": ", unit.Duration(one.Latency), ", of it ", unit.Duration(one.Part), " ", one.Cause)
		}
	}
	return t.result()
}
