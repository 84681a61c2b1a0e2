package http2

import (
	"errors"
	"testing"
)

// TestNoFlood checks that servers whose many frames all serve a purpose do not count as flooding.
func TestNoFlood(t *testing.T) {
	for _, test := range []struct {
		name string
		body int
		// answer writes what the server sends for one request.
		answer func(p *peer, id uint32, body int)
	}{
		{"a PING and window updates with each answer", 0, func(p *peer, id uint32, _ int) {
			_ = p.WritePing(false, [8]byte{})
			_ = p.WriteWindowUpdate(0, 1)
			_ = p.WriteWindowUpdate(id, 1)
			_ = p.WriteSettings()
			p.head(id, false, ":status", "200")
			p.data(id, false, 1)
			p.data(id, true, 0)
		}},
		{"a window update for each byte of a body", 5000, func(p *peer, id uint32, body int) {
			for range body {
				_ = p.WriteWindowUpdate(0, 1)
				_ = p.WriteWindowUpdate(id, 1)
			}
			p.head(id, true, ":status", "200")
		}},
		{"answers byte by byte, with a PING for each", 0, func(p *peer, id uint32, _ int) {
			p.head(id, false, ":status", "200")
			for range 500 {
				p.data(id, false, 1)
				_ = p.WritePing(false, [8]byte{})
			}
			p.data(id, true, 0)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			p := newPeer()
			_ = p.WriteSettings()
			var q Request
			r := *checkRequests[0]
			r.Body = make([]byte, test.body)
			NewEncoder().Encode(&q, &r)
			out, err := c.Parse(nil, p.buf.Bytes(), nil)
			answers := 0
			done := func(_, status int, _ int64, err error) {
				if err != nil || status != 200 {
					t.Errorf("%d, %v", status, err)
				}
				answers++
			}
			for i := 0; i < 2000 && err == nil; i++ {
				id := c.next
				if out, err = c.Send(out[:0], 0, &q); err != nil {
					break
				}
				p.buf.Reset()
				test.answer(p, id, test.body)
				c.Drained()
				out, err = c.Parse(out[:0], p.buf.Bytes(), done)
			}
			if err != nil || answers != 2000 {
				t.Errorf("%d answers, %v", answers, err)
			}
		})
	}
}

// TestFloodLimits checks after how many frames of each kind a connection is dropped.
func TestFloodLimits(t *testing.T) {
	for _, test := range []struct {
		name    string
		drained bool
		write   func(p *peer)
		most    int
	}{
		{"PING that is answered in vain", false, func(p *peer) { _ = p.WritePing(false, [8]byte{}) }, maxUnread},
		{"PING", true, func(p *peer) { _ = p.WritePing(false, [8]byte{}) }, maxIdle},
		{"window updates without a body", true, func(p *peer) { _ = p.WriteWindowUpdate(0, 1) }, maxIdle},
		{"answers to SETTINGS", true, func(p *peer) { _ = p.WriteSettingsAck() }, maxIdle},
	} {
		c := New(Options{})
		p := newPeer()
		_ = p.WriteSettings()
		_, err := c.Parse(nil, p.buf.Bytes(), nil)
		p.buf.Reset()
		test.write(p)
		n := 0
		for ; err == nil && n < 2*maxIdle; n++ {
			if test.drained {
				c.Drained()
			}
			_, err = c.Parse(nil, p.buf.Bytes(), nil)
		}
		var ce *ConnError
		if !errors.As(err, &ce) || !ce.Flood || ce.Code != enhanceYourCalm || n < test.most-1 || n > test.most+1 {
			t.Errorf("%s: %v after %d frames, want a flood after %d", test.name, err, n, test.most)
		}
	}
}
