package profile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	gprofile "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// Pieces of the wire format.
func num(key int, x uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(key)<<3), x)
}

func msg(key int, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	b := binary.AppendUvarint(nil, uint64(key)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(body))), body...)
}

func packed(key int, xs ...uint64) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.AppendUvarint(b, x)
	}
	return msg(key, b)
}

func strs(ss ...string) []byte {
	var b []byte
	for _, s := range ss {
		b = append(b, msg(6, []byte(s))...)
	}
	return b
}

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

var (
	oneType = msg(1, num(1, 1), num(2, 2))
	table   = strs("", "samples", "count", "main.f", "f.go")
	oneFunc = msg(5, num(1, 1), num(2, 3), num(4, 4))
	oneLoc  = msg(4, num(1, 1), msg(4, num(1, 1), num(2, 7)))
)

func gz(tb testing.TB, b []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestReadMalformed(t *testing.T) {
	sample := msg(2, packed(1, 1), packed(2, 5))
	whole := cat(oneType, sample, oneLoc, oneFunc, table)
	if p := parsed(t, whole); p.NumSamples() != 1 || p.Value(0, 0) != 5 {
		t.Fatal("the well-formed one was not read")
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "empty input"},
		{"text", []byte("hello, this is not a profile at all"), "neither a protobuf profile nor"},
		{"html", []byte("<!DOCTYPE html>\n<html><body>404</body></html>"), "neither a protobuf profile nor"},
		{"no types", cat(msg(2, packed(1, 1), packed(2, 5)), oneLoc, oneFunc, table), "no sample types"},
		{"cut off", whole[:len(whole)-3], "truncated"},
		{"lying length", cat(whole, []byte{0x32, 0xff, 0xff, 0x03}), "truncated"},
		{"bad wire type", cat(whole, []byte{0x0f}), "at byte"},
		{"endless varint", cat(whole, bytes.Repeat([]byte{0x80}, 30)), "varint"},
		{"missing location", cat(oneType, msg(2, packed(1, 9), packed(2, 5)), oneLoc, oneFunc, table), "location 9"},
		{
			"missing location, big id", cat(oneType, msg(2, packed(1, 1<<60), packed(2, 5)), oneLoc, oneFunc, table),
			fmt.Sprint("location ", uint64(1<<60)),
		},
		{"location 0", cat(oneType, msg(2, packed(1, 0), packed(2, 5)), oneLoc, oneFunc, table), "reserved"},
		{"missing function", cat(oneType, sample, oneLoc, table), "function 1, which is missing"},
		{"two locations with one id", cat(oneType, sample, oneLoc, oneLoc, oneFunc, table), "two locations with id 1"},
		{"two functions with one id", cat(oneType, sample, oneLoc, oneFunc, oneFunc, table), "two functions with id 1"},
		{"function 0", cat(oneType, sample, oneLoc, msg(5, num(2, 3)), table), "reserved id 0"},
		{"missing string", cat(msg(1, num(1, 99)), table), "string 99 is missing"},
		{"negative string", cat(msg(1, num(1, 1<<63+5)), table), "is missing"},
		{"missing label string", cat(oneType, msg(2, packed(1, 1), packed(2, 5), msg(3, num(1, 77), num(3, 1))), oneLoc,
			oneFunc, table), "string 77 is missing"},
		{
			"two values for one type", cat(oneType, msg(2, packed(1, 1), packed(2, 5, 6)), oneLoc, oneFunc, table),
			"2 values for 1",
		},
		{
			"values differ", cat(oneType, sample, msg(2, packed(1, 1)), oneLoc, oneFunc, table),
			"0 values, the others have 1",
		},
		{"first string", cat(oneType, sample, oneLoc, oneFunc, strs("x", "y", "z", "a", "b")), "not empty"},
		{"two profiles", cat(whole, num(9, 1), num(9, 2)), "concatenated"},
		{"string as number", cat(whole, num(6, 3)), "wire type 0"},
		{"gzip cut off", gz(t, bytes.Repeat(whole[:8], 1000))[:20], "unexpected EOF"},
		{"gzip header cut off", []byte{0x1f, 0x8b, 8}, "gzip header"},
		{"huge count", cat(whole, []byte{0x12, 0xff, 0xff, 0xff, 0xff, 0x7f}), "claims"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := profile.Parse(c.data, profile.ReadOptions{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestReadTruncated cuts a real file everywhere: an error each time, no panic.
func TestReadTruncated(t *testing.T) {
	data := encoded(t, profiletest.Options{Samples: 60, Functions: 20, Labels: true, Inlines: true})
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := profile.Parse(data[:n], profile.ReadOptions{}); err == nil {
			t.Fatalf("no error for %d of %d compressed bytes", n, len(data))
		}
	}
	for n := range plain {
		_, err := profile.Parse(plain[:n], profile.ReadOptions{})
		_, theirs := gprofile.ParseData(plain[:n])
		if (err == nil) != (theirs == nil) {
			t.Fatalf("%d of %d bytes: error %v, pprof's %v", n, len(plain), err, theirs)
		}
	}
}

// TestReadIDs reads profiles whose ids are not 1, 2, 3, …
func TestReadIDs(t *testing.T) {
	for _, ids := range [][2]uint64{{1, 2}, {2, 1}, {7, 5}, {1 << 31, 1<<31 + 1}, {1<<64 - 1, 1 << 63}, {3, 1 << 40}} {
		data := cat(oneType,
			msg(2, packed(1, ids[0], ids[1]), packed(2, 5)),
			msg(2, num(1, ids[1]), num(2, 6)), // not packed
			msg(4, num(1, ids[0]), num(3, 0xa), msg(4, num(1, ids[1]))),
			msg(4, num(1, ids[1]), num(3, 0xb)),
			msg(5, num(1, ids[1]), num(2, 3)), table)
		p := parsed(t, data)
		addr := func(i, j int) uint64 { return p.Locations[p.AppendStack(nil, i)[j]].Address }
		if addr(0, 0) != 0xa || addr(0, 1) != 0xb || addr(1, 0) != 0xb || p.Value(1, 0) != 6 {
			t.Errorf("ids %v: read %x %x %x", ids, addr(0, 0), addr(0, 1), addr(1, 0))
		}
		if fn := p.Frames(p.AppendStack(nil, 0)[0])[0].Function; p.Functions[fn].Name != "main.f" {
			t.Errorf("ids %v: function %d", ids, fn)
		}
	}
}

// heapGrowth runs fn and returns how much it allocated in all, freed or not.
func heapGrowth(fn func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestReadHostile reads input that requests far more memory than its own size. The bound is eight
// times the limit: growing a column with append allocates five to six times its final size in
// total, and up to two and a half times at one moment.
func TestReadHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	head := cat(oneType, oneLoc, oneFunc, table)
	deep := append(binary.AppendUvarint([]byte{0x12}, 100<<20+2+5), 0x0a)
	deep = append(binary.AppendUvarint(deep, 100<<20), bytes.Repeat([]byte{1}, 100<<20)...)
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"bomb of empty strings", gz(t, cat(head, bytes.Repeat([]byte{0x32, 0}, 40<<20)))},
		{"bomb of samples", gz(t, cat(head, bytes.Repeat(msg(2, packed(1, 1), packed(2, 1)), 10<<20)))},
		{"bomb of locations", gz(t, cat(head, bytes.Repeat([]byte{0x22, 0}, 20<<20)))},
		{"bomb of functions", gz(t, cat(head, bytes.Repeat([]byte{0x2a, 0}, 20<<20)))},
		{"bomb of labels", gz(t,
			cat(head, msg(2, packed(1, 1), packed(2, 1), bytes.Repeat(msg(3, num(1, 1), num(3, 9)), 10<<20))))},
		{"bomb of types", gz(t, cat(bytes.Repeat(oneType, 10<<20), head))},
		{"one string", gz(t, cat(head, msg(6, make([]byte, 200<<20))))},
		{"a stack of 100 million frames", gz(t, cat(head, deep))},
		{"legacy text", gz(t, bytes.Repeat([]byte("heap profile: 1: 2 [3: 4] @ heapprofile\n"), 1<<20))},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := int64(profile.LimitBase + profile.LimitFactor*len(c.data))
			var err error
			grown := heapGrowth(func() { _, err = profile.Parse(c.data, profile.ReadOptions{}) })
			var le *profile.LimitError
			if !errors.As(err, &le) {
				t.Errorf("error %v, want a LimitError", err)
			} else if le.Hint() == "" {
				t.Error("no hint how to raise the limit")
			}
			if grown > 8*limit {
				t.Errorf("allocated %d MiB for %d kB of input; the limit is %d MiB", grown>>20, len(c.data)>>10, limit>>20)
			}
		})
	}
}

// TestReadDeep reads a stack of ten million frames when the limit allows it, and
// every view of it returns.
func TestReadDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const depth = 10_000_000
	ids := bytes.Repeat([]byte{1}, depth)
	data := gz(t, cat(oneType, msg(2, msg(1, ids), packed(2, 5)), oneLoc, oneFunc, table))
	p, err := profile.Parse(data, profile.ReadOptions{MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, p, profile.Query{})
	if ws := v.Nodes(false); len(ws) != 1 || ws[0].Flat != 5 || ws[0].Cum != 5 {
		t.Errorf("nodes %+v", ws)
	}
	if n := len(v.Tree(1000, false).Nodes); n != 1002 { // root and rest
		t.Errorf("%d tree nodes", n)
	}
	if n := len(v.Tree(0, true).Nodes); n != depth+1 {
		t.Errorf("%d tree nodes", n)
	}
	if g := v.Graph(nil); len(g.Edges) != 0 {
		t.Errorf("%d edges", len(g.Edges))
	}
}

// TestReadStreams reads through readers that return little at a time, or fail.
func TestReadStreams(t *testing.T) {
	data := encoded(t, profiletest.Options{Samples: 20_000})
	want := parsed(t, data)
	for name, r := range map[string]io.Reader{
		"one byte": iotest.OneByteReader(bytes.NewReader(data)),
		"data err": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		p, err := profile.Read(r, profile.ReadOptions{})
		if err != nil || p.NumSamples() != want.NumSamples() {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("the line is dead")
	r := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken))
	if _, err := profile.Read(r, profile.ReadOptions{}); !errors.Is(err, broken) {
		t.Errorf("error %v, want the reader's", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range corpus(f) {
		if len(data) < 40<<10 {
			f.Add(data)
		}
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if plain, err := io.ReadAll(z); err == nil && len(plain) < 40<<10 {
				f.Add(plain)
			}
		}
	}
	small := encoded(f, profiletest.Options{Samples: 10, Functions: 6, MaxDepth: 6, Labels: true, Inlines: true})
	z, err := gzip.NewReader(bytes.NewReader(small))
	if err != nil {
		f.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Add(cat(oneType, msg(2, packed(1, 1), packed(2, 5)), oneLoc, oneFunc, table))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := profile.Parse(data, profile.ReadOptions{MaxBytes: 64 << 20})
		if err != nil {
			return
		}
		for typ := range p.SampleTypes {
			v := view(t, p, profile.Query{Type: typ, By: profile.ByLine})
			v.Nodes(true)
			v.Graph(nil)
			v.Tree(50, typ%2 == 0)
			v.Own(profile.OwnMatcher(nil, nil))
		}
		// A profile can be written and read again without change.
		first := written(t, p)
		again, err := profile.Parse(first, profile.ReadOptions{MaxBytes: 256 << 20})
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		if !bytes.Equal(first, written(t, again)) {
			t.Fatal("a second round trip differs")
		}
	})
}

func FuzzTagFilter(f *testing.F) {
	for _, s := range []string{"endpoint=/v1", "bytes=64b:1kb", ":5ms", "1kb:", "a,b", "k=("} {
		f.Add(s)
	}
	p := profiletest.Generate(profiletest.Options{Samples: 50, Labels: true})
	f.Fuzz(func(t *testing.T, s string) {
		keep, err := p.View(profile.Query{TagFocus: s})
		if err != nil {
			return
		}
		drop := view(t, p, profile.Query{TagIgnore: s})
		if s != "" && keep.Samples()+drop.Samples() != p.NumSamples() {
			t.Fatalf("%q keeps %d and ignores to %d of %d", s, keep.Samples(), drop.Samples(), p.NumSamples())
		}
	})
}
