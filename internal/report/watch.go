package report

import (
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/collect/watch"
	"github.com/whet-go/whet/unit"
)

// WatchSchema is the schema of WatchEvent.
const WatchSchema = "whet.watch/1"

// WatchEvent is what whet watch shows of a recording that it has made.
type WatchEvent struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"`
	Trigger string    `json:"trigger"` // slow, goroutines, heap or cpu
	// Value is nanoseconds of a slow request, goroutines, bytes of heap, or processors that were busy.
	Value   float64       `json:"value"`
	Request *WatchRequest `json:"request,omitempty"` // the slow one
	File    string        `json:"file"`
	Length  time.Duration `json:"trace_ns"`
	Next    string        `json:"next"` // a command that shows more
}

// A WatchRequest is a slow request.
type WatchRequest struct {
	Name    string        `json:"name,omitempty"`    // method and pattern, as the target's agent says it
	Handler string        `json:"handler,omitempty"` // as the trace tells it
	Latency time.Duration `json:"latency_ns"`
	Cause   string        `json:"cause,omitempty"` // what most of it was spent on
	Part    time.Duration `json:"part_ns,omitempty"`
}

// NewWatchEvent makes the document of an event.
func NewWatchEvent(e watch.Event) WatchEvent {
	d := WatchEvent{
		Schema: WatchSchema, Time: e.At, Trigger: string(e.Trigger), Value: e.Value, File: e.File, Length: e.Length,
		Next: nextOf(e.Trigger) + " " + e.File,
	}
	if e.Trigger == watch.Slow {
		r := WatchRequest(e.Request)
		d.Request = &r
	}
	return d
}

// nextOf is the view that tells most of what made a trigger fire.
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
func WriteWatchEvent(w io.Writer, style Style, d WatchEvent) error {
	t := &text{w: w}
	head := d.Time.Format(time.TimeOnly) + "  "
	switch r := d.Request; {
	case r != nil:
		name := r.Name
		if name == "" {
			name = ShortName(r.Handler)
		}
		rest := " took " + unit.Duration(r.Latency)
		if r.Cause != "" {
			rest += ", of it " + unit.Duration(r.Part) + " " + r.Cause
		}
		t.line(head, style.paint(bold, FitName(name, style.room(columns(head+rest), 20))), rest)
		if r.Name != "" && r.Handler != "" {
			t.line(blanks(columns(head)), style.paint(dim, FitName(r.Handler, style.room(columns(head), 20))))
		}
	case d.Trigger == string(watch.Goroutines):
		t.line(head, style.paint(bold, fmt.Sprintf("%.0f goroutines", d.Value)))
	case d.Trigger == string(watch.Heap):
		t.line(head, style.paint(bold, unit.Bytes(d.Value).String()+" on the heap"))
	default:
		t.line(head, style.paint(bold, fmt.Sprintf("%.1f processors busy", d.Value)))
	}
	t.line(blanks(columns(head)), d.Next)
	return t.result()
}
