package model

import "time"

// A Stream holds the records of one kind, which are stored separately from the states of
// goroutines.
type Stream uint8

// Streams. [Record] documents the fields of each.
const (
	Metrics Stream = iota // of the runtime
	Ranges                // of the garbage collector, and stop-the-world phases
	Procs                 // stays of processors on threads
	Tasks                 // of package runtime/trace
	Regions               // of package runtime/trace
	Logs                  // of package runtime/trace
	Samples               // of the CPU profile

	Streams = iota // the number of streams
)

// A Record is one entry of a stream. Which fields have a meaning depends on the stream:
//
//	Metrics  To, Name, Value
//	Ranges   From, To, Name, Goroutine or Proc or neither: what it belongs to; both: a processor's, by one goroutine;
//	         Stack where it began
//	Procs    From, To, Proc, Thread: its id + 1
//	Tasks    From, To, Name, Task, Parent, Goroutine that began it, Stack where it began;
//	         Value bits: 1 it began, 2 it ended within the trace
//	Regions  From, To, Name, Task, Goroutine, Stack and Value as for Tasks
//	Logs     To, Name: the category, Text: the message, Task, Goroutine, Stack
//	Samples  To, Goroutine, Proc, Stack
//
// Stack is 0 if the trace does not have it, for example because the record began before the trace.
type Record struct {
	From, To     int64  // nanoseconds since the start of the trace
	Name         uint32 // number of a name
	Text         string
	Goroutine    uint32 // index + 1; 0 means none
	Proc         uint32 // number + 1; 0 means none
	Thread       uint64 // id + 1; 0 means none
	Stack        uint32
	Task, Parent uint64
	Value        uint64
}

// Bits of a Record's Value.
const (
	Began = 1 // within the trace
	Ended = 2
)

// A Named sums the records of a stream that have one name.
type Named struct {
	Name     uint32
	Count    int64
	From, To int64 // first begin, last end
	Time     time.Duration
}

// Info describes the trace as a whole.
type Info struct {
	Events      int64  `json:"events"`
	Generations int64  `json:"generations"` // sync events: one at the start of each, and one at the end
	Duration    int64  `json:"duration"`    // nanoseconds
	Goroutines  uint32 `json:"goroutines"`
	Spans       int64  `json:"spans"`
	Samples     int64  `json:"samples"`          // of the CPU
	Source      string `json:"source,omitempty"` // identifies the trace, as given to the builder
	// Began is when the trace began; zero if the trace does not have it, as before Go 1.25.
	Began time.Time `json:"began,omitzero"`
	// Damage is what ended the trace before its end; "" if it is complete.
	Damage string `json:"damage,omitempty"`
	// Limited is the memory limit that ended the trace; 0 if it did not.
	Limited int64 `json:"limited,omitempty"`
	// StacksFull is set when stacks were left out because there were too many.
	StacksFull bool `json:"stacks_full,omitempty"`
}
