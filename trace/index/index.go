package index

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/whet-go/whet/trace/stacks"
)

// An Index is an index opened for reading.
type Index struct {
	Info Info

	file      *os.File
	temporary string // directory to remove on Close; "" if none
	kinds     []Kind
	kindNames []uint32
	reasons   []string
	names     []string
	frames    []frame
	branches  []uint32

	stackEnd []uint32 // stack i ends at stackEnd[i] in stackIDs
	stackIDs []uint32

	slices  []tile
	above   [][]tile
	records []recordRef
	pages   []ref
	refs    [streams][classes][]streamRef
	threads []Thread
	procs   int
	totals  [streams][]Named
	limits  limits
}

type frame struct{ function, file, line uint32 }

// Open opens an index. Its error is [ErrNotIndex] for another kind of file and for an incomplete
// index.
func Open(name string) (x *Index, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	x = &Index{file: f, limits: usual()}
	defer func() {
		if err != nil {
			_ = f.Close() // only read
			x, err = nil, fmt.Errorf("open trace index %s: %w", name, err)
		}
	}()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	tables, err := readTables(f, stat.Size())
	if err != nil {
		return nil, err
	}
	return x, x.decodeTables(tables)
}

// Close closes the file.
func (x *Index) Close() error {
	err := x.file.Close()
	if x.temporary != "" {
		err = errors.Join(err, os.RemoveAll(x.temporary))
	}
	return err
}

// Code returns the name of a state: "running", "runnable", …, or the reason to wait.
func (x *Index) Code(c Code) string {
	switch c {
	case Unknown:
		return "unknown"
	case Running:
		return "running"
	case Assist:
		return "GC assist"
	case Runnable:
		return "runnable"
	case Syscall:
		return "syscall"
	case SyscallBlocked:
		return "syscall, without processor"
	case Waiting:
	}
	if i := int(c - Waiting); i < len(x.reasons) {
		return x.reasons[i]
	}
	return "other"
}

// Codes returns the number of codes; all codes are less.
func (x *Index) Codes() int { return int(Waiting) + len(x.reasons) }

// Name returns a text by its number.
func (x *Index) Name(n uint32) string {
	if int(n) >= len(x.names) {
		return ""
	}
	return x.names[n]
}

// Stack returns a stack by its number, leaf first; nil for 0.
func (x *Index) Stack(n uint32) []stacks.Frame {
	if n == 0 || int(n) >= len(x.stackEnd) {
		return nil
	}
	ids := x.stackIDs[x.stackEnd[n-1]:x.stackEnd[n]]
	frames := make([]stacks.Frame, len(ids))
	for i, id := range ids {
		frames[i] = x.frame(id)
	}
	return frames
}

func (x *Index) frame(n uint32) stacks.Frame {
	f := x.frames[n]
	return stacks.Frame{Func: x.Name(f.function), File: x.Name(f.file), Line: int(f.line)}
}

// Branches returns the frames whose line calls different functions from one place in the code, as a
// call of a function value does.
func (x *Index) Branches() []stacks.Frame {
	frames := make([]stacks.Frame, len(x.branches))
	for i, id := range x.branches {
		frames[i] = x.frame(id)
	}
	return frames
}

// Frames returns the frames of all stacks, each once.
func (x *Index) Frames() []stacks.Frame {
	frames := make([]stacks.Frame, len(x.frames))
	for i := range x.frames {
		frames[i] = x.frame(uint32(i))
	}
	return frames
}

// Stacks returns the number of stacks; they are numbered from 1.
func (x *Index) Stacks() int { return len(x.stackEnd) - 1 }

// A Kind is the goroutines that run one function.
type Kind struct {
	Name    string
	Count   int64         // goroutines
	Created int64         // those created within the trace
	Ended   int64         // those that ended within the trace
	Life    time.Duration // total, within the trace
	Stays   []Stays       // by code
}

// Stays are the spans of a kind in one state.
type Stays struct {
	Code          Code
	Count         int64         // spans
	Total         time.Duration // of all spans
	P50, P90, P99 time.Duration // of a span, within 1 %; 0 if unknown
	Max           time.Duration
}

// Kinds returns all kinds, in the order in which they were first seen.
func (x *Index) Kinds() []Kind { return x.kinds }

func (x *Index) decodeKinds(d *decoder) {
	for range d.count() {
		k := Kind{}
		name := d.uint()
		k.Count, k.Created, k.Ended, k.Life = int64(d.uint()), int64(d.uint()), int64(d.uint()), time.Duration(d.uint())
		for range d.count() {
			s := Stays{
				Code: Code(d.byte()), Count: int64(d.uint()), Total: time.Duration(d.uint()),
				Max: time.Duration(d.uint()),
			}
			s.P50, s.P90, s.P99 = time.Duration(d.uint()), time.Duration(d.uint()), time.Duration(d.uint())
			k.Stays = append(k.Stays, s)
		}
		x.kindNames = append(x.kindNames, uint32(name))
		x.kinds = append(x.kinds, k)
	}
}

// A Goroutine is a goroutine of the trace.
type Goroutine struct {
	Index  uint32
	ID     int64
	Kind   uint32 // number in Kinds
	Parent uint32 // index + 1 of the goroutine that created it; 0 if unknown
	// Created is the stack of the go statement, 0 if the trace does not have it.
	Created  uint32
	From, To int64 // nanoseconds since the start of the trace: when it was first and last seen
	Old      bool  // existed before the trace
	Ended    bool  // within the trace
	Times    []Sum

	slices []uint32
}

// A Sum is a time in a state.
type Sum struct {
	Code Code
	Time time.Duration
}
