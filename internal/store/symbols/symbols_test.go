package symbols

import (
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

// TestDictionariesAreBounded forgets the dictionaries that were used least recently.
func TestDictionariesAreBounded(t *testing.T) {
	c := NewCache(100)
	for _, service := range []string{"a", "b", "a", "c"} {
		k := Scope{"", service}
		c.Of(k)
		c.Grown(k, 40)
	}
	if len(c.known) != 2 || c.known[Scope{"", "b"}] != nil || c.size != 80 {
		t.Errorf("%d dictionaries of %d bytes: %v", len(c.known), c.size, c.known)
	}
	c.Grown(Scope{"", "gone"}, 1000)
	c.Grown(Scope{"", "c"}, 1000)
	if len(c.known) != 0 || c.size != 0 {
		t.Errorf("%d dictionaries of %d bytes", len(c.known), c.size)
	}
}
