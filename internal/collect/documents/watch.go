package documents

import (
	"time"

	"github.com/whet-go/whet/internal/collect/watch"
	"github.com/whet-go/whet/internal/diag"
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
	Value    float64        `json:"value"`
	Request  *watch.Request `json:"request,omitempty"` // the slow one
	File     string         `json:"file"`
	Length   time.Duration  `json:"trace_ns"`
	Next     string         `json:"next"` // a command that shows more
	Warnings diag.Warnings  `json:"warnings,omitempty"`
}

// NewWatchEvent returns the document of an event.
func NewWatchEvent(e watch.Event) WatchEvent {
	d := WatchEvent{
		Schema: WatchSchema, Time: e.At, Trigger: string(e.Trigger), Value: e.Value, File: e.File, Length: e.Length,
		Next: nextOf(e.Trigger) + " " + e.File,
	}
	if e.Trigger == watch.Slow {
		d.Request = &e.Request
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
