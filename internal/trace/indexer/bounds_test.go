package indexer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/trace/indexfile"
)

// TestNames checks the limit on the bytes of names, and that the program's names are kept.
func TestNames(t *testing.T) {
	n := newNames()
	long := string(make([]byte, 1000))
	for i := range 2 * maxGivenBytes / 1000 {
		n.user(fmt.Sprint(i, long))
	}
	if n.bytes > maxGivenBytes || n.all[n.user("one more"+long)] != tooMany {
		t.Errorf("%d bytes of names", n.bytes)
	}
	if id := n.of("main.main"); n.all[id] != "main.main" || n.user("main.main") != id {
		t.Error("a function has lost its name")
	}
}

// TestPages keeps positions in more pages than are in memory.
func TestPages(t *testing.T) {
	s := &spill{dir: t.TempDir(), name: "*.partial"}
	e := &ended{spill: s}
	want := map[uint32]indexfile.Pos{}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		g := r.Uint32N((maxPages + 100) * indexfile.PageSize)
		if r.IntN(2) == 0 {
			g %= 10 * indexfile.PageSize // most end there
		}
		at := indexfile.Pos(r.Uint64())
		if err := e.put(g, at); err != nil {
			t.Fatal(err)
		}
		want[g] = at
	}
	if len(e.loaded) != maxPages || s.end == 0 {
		t.Fatalf("%d pages are in memory", len(e.loaded))
	}
	var b bytes.Buffer
	out, err := indexfile.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	tables := indexfile.Tables{StackEnd: []uint32{0}}
	if tables.Pages, err = e.write(out); err != nil {
		t.Fatal(err)
	}
	if err := out.End(nil); err != nil {
		t.Fatal(err)
	}
	file := bytes.NewReader(b.Bytes())
	for g := range uint32(len(tables.Pages) * indexfile.PageSize) {
		if got, err := tables.ReadPos(file, g); err != nil || got != want[g] {
			t.Fatalf("goroutine %d: %x, %v, want %x", g, got, err, want[g])
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestChains grows several lists at once.
func TestChains(t *testing.T) {
	s := &spill{dir: t.TempDir(), name: "*.partial"}
	r := rand.New(rand.NewPCG(9, 10))
	var chains [5]chain
	var want [5][]byte
	for range 20_000 {
		n := min(r.IntN(5), r.IntN(5))
		b := byte(r.Uint32())
		chains[n].rest = append(chains[n].rest, b)
		want[n] = append(want[n], b)
		if err := chains[n].grown(s); err != nil {
			t.Fatal(err)
		}
		if len(chains[n].rest) > link {
			t.Fatalf("%d bytes in memory", len(chains[n].rest))
		}
	}
	for n := range chains {
		got, err := chains[n].appendTo([]byte("before"), s)
		if err != nil {
			t.Fatal(err)
		}
		if whole := append(binary.AppendUvarint([]byte("before"), uint64(len(want[n]))),
			want[n]...); !bytes.Equal(got, whole) {
			t.Errorf("chain %d: %d bytes, want %d", n, len(got), len(whole))
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestLimit checks limits that would take too long to reach in a test.
func TestLimit(t *testing.T) {
	t.Parallel()
	b, err := newBuilder(nil)
	if err != nil {
		t.Fatal(err)
	}
	b.memory = 1 << 20
	b.limit()
	if b.info.Damage != "" {
		t.Error(b.info.Damage)
	}
	b.regions = maxOpen + 1
	if b.limit(); !strings.Contains(b.info.Damage, "regions have not ended") {
		t.Errorf("damage %q", b.info.Damage)
	}
}
