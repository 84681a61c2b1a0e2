package stacks

import (
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/exp/trace"
)

// TestLongNames keeps as much of a name as the runtime writes.
func TestLongNames(t *testing.T) {
	t.Parallel()
	table := New()
	long := strings.Repeat("x", 1<<20)
	id := table.Add(trace.MakeStack([]trace.StackFrame{{PC: 1, Func: long, File: long, Line: 7}}))
	if id == 0 || table.text != 2*maxName || len(table.frame[0].Func) != maxName || len(table.frame[0].File) != maxName {
		t.Errorf("stack %d with names of %d bytes", id, table.text)
	}
}

// TestFull fills a table with stacks.
func TestFull(t *testing.T) {
	t.Parallel()
	table := New()
	key := func(n int) []byte {
		k := make([]byte, 0, 40*4)
		for i := range 40 {
			k = binary.LittleEndian.AppendUint32(k, uint32(n>>(i%20)))
		}
		return k
	}
	n := 0
	for ; !table.Full(); n++ {
		if id := table.put(key(n)); id == 0 && !table.Full() {
			t.Fatalf("stack %d has no number", n)
		}
	}
	if n-1 != maxStackFrames/40 || table.Len() != n-1 {
		t.Errorf("%d stacks of 40 frames are in the table, %d were put into it", table.Len(), n)
	}
	if id := table.put(key(7)); id != 8 {
		t.Errorf("a stack that is in the full table has number %d", id)
	}
	if id := table.put(key(n + 1)); id != 0 {
		t.Errorf("a stack that is not has number %d", id)
	}
}
