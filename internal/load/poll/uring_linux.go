package poll

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uring is a Poller over io_uring. Each connection has one receive operation that lasts for its
// life (multishot) and takes buffers from the shared ring.
type uring struct {
	r     *ring
	slots []uringSlot
	// rearm are slots whose receive operation has ended although the connection has not, as it does
	// when no buffer is free.
	rearm []endedSlot
	// leaving is set while receive operations are being canceled: none is begun.
	leaving bool
	err     error // of a submission; returned by the next Wait
}

type uringSlot struct {
	fd         int32 // -1: free
	generation uint32
	connecting bool
	armed      bool   // its receive operation is in progress
	busy       int    // bytes of a tracked send in progress
	sends      uint32 // with Send
	pending    []byte // being sent, by Write
	more       []byte // to be sent after pending
}

// Kinds of operations, in the top byte of the user data. The generation follows in 24 bits, then
// the slot.
const (
	forReceive = iota
	forConnect
	forSend        // success is not reported
	forTrackedSend // success is reported
	forCancel      // of a receive operation
)

const generationMask = 1<<24 - 1

// untracked is the largest Send whose success is not reported: a socket takes that much at once
// when no other send is in progress.
const untracked = 16 << 10

// trackedEach is the interval, in small sends, at which one is tracked anyway: if a peer answered
// without reading, sends would accumulate in the kernel.
const trackedEach = 256

func userData(what, slot int, generation uint32) uint64 {
	return uint64(what)<<56 | uint64(generation&generationMask)<<32 | uint64(uint32(slot))
}

// IOUring returns a Poller over io_uring. It returns an error if the kernel is older than 6.1 or
// does not allow io_uring.
func IOUring(slots int) (Poller, error) {
	r, err := newRing(slots)
	if err != nil {
		return nil, err
	}
	p := &uring{r: r, slots: make([]uringSlot, slots)}
	for i := range p.slots {
		p.slots[i].fd = -1
	}
	return p, nil
}

// prepare returns an operation on a slot to fill in; nil when the ring is broken.
func (p *uring) prepare(what, slot int) *sqe {
	s, err := p.r.next()
	if err != nil {
		p.err = err
		return &sqe{}
	}
	s.fd, s.flags = int32(slot), sqeFixedFile
	s.userData = userData(what, slot, p.slots[slot].generation)
	return s
}

func (p *uring) Connect(slot int, to Address) error {
	fd, err := to.open()
	if err != nil {
		return err
	}
	if err := p.add(slot, fd); err != nil {
		return err
	}
	s := p.prepare(forConnect, slot)
	p.slots[slot].connecting = true
	s.op, s.opFlag = opPollAdd, unix.POLLOUT|unix.POLLERR|unix.POLLHUP
	return nil
}

func (p *uring) Adopt(slot, fd int) error {
	if err := p.add(slot, fd); err != nil {
		return err
	}
	p.receive(slot)
	return nil
}

func (p *uring) add(slot, fd int) error {
	if err := p.r.setFile(slot, fd); err != nil {
		_ = unix.Close(fd)
		return err
	}
	s := &p.slots[slot]
	s.fd = int32(fd)
	s.generation++
	return nil
}

func (p *uring) receive(slot int) {
	p.slots[slot].armed = true
	s := p.prepare(forReceive, slot)
	s.op, s.flags, s.ioprio = opRecv, s.flags|sqeBufferSelect, recvMultishot|recvPollFirst
}

func (p *uring) Send(slot int, b []byte) {
	s := &p.slots[slot]
	if s.sends++; len(b) <= untracked && s.sends%trackedEach != 0 {
		p.send(forSend, slot, b)
		return
	}
	s.busy = len(b)
	p.send(forTrackedSend, slot, b)
}

func (p *uring) Write(slot int, b []byte) {
	s := &p.slots[slot]
	if s.busy > 0 {
		s.more = append(s.more, b...)
		return
	}
	s.busy = len(b)
	s.pending = append(s.pending[:0], b...)
	p.send(forTrackedSend, slot, s.pending)
}

func (p *uring) send(what, slot int, b []byte) {
	if len(b) == 0 {
		return
	}
	s := p.prepare(what, slot)
	s.op, s.addr, s.len = opSend, uint64(uintptr(unsafe.Pointer(&b[0]))), uint32(len(b))
	s.opFlag = unix.MSG_NOSIGNAL | unix.MSG_WAITALL
	if what == forSend {
		s.flags |= sqeSkipSuccess
	}
}

func (p *uring) Unsent(slot int) int { return p.slots[slot].busy + len(p.slots[slot].more) }

func (p *uring) Disconnect(slot int) {
	s := &p.slots[slot]
	if s.fd < 0 {
		return
	}
	p.r.drop(slot)
	// Ends the operations in progress; they keep the socket alive.
	_ = unix.Shutdown(int(s.fd), unix.SHUT_RDWR)
	if err := p.r.setFile(slot, -1); err != nil && p.err == nil {
		p.err = err
	}
	_ = unix.Close(int(s.fd))
	// A send of the old connection may still read the buffers.
	*s = uringSlot{fd: -1, generation: s.generation + 1}
}

func (p *uring) Wait(d time.Duration, batch int, gather time.Duration, h Handler) error {
	if p.err != nil {
		return p.err
	}
	if !p.leaving {
		for _, again := range p.rearm {
			if s := &p.slots[again.slot]; s.fd >= 0 && s.generation == again.generation && !s.armed {
				p.receive(again.slot)
			}
		}
		p.rearm = p.rearm[:0]
	}
	if p.r.ready() > 0 {
		d = 0
	}
	if err := p.r.enter(min(d, shortWait), uint32(batch), gather, true); err != nil {
		return err
	}
	if d > shortWait && p.r.ready() == 0 {
		if err := p.r.enter(d-shortWait, uint32(batch), gather, false); err != nil {
			return err
		}
	}
	// Events that arrive during delivery are left for the next call.
	for range p.r.ready() {
		p.deliver(p.r.take(), h)
	}
	return p.err
}

func (p *uring) deliver(c cqe, h Handler) {
	slot, generation := int(uint32(c.userData)), uint32(c.userData>>32)&generationMask
	s := &p.slots[slot]
	current := s.fd >= 0 && s.generation&generationMask == generation
	switch c.userData >> 56 {
	case forReceive:
		p.received(c, slot, current, h)
	case forConnect:
		if !current {
			return
		}
		s.connecting = false
		if err := connectError(int(s.fd)); err != nil {
			p.Disconnect(slot)
			h.Connected(slot, err)
			return
		}
		p.receive(slot)
		h.Connected(slot, nil)
	case forSend:
		if current && c.res < 0 {
			h.Ended(slot, writeError(unix.Errno(-c.res)))
		}
	case forTrackedSend:
		if !current {
			return
		}
		s.busy = 0
		if c.res < 0 {
			h.Ended(slot, writeError(unix.Errno(-c.res)))
			return
		}
		if len(s.more) > 0 {
			s.pending, s.more = s.more, s.pending[:0]
			s.busy = len(s.pending)
			p.send(forTrackedSend, slot, s.pending)
		}
	}
}

func (p *uring) received(c cqe, slot int, current bool, h Handler) {
	generation := p.slots[slot].generation
	if c.flags&cqeBuffer != 0 {
		id := uint16(c.flags >> cqeBufferShift)
		if current && c.res > 0 {
			h.Received(slot, p.r.buffer(id, int(c.res)))
		}
		p.r.recycle(id)
	}
	s := &p.slots[slot]
	if !current || s.fd < 0 || s.generation != generation {
		return
	}
	if c.flags&cqeMore == 0 {
		s.armed = false
	}
	switch err := unix.Errno(-c.res); {
	case c.res == 0:
		h.Ended(slot, nil)
	case c.res < 0 && err != unix.ENOBUFS && err != unix.EINTR && err != unix.ECANCELED:
		h.Ended(slot, readError(err))
	case c.flags&cqeMore == 0 && !p.leaving:
		p.rearm = append(p.rearm, endedSlot{slot: slot, generation: generation})
	}
}

// releaseTime bounds how long handing over the sockets may take.
const releaseTime = 5 * time.Millisecond

// release cancels the receive operations, which deliver what they have received so far, and waits
// for sends in progress.
func (p *uring) release(h Handler) (sockets []socket, ok bool, err error) {
	for slot := range p.slots {
		if s := &p.slots[slot]; s.fd >= 0 && s.connecting {
			return nil, false, nil
		}
	}
	p.leaving = true
	for slot := range p.slots {
		if s := &p.slots[slot]; s.fd >= 0 && s.armed {
			op := p.prepare(forCancel, slot)
			op.op, op.flags, op.fd, op.addr = opCancel, 0, -1, userData(forReceive, slot, s.generation)
		}
	}
	for deadline := time.Now().Add(releaseTime); !ok && p.err == nil && time.Now().Before(deadline); ok = p.isQuiescent() {
		if err := p.Wait(time.Millisecond, 1, 0, h); err != nil {
			return nil, false, err
		}
	}
	p.leaving = false
	if p.err != nil {
		return nil, false, p.err
	}
	if !ok {
		for slot := range p.slots {
			if s := &p.slots[slot]; s.fd >= 0 && !s.armed {
				p.rearm = append(p.rearm, endedSlot{slot: slot, generation: s.generation})
			}
		}
		return nil, false, nil
	}
	for slot := range p.slots {
		s := &p.slots[slot]
		if s.fd < 0 {
			continue
		}
		if err := p.r.setFile(slot, -1); err != nil {
			return nil, false, err
		}
		sockets = append(sockets, socket{slot: slot, fd: int(s.fd)})
		*s = uringSlot{fd: -1, generation: s.generation + 1}
	}
	return sockets, true, nil
}

// isQuiescent reports whether no operation is in progress whose outcome matters. That of a small
// send does not: if it fails, the next receive reports it.
func (p *uring) isQuiescent() bool {
	for slot := range p.slots {
		if s := &p.slots[slot]; s.fd >= 0 && (s.connecting || s.armed || s.busy > 0) {
			return false
		}
	}
	return p.r.unsubmitted() == 0
}

func (p *uring) Close() error {
	for slot := range p.slots {
		p.Disconnect(slot)
	}
	return p.r.close()
}
