package recordings

import (
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/internal/collect/watch"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WatchSchema is the schema of WatchEvent.
const WatchSchema = "whet.watch/1"

// WatchEvent is the document of whet watch for one recording.
type WatchEvent struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"`
	Trigger string    `json:"trigger"` // slow, goroutines, heap or cpu
	// Value is the nanoseconds of a slow request, the number of goroutines, the bytes of heap, or
	// the number of busy CPUs.
	Value    float64       `json:"value"`
	Request  *WatchRequest `json:"request,omitempty"` // the slow one
	File     string        `json:"file"`
	Length   time.Duration `json:"trace_ns"`
	Next     string        `json:"next"` // a command that shows more
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A WatchRequest is a slow request.
type WatchRequest struct {
	Name    string        `json:"name,omitempty"`    // method and pattern, from the target's agent
	Handler string        `json:"handler,omitempty"` // from the trace
	Latency time.Duration `json:"latency_ns"`
	Begin   time.Time     `json:"begin,omitzero"` // by the target's clock
	End     time.Time     `json:"end,omitzero"`
	Cause   string        `json:"cause,omitempty"` // what most of its time was spent on
	Part    time.Duration `json:"part_ns,omitempty"`
	// Found is how it was found in the trace: by the agent's mark, by its goroutine, or by time,
	// which is only probable. If it is empty, Missing explains why it was not found.
	Found   string `json:"found,omitempty"` // mark, goroutine or time
	Missing string `json:"missing,omitempty"`
	// Goroutine is the id of the goroutine that answered. From and To are its time in the trace,
	// which may begin later than the request.
	Goroutine int64         `json:"goroutine,omitempty"`
	From      time.Duration `json:"from_ns,omitempty"`
	To        time.Duration `json:"to_ns,omitempty"`
}

// NewWatchEvent returns the document of an event.
func NewWatchEvent(e watch.Event) WatchEvent {
	d := WatchEvent{
		Schema: WatchSchema, Time: e.At, Trigger: string(e.Trigger), Value: e.Value, File: e.File, Length: e.Length,
		Next: nextOf(e.Trigger) + " " + e.File,
	}
	if e.Trigger == watch.Slow {
		r := e.Request
		d.Request = &WatchRequest{
			Name: r.Name, Handler: r.Handler, Latency: r.Latency, Begin: r.Begin, End: r.End, Cause: r.Cause, Part: r.Part,
			Found: string(r.Found), Missing: r.Missing, Goroutine: r.Goroutine, From: r.From, To: r.To,
		}
	}
	return d
}

// nextOf returns the view that shows most about what fired a trigger.
func nextOf(t watch.Trigger) string {
	switch t {
	case watch.Slow:
		return "whet trace requests"
	case watch.Goroutines:
		return "whet goroutines"
	case watch.Heap:
		return "whet memory"
	case watch.CPU:
	}
	return "whet trace summary"
}

// WriteWatchEvent writes the document as text.
func WriteWatchEvent(w io.Writer, style layout.Style, d WatchEvent) error {
	t := layout.NewWriter(w)
	head := d.Time.Format(time.TimeOnly) + "  "
	switch r := d.Request; {
	case r != nil:
		name := r.Name
		if name == "" {
			name = layout.ShortName(r.Handler)
		}
		rest := " took " + unit.Duration(r.Latency)
		if r.Cause != "" {
			rest += ", including " + unit.Duration(r.Part) + " " + r.Cause
		}
		t.Line(head, style.Paint(layout.Bold, layout.FitName(name, style.Remaining(layout.Columns(head+rest), 20))), rest)
		detail := func(text string) {
			t.Line(layout.Spaces(layout.Columns(head)),
				style.Paint(layout.Dim, layout.FitName(text, style.Remaining(layout.Columns(head), 20))))
		}
		if r.Name != "" && r.Handler != "" {
			detail(r.Handler)
		}
		switch held := r.To - r.From; {
		case r.Missing != "":
			detail("not in the trace: " + r.Missing)
		case r.Found == string(watch.ByTime):
			detail("probably: identified by its time, because the agent has no mark for it")
		case r.Found != "" && held < r.Latency*99/100:
			detail("the trace has the last " + unit.Duration(held) + " of it")
		}
	case d.Trigger == string(watch.Goroutines):
		t.Line(head, style.Paint(layout.Bold, fmt.Sprintf("%.0f goroutines", d.Value)))
	case d.Trigger == string(watch.Heap):
		t.Line(head, style.Paint(layout.Bold, unit.Bytes(d.Value).String()+" on the heap"))
	default:
		t.Line(head, style.Paint(layout.Bold, fmt.Sprintf("%.1f CPUs busy", d.Value)))
	}
	t.Line(layout.Spaces(layout.Columns(head)), d.Next)
	return t.Result()
}
