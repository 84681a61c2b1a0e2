package index

import "github.com/whet-go/whet/trace/model"

// The data model. Package model documents the fields.
type (
	// A Code is a state of a goroutine.
	Code = model.Code
	// A Span is an interval that a goroutine spends in one state.
	Span = model.Span
	// A Sum is the total time in one state.
	Sum = model.Sum
	// A Kind is the goroutines that run one function.
	Kind = model.Kind
	// Stays sum the spans of a kind in one state.
	Stays = model.Stays
	// A Thread is an operating system thread that had a processor.
	Thread = model.Thread
	// A Stream holds the records of one kind, which are stored separately from the states of
	// goroutines.
	Stream = model.Stream
	// A Record is one entry of a stream.
	Record = model.Record
	// A Named sums the records of a stream that have one name.
	Named = model.Named
	// Info describes the trace as a whole.
	Info = model.Info
)

// Codes that exist in every index.
const (
	Unknown        = model.Unknown
	Running        = model.Running
	Assist         = model.Assist
	Runnable       = model.Runnable
	Syscall        = model.Syscall
	SyscallBlocked = model.SyscallBlocked
	Waiting        = model.Waiting
)

// Streams.
const (
	Metrics = model.Metrics
	Ranges  = model.Ranges
	Procs   = model.Procs
	Tasks   = model.Tasks
	Regions = model.Regions
	Logs    = model.Logs
	Samples = model.Samples
)

// Bits of a Record's Value.
const (
	Began = model.Began
	Ended = model.Ended
)
