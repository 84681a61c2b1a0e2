package symbols

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/whet-go/whet/profile"
)

// TestHashes are the same for a library that is loaded elsewhere, and differ for anything else.
func TestHashes(t *testing.T) {
	hash := func(start uint64, file string, address uint64, line int32) uint64 {
		b := profile.NewBuilder(profile.ValueType{Type: "n", Unit: "count"})
		m := b.Mapping(profile.Mapping{Start: start, Limit: start + 0x3456, File: file})
		f := b.Function(profile.Function{Name: "f", File: "f.go"})
		loc := b.Location(start+address, m, false, profile.Line{Function: f, Line: line})
		if err := b.Sample([]uint32{loc}, nil, 1); err != nil {
			t.Fatal(err)
		}
		d := NewCache(1 << 20).Of(Scope{})
		return d.stacks[d.Add(b.Profile(nil))[0]]
	}
	one := hash(0x1000, "a", 8, 1)
	if hash(0x7000, "a", 8, 1) != one {
		t.Error("the hash depends on where a library is loaded")
	}
	for _, other := range []uint64{hash(0x1000, "b", 8, 1), hash(0x1000, "a", 9, 1), hash(0x1000, "a", 8, 2)} {
		if other == one {
			t.Error("different stacks have equal hashes")
		}
	}
	if one != 0x3d89a2de8bb36525 { // stored stacks are found by it
		t.Errorf("hash %#x, which stores do not have", one)
	}
}

// TestDictionariesAreBounded forgets others, and those that are too large.
func TestDictionariesAreBounded(t *testing.T) {
	c := NewCache(100)
	grow := func(service string, size int64) {
		k := Scope{"", service}
		c.Of(k)
		c.Grown(k, size)
	}
	for _, service := range []string{"a", "b", "a", "c"} {
		grow(service, 40)
	}
	if len(c.known) != 2 || !c.Has(Scope{"", "c"}) || c.size != 80 {
		t.Errorf("%d dictionaries of %d bytes: %v", len(c.known), c.size, c.known)
	}
	grow("c", 90)
	if len(c.known) != 1 || c.size != 90 {
		t.Errorf("%d dictionaries of %d bytes: %v", len(c.known), c.size, c.known)
	}
	c.Grown(Scope{"", "gone"}, 1000)
	grow("large", 101)
	if len(c.known) != 1 || !c.Has(Scope{"", "c"}) || c.size != 90 {
		t.Errorf("%d dictionaries of %d bytes: %v", len(c.known), c.size, c.known)
	}
}

// TestQueriesInTurn has dictionaries of which most fit: when each is used in turn, most are still there.
func TestQueriesInTurn(t *testing.T) {
	c := NewCache(90)
	const turns = 200
	found := 0
	for range turns {
		for _, service := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
			k := Scope{"", service}
			if c.Has(k) {
				found++
			}
			c.Of(k)
			c.Grown(k, 10)
		}
	}
	if found < turns*10*6/10 {
		t.Errorf("%d of %d were there", found, turns*10)
	}
}

// BenchmarkLearn reads 50 000 stacks of 25 frames of 5000.
func BenchmarkLearn(b *testing.B) {
	const stacks, frames, depth = 50_000, 5000, 25
	build := profile.NewBuilder(profile.ValueType{Type: "n", Unit: "count"})
	m := build.Mapping(profile.Mapping{Start: 0x1000, Limit: 0x100000, File: "program"})
	locs := make([]uint32, frames)
	for i := range locs {
		f := build.Function(profile.Function{Name: fmt.Sprint("example.com/service/pkg.Function", i), File: "file.go"})
		locs[i] = build.Location(0x1000+uint64(i), m, false, profile.Line{Function: f, Line: int32(i)})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range stacks {
		stack := make([]uint32, depth)
		for i := range stack {
			stack[i] = locs[r.IntN(frames)]
		}
		if err := build.Sample(stack, nil, 1); err != nil {
			b.Fatal(err)
		}
	}
	from := NewCache(1 << 40).Of(Scope{})
	numbers := from.Add(build.Profile(nil))
	rows, texts := map[uint64]Frame{}, map[uint64]string{}
	for _, n := range numbers {
		text, more, ok := from.Unstored(n, 1, nil)
		if !ok {
			b.Fatal("a stack twice")
		}
		texts[from.Hash(n)] = text
		for _, row := range more {
			rows[row.ID] = row.Frame
		}
	}
	for b.Loop() {
		d := NewCache(1 << 40).Of(Scope{})
		read, err := d.Read(texts)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(read.Unknown()); n != frames {
			b.Fatal(n)
		}
		if err := read.Learn(rows); err != nil {
			b.Fatal(err)
		}
	}
}
