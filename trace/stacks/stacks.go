package stacks

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/goruntime"
)

// The stack table is bounded, to about 150 MB. Programs have thousands of distinct stacks; one that
// generates code may have more.
const (
	maxStacks      = 1 << 18
	maxStackFrames = 8 << 20  // of all stacks
	maxFrames      = 1 << 18  // distinct
	maxText        = 32 << 20 // bytes of these
)

// maxName is how many bytes of a name are kept: as many as the runtime writes. Traces from before
// Go 1.22 may have more.
const maxName = 1 << 10

// Name returns s, truncated to the length of a name that a Table keeps.
func Name(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.Clone(s[:maxName])
}

// A Frame is one call on a stack.
type Frame struct {
	Func string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Table interns stacks across generations. ID 0 means no stack. A Table is not safe for
// concurrent use.
type Table struct {
	frame  []Frame
	byName map[Frame]uint32
	all    []uint32 // frames of all stacks, leaf first
	end    []uint32 // end[i] is the end of stack i+1 in all
	byKey  map[string]uint32
	text   int // bytes of the frames
	// callees has the frame called at a return address, the first one that was seen.
	callees map[uint64]uint32
	// branches are frames that call different functions from one return address.
	branches map[uint32]struct{}
	key      []byte
	full     bool
}

// New returns an empty table.
func New() *Table {
	return &Table{
		byName: map[Frame]uint32{}, byKey: map[string]uint32{}, callees: map[uint64]uint32{}, branches: map[uint32]struct{}{},
	}
}

// Add interns a stack and returns its ID, which is 0 if the stack is empty or the table is full.
// The runtime writes some empty stacks as one frame at address 0.
func (t *Table) Add(s trace.Stack) uint32 {
	t.key = t.key[:0]
	empty := true
	last := uint32(0)
	for f := range s.Frames() {
		empty = empty && f.PC == 0
		fr := Frame{Func: Name(f.Func), File: Name(f.File), Line: int(f.Line)}
		id, ok := t.byName[fr]
		if !ok {
			t.text += len(fr.Func) + len(fr.File)
			if len(t.frame) >= maxFrames || t.text > maxText {
				t.full = true
				return 0
			}
			id = uint32(len(t.frame))
			t.frame = append(t.frame, fr)
			t.byName[fr] = id
		}
		if len(t.key) > 0 {
			t.call(id, f.PC, last)
		}
		last = id
		t.key = binary.LittleEndian.AppendUint32(t.key, id)
	}
	if empty {
		return 0
	}
	return t.put(t.key)
}

// call records that a frame calls another, and returns to an address. Frames that the runtime adds
// to a stack are not called there.
func (t *Table) call(caller uint32, pc uint64, callee uint32) {
	name := t.frame[callee].Func
	if pc == 0 || goruntime.In(name) {
		return
	}
	known, ok := t.callees[pc]
	switch {
	case ok && t.frame[known].Func != name:
		t.branches[caller] = struct{}{}
	case !ok && len(t.callees) < maxFrames:
		t.callees[pc] = callee
	}
}

// Branches returns the frames, as indexes into those of All, whose line calls different functions
// from one place in the code, as a call of a function value or of an interface method does. Two
// calls in one line do not count.
func (t *Table) Branches() []uint32 { return slices.Sorted(maps.Keys(t.branches)) }

func (t *Table) put(key []byte) uint32 {
	if len(key) == 0 {
		return 0
	}
	if id, ok := t.byKey[string(key)]; ok {
		return id
	}
	if len(t.end) >= maxStacks || len(t.all)+len(key)/4 > maxStackFrames {
		t.full = true
		return 0
	}
	for i := 0; i < len(key); i += 4 {
		t.all = append(t.all, binary.LittleEndian.Uint32(key[i:]))
	}
	t.end = append(t.end, uint32(len(t.all)))
	id := uint32(len(t.end))
	t.byKey[string(key)] = id
	return id
}

func (t *Table) ids(stack uint32) []uint32 {
	if stack == 0 {
		return nil
	}
	var start uint32
	if stack > 1 {
		start = t.end[stack-2]
	}
	return t.all[start:t.end[stack-1]]
}

// Frames returns the frames of the stack with the given ID, leaf first; none for 0.
func (t *Table) Frames(stack uint32) []Frame {
	ids := t.ids(stack)
	if len(ids) == 0 {
		return nil
	}
	fs := make([]Frame, len(ids))
	for i, id := range ids {
		fs[i] = t.frame[id]
	}
	return fs
}

// Root returns the ID of the stack that has only the outermost frame of the given stack.
func (t *Table) Root(stack uint32) uint32 {
	ids := t.ids(stack)
	return t.one(ids, len(ids)-1)
}

func (t *Table) one(ids []uint32, i int) uint32 {
	if len(ids) == 0 {
		return 0
	}
	t.key = binary.LittleEndian.AppendUint32(t.key[:0], ids[i])
	return t.put(slices.Clone(t.key))
}

// Full reports whether stacks were left out because there were too many.
func (t *Table) Full() bool { return t.full }

// Len returns the number of stacks.
func (t *Table) Len() int { return len(t.end) }

// All returns the frames of all stacks, each once, and for each stack, from ID 1 on, the indexes of
// its frames, leaf first. The caller must not modify them.
func (t *Table) All() ([]Frame, iter.Seq[[]uint32]) {
	return t.frame, func(yield func([]uint32) bool) {
		for id := range t.end {
			if !yield(t.ids(uint32(id) + 1)) {
				return
			}
		}
	}
}
