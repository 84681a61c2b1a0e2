package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime/trace"
	"testing"
)

// TestGiven records more texts than are kept: those of logs are all there, and the table is bounded.
func TestGiven(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	const logs = 20_000
	for n := range logs {
		trace.Log(t.Context(), "at", fmt.Sprint("message ", n))
	}
	for n := range maxGiven + 1000 {
		trace.StartRegion(t.Context(), fmt.Sprint("region ", n)).End()
	}
	trace.Stop()
	x := build(t, out.Bytes())
	n := 0
	if err := x.Records(Logs, 0, x.Info.Duration, func(r *Record) bool {
		if want := fmt.Sprint("message ", n); x.Name(r.Name) != "at" || r.Text != want {
			t.Errorf("%s: %q, want %q", x.Name(r.Name), r.Text, want)
		}
		n++
		return !t.Failed()
	}); err != nil || n != logs {
		t.Errorf("%d logs, %v", n, err)
	}
	regions, others := 0, 0
	if err := x.Records(Regions, 0, x.Info.Duration, func(r *Record) bool {
		regions++
		if x.Name(r.Name) == tooMany {
			others++
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if regions != maxGiven+1000 || others < 1000 || others > 1200 {
		t.Errorf("%d regions, %d of which share a name", regions, others)
	}
	if len(x.names) > maxGiven+2*len(x.frames)+100 {
		t.Errorf("%d names", len(x.names))
	}
}

// TestNames bounds the bytes of names, and keeps those of the program.
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
	want := map[uint32]recordPos{}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		g := r.Uint32N((maxPages + 100) * pageSize)
		if r.IntN(2) == 0 {
			g %= 10 * pageSize // where most end
		}
		at := recordPos(r.Uint64())
		if err := e.put(g, at); err != nil {
			t.Fatal(err)
		}
		want[g] = at
	}
	if len(e.loaded) != maxPages || s.end == 0 {
		t.Fatalf("%d pages are in memory", len(e.loaded))
	}
	var b bytes.Buffer
	out := &file{w: bufio.NewWriter(&b)}
	refs, err := e.write(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.w.Flush(); err != nil {
		t.Fatal(err)
	}
	for number, ref := range refs {
		page := b.Bytes()[ref.off : ref.off+int64(ref.len)]
		for i := range pageSize {
			if got := recordPos(binary.LittleEndian.Uint64(page[i*8:])); got != want[uint32(number*pageSize+i)] {
				t.Fatalf("page %d, position %d: %x, want %x", number, i, got, want[uint32(number*pageSize+i)])
			}
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

// TestPacked holds bytes of codes and processors against what they were made of.
func TestPacked(t *testing.T) {
	seen := map[byte]bool{}
	for c := range Code(maxCodes) {
		for with := range uint32(60) {
			b, whole := packed(c, with)
			gotCode, gotWith, gotWhole := unpacked(b)
			if gotCode != c || gotWhole != whole || whole && gotWith != with || whole && seen[b] {
				t.Fatalf("state %d of %d: %d, %v: state %d of %d, %v", c, with, b, whole, gotCode, gotWith, gotWhole)
			}
			if whole {
				seen[b] = true
			}
		}
	}
	if len(seen) != 2*packProcs {
		t.Errorf("%d bytes are of use", len(seen))
	}
}
