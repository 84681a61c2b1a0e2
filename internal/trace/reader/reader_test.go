package reader

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/diag"
)

// batchOf returns a batch of a trace.
func batchOf(gen, thread, time uint64, body ...byte) []byte {
	b := []byte{evEventBatch}
	for _, v := range []uint64{gen, thread, time, uint64(len(body))} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, body...)
}

const head122 = "go 1.22 trace\x00\x00\x00"

// TestGuard checks limits that would take too long to reach in a test.
func TestGuard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		g    guard
		want string
	}{
		{guard{bytes: maxGeneration}, "bytes"},
		{guard{tables: maxTables}, "bytes of strings and stacks"},
		{guard{batches: maxBatches}, "batches"},
	} {
		g := &test.g
		g.r, g.gen, g.threads = bufio.NewReader(bytes.NewReader(batchOf(7, 1, 1, evStacks))), 7, map[uint64]uint64{}
		_, err := g.Read(make([]byte, 100))
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%v, want one about %s", err, test.want)
		}
		g.r = bufio.NewReader(bytes.NewReader(batchOf(8, 1, 1, evStacks)))
		g.err = nil
		if n, err := g.Read(make([]byte, 100)); err != nil || n != 6 {
			t.Errorf("the next generation: %d bytes, %v", n, err)
		}
	}
}

// read reads a whole trace.
func read(t *testing.T, data []byte) (n int, err error) {
	t.Helper()
	r, err := Open(t.Context(), bytes.NewReader(data))
	for ; err == nil; n++ {
		_, err = r.ReadEvent()
	}
	return n, err
}

// TestFill compares both ways of reading, on traces of all versions.
func TestFill(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../testdata/*.trace")
	if err != nil || len(names) < 10 {
		t.Fatalf("traces %v, %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := read(t, data)
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := Open(t.Context(), bytes.NewReader(data))
		filled, called := 1, 0 // the read of the end counts
		for err == nil {
			k := 0
			k, err = r.Fill(make([]trace.Event, 100), func(*trace.Event) { called++ })
			filled += k
		}
		if filled != n || called != n-1 || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %d events, then %v, want %d", name, filled, err, n)
		}
	}
}

// TestMany reads traces that exceed the limits of what the reader may keep.
func TestMany(t *testing.T) {
	t.Parallel()
	const procStatus, goStatus, frequency = 13, 25, 8
	for _, test := range []struct {
		name  string
		event func(b []byte, id uint64) []byte
		n     uint64
		want  string
	}{
		{"goroutines", func(b []byte, id uint64) []byte {
			return append(binary.AppendUvarint(append(b, goStatus, 0), id+10),
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 4)
		}, MaxAlive + 10, "goroutines are alive"},
		{"processors", func(b []byte, id uint64) []byte {
			return append(binary.AppendUvarint(append(b, procStatus, 0), id+10), 2)
		}, MaxProcs + 10, "processors are known"},
	} {
		data := []byte(head122)
		body := []byte{procStatus, 1, 0, 1, goStatus, 1, 1, 0, 2}
		for id := range test.n {
			body = test.event(body, id)
			if len(body) > 60_000 {
				data, body = append(data, batchOf(1, 0, 1, body...)...), nil
			}
		}
		data = append(data, batchOf(1, 0, 1, body...)...)
		data = append(data, batchOf(1, 1<<64-1, 1, binary.AppendUvarint([]byte{frequency}, 1e9)...)...)
		n, err := read(t, data)
		if e := (*diag.Error)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d events, %v, want one about %q", test.name, n, err, test.want)
		}
	}
}
