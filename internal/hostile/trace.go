package hostile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// Types of batches and events of execution traces, as Go 1.22 and later write them.
const (
	traceBatch       = 1
	traceStack       = 3
	traceStacks      = 2
	traceStrings     = 4
	traceString      = 5
	traceFrequency   = 8
	traceProcStatus  = 13
	traceGoCreate    = 14
	traceGoStatus    = 25
	traceTaskBegin   = 40
	traceRegionBegin = 42
	traceLog         = 44
)

const traceHead = "go 1.22 trace\x00\x00\x00"

// noThread is the thread number of events without a thread.
const noThread = 1<<64 - 1

func batch(thread uint64, body []byte) []byte {
	b := []byte{traceBatch}
	for _, v := range []uint64{1, thread, 1, uint64(len(body))} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, body...)
}

func event(b []byte, kind byte, args ...uint64) []byte {
	b = append(b, kind)
	for _, v := range args {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// Trace returns a trace of one generation: processor 0 runs goroutine 1, followed by n events from
// add, in batches of the runtime's size.
func Trace(n int, add func(b []byte, i uint64) []byte) []byte {
	out := []byte(traceHead)
	body := event(event(nil, traceProcStatus, 0, 0, 1), traceGoStatus, 0, 1, 0, 2)
	for i := range n {
		if body = add(body, uint64(i)); len(body) > 60_000 {
			out, body = append(out, batch(0, body)...), nil
		}
	}
	out = append(out, batch(0, body)...)
	return append(out, batch(noThread, event(nil, traceFrequency, 1e9))...)
}

// Threads returns a trace of n idle threads.
func Threads(n int) []byte {
	out := []byte(traceHead)
	for i := range n {
		out = append(out, batch(uint64(i), nil)...)
	}
	return append(out, batch(noThread, event(nil, traceFrequency, 1e9))...)
}

// Goroutines returns a trace of n waiting goroutines.
func Goroutines(n int) []byte {
	return Trace(n, func(b []byte, i uint64) []byte { return event(b, traceGoStatus, 0, i+2, noThread, 4) })
}

// Processors returns a trace of n idle processors.
func Processors(n int) []byte {
	return Trace(n, func(b []byte, i uint64) []byte { return event(b, traceProcStatus, 0, i+1, 2) })
}

// Tasks returns a trace of n tasks that do not end, with text in their names.
func Tasks(n int, text string) []byte {
	names := named(text)
	return append(Trace(n, func(b []byte, i uint64) []byte { return event(b, traceTaskBegin, 1, i+1, 0, 1, 0) }), names...)
}

// Regions returns a trace of n nested regions that do not end.
func Regions(n int, text string) []byte {
	return append(Trace(n, func(b []byte, _ uint64) []byte { return event(b, traceRegionBegin, 1, 0, 1, 0) }),
		named(text)...)
}

// Texts returns a small trace with text in all its strings: functions, files, tasks, regions and
// logs.
func Texts(text string) []byte {
	out := Trace(10, func(b []byte, i uint64) []byte {
		b = event(b, traceTaskBegin, 1, i+1, 0, 1, 1)
		b = event(b, traceRegionBegin, 1, i+1, 1, 1)
		b = event(b, traceLog, 1, i+1, 1, 1, 1)
		return event(b, traceGoCreate, 1, i+2, 1, 1)
	})
	out = append(out, named(text)...)
	stack := event([]byte{traceStacks}, traceStack, 1, 2, 0x1000, 1, 1, 7, 0x2000, 1, 1, 8)
	return append(out, batch(noThread, stack)...)
}

// named returns a table of strings with one text, 1.
func named(text string) []byte {
	body := append(event([]byte{traceStrings}, traceString, 1, uint64(len(text))), text...)
	return batch(noThread, body)
}

// OldEvents returns a trace in the format before Go 1.22, of n events of two bytes.
func OldEvents(n int) []byte {
	return append([]byte("go 1.21 trace\x00\x00\x00"), bytes.Repeat([]byte{8, 1}, n)...)
}

// OldString returns such a trace with a string that is longer than the trace.
func OldString() []byte {
	return append([]byte("go 1.21 trace\x00\x00\x00"), 0x41, 1, 1, 37, 1, 0xff, 0xff, 0xff, 0xff, 0x7f)
}

// Flipped returns a trace with a few flipped bits, at positions that depend on number.
func Flipped(trace []byte, number uint64) []byte {
	out := bytes.Clone(trace)
	r := rand.New(rand.NewPCG(number, 1)) //nolint:gosec // the same each time
	for range 1 + r.IntN(8) {
		out[len(traceHead)+r.IntN(len(out)-len(traceHead))] ^= 1 << r.IntN(8)
	}
	return out
}

// Traces returns all of these, by name.
func Traces() map[string]func() []byte {
	return map[string]func() []byte{
		"threads.trace":    func() []byte { return Threads(1 << 16) },
		"goroutines.trace": func() []byte { return Goroutines(4 << 20) },
		"procs.trace":      func() []byte { return Processors(1 << 20) },
		"tasks.trace":      func() []byte { return Tasks(2<<20, "task") },
		"regions.trace":    func() []byte { return Regions(2<<20, "region") },
		"texts.trace":      func() []byte { return Texts("t" + Terminal) },
		"old.trace":        func() []byte { return OldEvents(20 << 20) },
		"old-string.trace": OldString,
		"head.trace":       func() []byte { return []byte(traceHead) },
		"batch.trace": func() []byte {
			return append([]byte(traceHead), 1, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
		},
	}
}
