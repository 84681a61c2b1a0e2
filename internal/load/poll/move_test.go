//go:build linux

package poll

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMove repeatedly moves connections between the two kinds of Poller while requests and long
// streams are in progress, and checks that every byte comes back in order.
func TestMove(t *testing.T) {
	const n, streams, moves = 40, 20, 200
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ring, err := IOUring(n)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ready, err := Epoll(n)
	if err != nil {
		t.Fatal(err)
	}
	from, to := ring, ready
	defer func() {
		if err := errors.Join(ring.Close(), ready.Close()); err != nil {
			t.Error(err)
		}
	}()
	s := newSeen()
	s.connectAll(t, from, n, listen(t, echo))

	random := rand.New(rand.NewPCG(1, 1))
	sent := make([][]byte, n)
	asked := make([]bool, n) // requests to send while connections do not move
	next := func(slot int) {
		size := 20
		if slot < streams {
			size = 1 + random.IntN(300_000)
		}
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		sent[slot] = append(sent[slot], b...)
		if slot < streams {
			from.Write(slot, b)
		} else {
			from.Send(slot, b)
		}
	}
	s.on = func(slot int, _ []byte) {
		if len(s.received[slot]) == len(sent[slot]) {
			asked[slot] = true
		}
	}
	for slot := range n {
		next(slot)
	}
	answers, moved := 0, 0
	for last := time.Now(); moved < moves; {
		if time.Since(last) > 2*time.Minute {
			t.Fatalf("no move in the two minutes after %d, with %d answers", moved, answers)
		}
		if err := from.Wait(10*time.Millisecond, 1, 0, s); err != nil {
			t.Fatal(err)
		}
		for slot := range n {
			if asked[slot] {
				if !bytes.Equal(s.received[slot], sent[slot]) {
					t.Fatalf("slot %d: other bytes come back after %d moves", slot, moved)
				}
				asked[slot], s.received[slot], sent[slot] = false, nil, nil
				answers++
				next(slot)
			}
		}
		ok, lost, err := Move(from, to, s)
		if err != nil || len(lost) > 0 {
			t.Fatalf("move %d: lost %v, %v", moved, lost, err)
		}
		if ok {
			from, to = to, from
			moved, last = moved+1, time.Now()
		}
	}
	if len(s.ended) > 0 || answers < moves {
		t.Errorf("%d answers, ended %v", answers, s.ended)
	}
}

// TestMoveNotNow checks that Move refuses while a connection is being opened, without any change.
func TestMoveNotNow(t *testing.T) {
	each(t, 2, func(t *testing.T, p Poller) {
		s := newSeen()
		to := listen(t, echo)
		if err := p.Connect(0, to); err != nil {
			t.Fatal(err)
		}
		other, err := Epoll(2)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = other.Close() }()
		if ok, lost, err := Move(p, other, s); ok || len(lost) > 0 || err != nil {
			t.Fatalf("moved %v, lost %v, %v", ok, lost, err)
		}
		s.until(t, p, "connect", func() bool { return len(s.connected) == 1 })
		p.Send(0, []byte("x"))
		s.until(t, p, "answer", func() bool { return string(s.received[0]) == "x" })
		if ok, lost, err := Move(p, other, s); !ok || len(lost) > 0 || err != nil {
			t.Fatalf("moved %v, lost %v, %v", ok, lost, err)
		}
		other.Send(0, []byte("y"))
		s.until(t, other, "answer", func() bool { return string(s.received[0]) == "xy" })
	})
}
