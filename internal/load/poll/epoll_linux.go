package poll

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoll is a Poller over epoll. Sockets are watched for all events, edge-triggered, from the start,
// so that no call changes what is watched.
type epoll struct {
	fd     int
	slots  []epollSlot
	events []unix.EpollEvent
	buf    []byte
	// ended are slots whose sending failed; the next Wait reports them.
	ended []endedSlot
	// unread are slots from which the last Wait has not read everything.
	unread, scratch []endedSlot
}

type epollSlot struct {
	fd         int32 // -1: free
	generation uint32
	connecting bool
	pending    []byte // to be sent when the socket is writable
	unread     uint32 // events not yet read completely
	queued     bool   // in epoll.unread
}

type endedSlot struct {
	slot       int
	generation uint32
	err        error
}

// receiveBuffer is the size of one read.
const receiveBuffer = 64 << 10

// mostReads bounds the reads of one Wait from one socket, so that a peer that sends faster than its
// bytes are handled does not block the others.
const mostReads = 8

// Epoll returns a Poller that waits for readiness events.
func Epoll(slots int) (Poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create epoll: %w", err)
	}
	p := &epoll{
		fd: fd, slots: make([]epollSlot, slots),
		events: make([]unix.EpollEvent, 256), buf: make([]byte, receiveBuffer),
	}
	for i := range p.slots {
		p.slots[i].fd = -1
	}
	return p, nil
}

func (p *epoll) Connect(slot int, to Address) error {
	fd, err := to.open()
	if err != nil {
		return err
	}
	return p.add(slot, fd, true)
}

func (p *epoll) Adopt(slot, fd int) error { return p.add(slot, fd, false) }

func (p *epoll) add(slot, fd int, connecting bool) error {
	s := &p.slots[slot]
	s.fd, s.connecting = int32(fd), connecting
	s.generation++
	ev := unix.EpollEvent{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(slot), Pad: int32(s.generation),
	}
	if err := unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &ev); err != nil {
		s.fd = -1
		_ = unix.Close(fd)
		return fmt.Errorf("watch socket: %w", err)
	}
	return nil
}

func (p *epoll) Send(slot int, b []byte) {
	s := &p.slots[slot]
	n, err := send(int(s.fd), b)
	if err != nil {
		p.failed(slot, err)
		return
	}
	if n < len(b) {
		s.pending = append(s.pending[:0], b[n:]...)
	}
}

func (p *epoll) Write(slot int, b []byte) {
	if s := &p.slots[slot]; len(s.pending) > 0 {
		s.pending = append(s.pending, b...)
		return
	}
	p.Send(slot, b)
}

func (p *epoll) Unsent(slot int) int { return len(p.slots[slot].pending) }

func (p *epoll) failed(slot int, err error) {
	p.ended = append(p.ended, endedSlot{slot, p.slots[slot].generation, writeError(err)})
}

// send writes as much of b as the socket takes.
func send(fd int, b []byte) (n int, err error) {
	for n < len(b) {
		m, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b[n])), uintptr(len(b)-n),
			unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			n += int(m)
		case unix.EINTR:
		case unix.EAGAIN:
			return n, nil
		default:
			return n, errno
		}
	}
	return n, nil
}

func (p *epoll) Disconnect(slot int) {
	s := &p.slots[slot]
	if s.fd < 0 {
		return
	}
	_ = unix.Close(int(s.fd))
	s.fd, s.connecting, s.pending, s.unread, s.queued = -1, false, nil, 0, false
	s.generation++
}

func (p *epoll) Wait(d time.Duration, _ int, _ time.Duration, h Handler) error {
	if len(p.ended)+len(p.unread) > 0 {
		d = 0
	}
	n, err := p.wait(min(d, shortWait), true)
	if n == 0 && err == nil && d > shortWait {
		n, err = p.wait(d-shortWait, false)
	}
	if err != nil {
		return err
	}
	p.unread, p.scratch = p.scratch[:0], p.unread
	for _, u := range p.scratch {
		if s := &p.slots[u.slot]; s.fd >= 0 && s.generation == u.generation {
			s.queued = false
			p.deliver(&unix.EpollEvent{Fd: int32(u.slot), Pad: int32(u.generation)}, h)
		}
	}
	for _, ev := range p.events[:n] {
		p.deliver(&ev, h)
	}
	for len(p.ended) > 0 {
		last := p.ended[len(p.ended)-1]
		p.ended = p.ended[:len(p.ended)-1]
		if s := &p.slots[last.slot]; s.fd >= 0 && s.generation == last.generation {
			h.Ended(last.slot, last.err)
		}
	}
	return nil
}

// wait fills p.events. Go's scheduler does not see brief waits.
func (p *epoll) wait(d time.Duration, brief bool) (int, error) {
	call := unix.Syscall6
	if brief {
		call = unix.RawSyscall6
	}
	ts := unix.NsecToTimespec(int64(d))
	n, _, errno := call(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])),
		uintptr(len(p.events)), uintptr(unsafe.Pointer(&ts)), 0, 0)
	switch {
	case errno == unix.ENOSYS: // before Linux 5.11: whole milliseconds
		n, _, errno = call(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)),
			uintptr((d+time.Millisecond-1)/time.Millisecond), 0, 0)
	}
	switch {
	case errno == 0:
		return int(n), nil
	case errors.Is(errno, unix.EINTR):
		return 0, nil
	}
	return 0, fmt.Errorf("wait for events: %w", errno)
}

func (p *epoll) deliver(ev *unix.EpollEvent, h Handler) {
	slot, generation := int(ev.Fd), uint32(ev.Pad)
	s := &p.slots[slot]
	current := func() bool { return s.fd >= 0 && s.generation == generation }
	if !current() {
		return
	}
	ev.Events |= s.unread
	s.unread = 0
	if s.connecting {
		if ev.Events&(unix.EPOLLOUT|unix.EPOLLERR|unix.EPOLLHUP) == 0 {
			return
		}
		s.connecting = false
		if err := connectError(int(s.fd)); err != nil {
			p.Disconnect(slot)
			h.Connected(slot, err)
			return
		}
		h.Connected(slot, nil)
		if !current() {
			return
		}
	}
	if ev.Events&unix.EPOLLOUT != 0 && len(s.pending) > 0 {
		n, err := send(int(s.fd), s.pending)
		if err != nil {
			p.failed(slot, err)
			return
		}
		s.pending = s.pending[:copy(s.pending, s.pending[n:])]
	}
	if ev.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLERR|unix.EPOLLHUP) == 0 {
		return
	}
	for range mostReads {
		m, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(s.fd), uintptr(unsafe.Pointer(&p.buf[0])),
			uintptr(len(p.buf)), 0, 0, 0)
		switch {
		case errno == unix.EAGAIN:
			return
		case errno == unix.EINTR:
			continue
		case errno != 0:
			h.Ended(slot, readError(errno))
			return
		case m == 0:
			h.Ended(slot, nil)
			return
		}
		h.Received(slot, p.buf[:m])
		// A short read has emptied the socket; later bytes are a new event. The end of the stream
		// is one too, but it may have been part of this one.
		if !current() || int(m) < len(p.buf) && ev.Events&(unix.EPOLLRDHUP|unix.EPOLLERR|unix.EPOLLHUP) == 0 {
			return
		}
	}
	if s.unread = ev.Events; !s.queued {
		s.queued = true
		p.unread = append(p.unread, endedSlot{slot: slot, generation: generation})
	}
}

// release hands over the sockets. Unread bytes stay in them, and trigger an event in the next
// Poller.
func (p *epoll) release(Handler) (sockets []socket, ok bool, err error) {
	if len(p.ended) > 0 {
		return nil, false, nil
	}
	for slot := range p.slots {
		if s := &p.slots[slot]; s.fd >= 0 && s.connecting {
			return nil, false, nil
		}
	}
	for slot := range p.slots {
		s := &p.slots[slot]
		if s.fd < 0 {
			continue
		}
		if err := unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, int(s.fd), nil); err != nil {
			return nil, false, fmt.Errorf("stop watching socket: %w", err)
		}
		sockets = append(sockets, socket{slot, int(s.fd), s.pending})
		*s = epollSlot{fd: -1, generation: s.generation + 1}
	}
	p.unread = p.unread[:0]
	return sockets, true, nil
}

func (p *epoll) Close() error {
	for slot := range p.slots {
		p.Disconnect(slot)
	}
	return unix.Close(p.fd)
}
