package index

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
	"github.com/whet-go/whet/trace/stacks"
)

// ErrNotIndex is wrapped by [Open]'s error if a file is not an index or is incomplete.
var ErrNotIndex = indexfile.ErrNotIndex

// ErrDamaged is wrapped by errors about a part of an index that differs from what was written.
var ErrDamaged = indexfile.ErrDamaged

// An Index is an index opened for reading.
type Index struct {
	Info Info

	file      *os.File
	temporary string // directory to remove on Close; "" if none
	tables    *indexfile.Tables
	kinds     []Kind
	records   [model.Streams][indexfile.Classes][]indexfile.RecordsRef
	limits    limits
	ended     func() error // of Until; nil without
}

// Open opens an index. Its error wraps [ErrNotIndex] for another kind of file and for an incomplete
// index. The caller must close the index.
func Open(name string) (x *Index, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	x = &Index{file: f, limits: usualLimits()}
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
	if x.tables, err = indexfile.ReadTables(f, stat.Size()); err != nil {
		return nil, err
	}
	x.Info = x.tables.Info
	for _, k := range x.tables.Kinds {
		x.kinds = append(x.kinds, k.Kind)
	}
	for _, r := range x.tables.Records {
		x.records[r.Stream][r.Class] = append(x.records[r.Stream][r.Class], r)
	}
	x.tables.Records = nil
	return x, nil
}

// Until returns the index as it is read for a request: its methods return the error of ctx once that has ended. One of
// both is closed.
func (x *Index) Until(ctx context.Context) *Index {
	until := *x
	until.ended = ctx.Err
	return &until
}

// read reads a block into buf, or into a larger buffer.
func (x *Index) read(at indexfile.Ref, buf []byte) ([]byte, error) {
	if x.ended != nil {
		if err := x.ended(); err != nil {
			return nil, err
		}
	}
	return indexfile.ReadBlock(x.file, at, buf)
}

// Close closes the file.
func (x *Index) Close() error {
	err := x.file.Close()
	if x.temporary != "" {
		err = errors.Join(err, os.RemoveAll(x.temporary))
	}
	return err
}

// Code returns the name of a state: "running", "runnable", …, or the wait reason, which is "" if
// the trace does not contain it.
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
	if i := int(c - Waiting); i < len(x.tables.Reasons) {
		return x.tables.Reasons[i]
	}
	return "other"
}

// Codes returns the number of codes: they are 0 to Codes()-1.
func (x *Index) Codes() int { return int(Waiting) + len(x.tables.Reasons) }

// Name returns the name with the given number.
func (x *Index) Name(n uint32) string {
	if int(n) >= len(x.tables.Names) {
		return ""
	}
	return x.tables.Names[n]
}

// Stack returns the stack with the given number, leaf first; nil for 0.
func (x *Index) Stack(n uint32) []stacks.Frame {
	if n == 0 || int(n) >= len(x.tables.StackEnd) {
		return nil
	}
	ids := x.tables.StackIDs[x.tables.StackEnd[n-1]:x.tables.StackEnd[n]]
	frames := make([]stacks.Frame, len(ids))
	for i, id := range ids {
		frames[i] = x.frame(id)
	}
	return frames
}

func (x *Index) frame(n uint32) stacks.Frame {
	f := x.tables.Frames[n]
	return stacks.Frame{Func: x.Name(f.Func), File: x.Name(f.File), Line: int(f.Line)}
}

// Branches returns the frames whose line calls different functions from one place in the code, as a
// call of a function value does.
func (x *Index) Branches() []stacks.Frame {
	frames := make([]stacks.Frame, len(x.tables.Branches))
	for i, id := range x.tables.Branches {
		frames[i] = x.frame(id)
	}
	return frames
}

// Frames returns the frames of all stacks, each once.
func (x *Index) Frames() []stacks.Frame {
	frames := make([]stacks.Frame, len(x.tables.Frames))
	for i := range x.tables.Frames {
		frames[i] = x.frame(uint32(i))
	}
	return frames
}

// Stacks returns the number of stacks; they are numbered from 1.
func (x *Index) Stacks() int { return len(x.tables.StackEnd) - 1 }

// Kinds returns all kinds, in the order in which they were first seen.
func (x *Index) Kinds() []Kind { return x.kinds }
