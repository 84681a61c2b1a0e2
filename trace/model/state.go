package model

import "time"

// A Code is a state of a goroutine. Codes from [Waiting] on are wait reasons; their names are in
// the index.
type Code uint8

// Codes that exist in every index.
const (
	Unknown        Code = iota // before the first event that shows it
	Running                    // on a processor
	Assist                     // on a processor, assisting the garbage collector
	Runnable                   // waiting for a processor
	Syscall                    // in a system call, with a processor
	SyscallBlocked             // in a system call, without a processor
	Waiting                    // the first wait reason
)

// MaxCodes is the maximum number of codes. The runtime has about forty wait reasons.
const MaxCodes = 200

// A Span is an interval that a goroutine spends in one state.
type Span struct {
	Goroutine uint32 // index
	Code      Code
	From, To  int64 // nanoseconds since the start of the trace
	// Stack is that of the event that began it, 0 if that has none: where the goroutine stopped, or
	// began to assist; for [Runnable], the stack of the goroutine that made it so.
	Stack uint32
	// With is, for [Running], [Assist] and [Syscall], the processor's number + 1; for [Runnable],
	// the index + 1 of the goroutine that woke or created this one. 0 means unknown, and is used
	// for all other states.
	With uint32
}

// A Sum is the total time in one state.
type Sum struct {
	Code Code
	Time time.Duration
}

// Add adds a time in a state to a list of sums that has each state at most once, and returns the
// list.
func Add(sums []Sum, code Code, took time.Duration) []Sum {
	for i := range sums {
		if sums[i].Code == code {
			sums[i].Time += took
			return sums
		}
	}
	return append(sums, Sum{code, took})
}

// A Goroutine is a goroutine of the trace.
type Goroutine struct {
	Index  uint32
	ID     int64
	Kind   uint32 // number of its Kind
	Parent uint32 // index + 1 of the goroutine that created it; 0 if unknown
	// Created is the stack of the go statement, 0 if the trace does not have it.
	Created  uint32
	From, To int64 // nanoseconds since the start of the trace: when it was first and last seen
	Old      bool  // existed before the trace
	Ended    bool  // within the trace
	Times    []Sum
}

// A Kind is the goroutines that run one function.
type Kind struct {
	Name    string
	Count   int64         // goroutines
	Created int64         // those created within the trace
	Ended   int64         // those that ended within the trace
	Life    time.Duration // total, within the trace
	Stays   []Stays       // by code
}

// Stays sum the spans of a kind in one state.
type Stays struct {
	Code          Code
	Count         int64         // spans
	Total         time.Duration // of all spans
	P50, P90, P99 time.Duration // of a span, within 1%; 0 if unknown
	Max           time.Duration
}

// A Thread is an operating system thread that had a processor.
type Thread struct {
	ID       uint64
	From, To int64 // nanoseconds since the start of the trace: when it first and last had one
}
