package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/whet-go/whet/examples/leak/fast"
	"github.com/whet-go/whet/examples/leak/slow"
)

type keeper interface {
	Add(event []byte) error
	Last(n int) [][]byte
	Len() int
}

// pair is one history of each version; both get the same calls.
type pair struct {
	slow slow.History
	fast fast.History
}

func (p *pair) add(t *testing.T, event []byte) {
	t.Helper()
	given := bytes.Clone(event)
	if got, want := fmt.Sprint(p.fast.Add(given)), fmt.Sprint(p.slow.Add(given)); got != want {
		t.Errorf("Add(%d bytes): fast says %q, slow says %q", len(event), got, want)
	}
	clear(given) // it is the caller's
}

func (p *pair) compare(t *testing.T, n int) {
	t.Helper()
	got, want := p.fast.Last(n), p.slow.Last(n)
	if len(got) != len(want) || (got == nil) != (want == nil) {
		t.Fatalf("Last(%d): fast has %d events, slow has %d", n, len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) || (got[i] == nil) != (want[i] == nil) {
			t.Fatalf("Last(%d)[%d]: fast %.40q, slow %.40q", n, i, got[i], want[i])
		}
		clear(got[i]) // they are the caller's
		clear(want[i])
	}
	if p.fast.Len() != p.slow.Len() {
		t.Fatalf("Len: fast %d, slow %d", p.fast.Len(), p.slow.Len())
	}
}

func TestSame(t *testing.T) {
	var p pair
	for _, n := range []int{-1, 0, 1, 10} {
		p.compare(t, n) // nothing there
	}
	for i, event := range []string{
		"first", "", "zweites Ereignis, käme spät", "\xff\xfe", string(make([]byte, slow.MaxEvent)),
		string(make([]byte, slow.MaxEvent+1)),
	} {
		p.add(t, []byte(event))
		for n := -1; n < i+3; n++ {
			p.compare(t, n)
		}
	}
	// Beyond the point at which fast begins to overwrite, and around the ring.
	for i := range 3*slow.MaxLast + 7 {
		p.add(t, fmt.Appendf(nil, "event %d", i))
		if i > slow.MaxLast-5 && i < slow.MaxLast+5 || i%251 == 0 {
			p.compare(t, 3)
			p.compare(t, slow.MaxLast)
			p.compare(t, slow.MaxLast+1)
		}
	}
	if slow.MaxLast != fast.MaxLast || slow.MaxEvent != fast.MaxEvent {
		t.Error("the versions have other limits")
	}
}

func TestSameRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var p pair
	for range 5000 {
		event := make([]byte, random.IntN(64))
		for i := range event {
			event[i] = byte(random.Uint32())
		}
		p.add(t, event)
		if random.IntN(50) == 0 {
			p.compare(t, random.IntN(1100)-50)
		}
	}
}

// FuzzSame reads lengths and events from data: two bytes are the length of the next event or, with
// the highest bit set, the number of events to request.
func FuzzSame(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x03abc\x80\x01\x00\x00\x80\x02"))
	f.Add([]byte("\x00\x04\xff\xfeé\x80\x09\x8f\xff"))
	f.Add(bytes.Repeat([]byte{0, 1, 'x', 0, 0}, 700))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p pair
		for len(data) >= 2 {
			n := int(binary.BigEndian.Uint16(data))
			data = data[2:]
			if n >= 1<<15 {
				p.compare(t, n-1<<15)
				continue
			}
			event := data[:min(n, len(data))]
			data = data[len(event):]
			p.add(t, event)
		}
		p.compare(t, slow.MaxLast)
	})
}

// TestConcurrent uses one history from several goroutines. Each event that it returns was added, is
// complete, and those of one goroutine are in order.
func TestConcurrent(t *testing.T) {
	for name, h := range map[string]keeper{"slow": new(slow.History), "fast": new(fast.History)} {
		t.Run(name, func(t *testing.T) {
			var group sync.WaitGroup
			for g := range 4 {
				group.Go(func() {
					for i := range 1000 {
						_ = h.Add(bytes.Repeat([]byte{byte(g), byte(i / 4)}, 1+i%30))
					}
				})
				group.Go(func() {
					for range 50 {
						var seen [4]byte
						for _, event := range h.Last(100) {
							if len(event) < 2 || !bytes.Equal(event, bytes.Repeat(event[:2], len(event)/2)) {
								t.Errorf("event %q is none that was added", event)
								return
							}
							if event[1] < seen[event[0]] {
								t.Errorf("goroutine %d's events come in another order", event[0])
								return
							}
							seen[event[0]] = event[1]
						}
					}
				})
			}
			group.Wait()
			if h.Len() != slow.MaxLast {
				t.Errorf("Len is %d, want %d", h.Len(), slow.MaxLast)
			}
		})
	}
}
