package profile

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomStacks returns stacks of all widths, some empty, some longer than a piece, enough for
// several pieces.
func randomStacks() [][]uint32 {
	rnd := rand.New(rand.NewPCG(1, 2))
	stacks := make([][]uint32, 20_000)
	for i := range stacks {
		n := rnd.IntN(100)
		if i%5000 == 77 {
			n = 1 << pieceBits
		}
		bits := rnd.IntN(33)
		stacks[i] = make([]uint32, n)
		for j := range stacks[i] {
			stacks[i][j] = uint32(rnd.Uint64N(1 << bits))
		}
	}
	return stacks
}

func putAll(s *stackPieces, stacks [][]uint32) []stackRef {
	refs := make([]stackRef, len(stacks))
	for i, stack := range stacks {
		if i%3 == 0 {
			s.put([]uint32{1, 2, 3}, 3) // not kept
		}
		refs[i] = s.put(stack, largest(stack))
		s.keep(refs[i])
	}
	return refs
}

func largest(stack []uint32) uint32 {
	if len(stack) == 0 {
		return 0
	}
	return slices.Max(stack)
}

func TestStacks(t *testing.T) {
	var s stackPieces
	want := randomStacks()
	refs := putAll(&s, want)
	size := 0
	for i, stack := range want {
		got := s.stack(refs[i])
		if all := got.appendTo([]uint32{7}); all[0] != 7 || !slices.Equal(all[1:], stack) {
			t.Fatalf("stack %d: %d locations, want %d, or others", i, got.depth, len(stack))
		}
		for j := 0; j < len(stack); j += 1 + 2*j {
			if got.at(j) != stack[j] {
				t.Fatalf("stack %d at %d: %d, want %d", i, j, got.at(j), stack[j])
			}
			if cut := s.stack(refs[i].from(j)).appendTo(nil); !slices.Equal(cut, stack[j:]) {
				t.Fatalf("stack %d from %d: wrong", i, j)
			}
			if cut := s.stack(refs[i].upTo(j)).appendTo(nil); !slices.Equal(cut, stack[:j]) {
				t.Fatalf("stack %d up to %d: wrong", i, j)
			}
		}
		if n := s.stack(refs[i].from(len(stack))).depth; n != 0 {
			t.Fatalf("stack %d cut off whole has %d locations", i, n)
		}
		size += len(stack) * refs[i].width()
		if w := refs[i].width(); w > 1 && uint64(largest(stack)) < 1<<(8*(w-1)) {
			t.Fatalf("stack %d: width %d for %d", i, w, largest(stack))
		}
	}
	if s.size > size+size/4+firstPiece {
		t.Errorf("%d bytes in pieces for %d of stacks", s.size, size)
	}
}

// TestWalk walks stacks from both ends.
func TestWalk(t *testing.T) {
	var s stackPieces
	want := randomStacks()
	for i, r := range putAll(&s, want) {
		for _, bottomUp := range []bool{false, true} {
			stack := slices.Clone(want[i])
			if !bottomUp {
				slices.Reverse(stack)
			}
			w := walker{stack: r}
			for j, loc := range stack {
				if got := w.location(&s, bottomUp); got != loc {
					t.Fatalf("stack %d, bottomUp=%v, step %d: %d, want %d", i, bottomUp, j, got, loc)
				}
				w.walk(bottomUp)
			}
			if w.stack.depth() != 0 {
				t.Fatalf("stack %d, bottomUp=%v: %d locations left", i, bottomUp, w.stack.depth())
			}
		}
	}
}

// TestEqualStacksAreEqualBytes checks the assumption by which equal samples are found.
func TestEqualStacksAreEqualBytes(t *testing.T) {
	var s stackPieces
	stacks := randomStacks()
	first, second := putAll(&s, stacks), putAll(&s, stacks)
	packed := func(r stackRef) []byte { return s.bytes(r)[:r.depth()*r.width()] }
	for i, a := range first {
		if b := second[i]; a.form() != b.form() || a == b || !bytes.Equal(packed(a), packed(b)) {
			t.Fatalf("stack %d differs from its copy", i)
		}
	}
}

func TestRewriteStacks(t *testing.T) {
	var s stackPieces
	stacks := randomStacks()
	refs := putAll(&s, stacks)
	if err := s.rewrite(refs, func(i int, ids []uint32) error {
		if !slices.Equal(ids, stacks[i]) {
			t.Fatalf("stack %d is not what was put", i)
		}
		for j := range ids {
			ids[j] = ^ids[j] >> (i % 32)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, stack := range stacks {
		got := s.stack(refs[i]).appendTo(nil)
		if len(got) != len(stack) {
			t.Fatalf("stack %d has %d locations, want %d", i, len(got), len(stack))
		}
		for j, id := range stack {
			if got[j] != ^id>>(i%32) {
				t.Fatalf("stack %d at %d: %d", i, j, got[j])
			}
		}
	}
	broken := errors.New("broken")
	if err := s.rewrite(refs, func(int, []uint32) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want the one of edit", err)
	}
}

func TestStackTooDeep(t *testing.T) {
	b := NewBuilder(ValueType{"cpu", "nanoseconds"})
	if err := b.Sample(make([]uint32, maxDepth+1), nil, 1); err == nil {
		t.Error("no error")
	}
}
