package poll

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Handler is called with the events of a Poller's connections. It may call the Poller's methods,
// except Wait.
type Handler interface {
	// Connected ends a Connect; if err is not nil, connecting failed and the slot is free.
	Connected(slot int, err error)
	// Received hands over bytes, which are valid until it returns.
	Received(slot int, b []byte)
	// Ended reports that nothing more will arrive: err is nil if the peer closed the connection in
	// an orderly way. The slot remains in use until Disconnect.
	Ended(slot int, err error)
}

// A Poller sends and receives the bytes of many connections. See the package comment.
type Poller interface {
	// Connect opens a connection in a free slot; Wait calls Handler.Connected with the outcome. It
	// returns an error that occurs immediately.
	Connect(slot int, to Address) error
	// Adopt puts a connected, non-blocking socket into a free slot and owns it from then on.
	Adopt(slot int, fd int) error
	// Send sends b, which must not change until an answer to all of it has come or the slot is
	// disconnected. No other send of the slot may be in progress.
	Send(slot int, b []byte)
	// Write sends b after everything written before. It copies what it cannot send immediately.
	Write(slot int, b []byte)
	// Unsent returns how many bytes of the slot may still be waiting to be sent.
	Unsent(slot int) int
	// Disconnect closes the slot's connection and frees the slot. Nothing is delivered for the old
	// connection afterwards.
	Disconnect(slot int)
	// Wait sends what is queued, waits up to d for at least one event, and delivers all events.
	// Where the system supports it, it waits up to gather longer for batch events to accumulate; a
	// batch of 0 or 1 disables that.
	Wait(d time.Duration, batch int, gather time.Duration, h Handler) error
	// Close closes all connections and frees everything.
	Close() error

	// release hands over all sockets without closing them and with nothing left to deliver, or
	// none: ok is false if that is impossible now.
	release(h Handler) (sockets []socket, ok bool, err error)
}

// A socket is a connection that one Poller hands to another.
type socket struct {
	slot, fd int
	unsent   []byte
}

// A Lost is a connection that Move could not move and has closed.
type Lost struct {
	Slot int
	Err  error
}

// Move moves all connections of one Poller to the same slots of another, which must be free. It
// delivers what from has received by then. If something is still being sent, moved is false and
// nothing has changed. An error means that from is broken. During the call, from must not open
// connections, and the handler must send nothing but answers to what was received.
func Move(from, to Poller, h Handler) (moved bool, lost []Lost, err error) {
	sockets, ok, err := from.release(h)
	if err != nil || !ok {
		return false, nil, err
	}
	for _, s := range sockets {
		if err := to.Adopt(s.slot, s.fd); err != nil {
			lost = append(lost, Lost{s.slot, err})
			continue
		}
		if len(s.unsent) > 0 {
			to.Write(s.slot, s.unsent)
		}
	}
	return true, lost, nil
}

// An Address is a destination in the form of the system call.
type Address struct {
	family int
	sa     unix.Sockaddr
}

// ParseAddress converts a resolved TCP or Unix address.
func ParseAddress(a net.Addr) (Address, error) {
	switch a := a.(type) {
	case *net.TCPAddr:
		if ip4 := a.IP.To4(); ip4 != nil {
			return Address{unix.AF_INET, &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(ip4)}}, nil
		}
		if len(a.IP) != net.IPv6len {
			return Address{}, fmt.Errorf("no IP address: %v", a)
		}
		sa := &unix.SockaddrInet6{Port: a.Port, Addr: [16]byte(a.IP)}
		if a.Zone != "" {
			i, err := net.InterfaceByName(a.Zone)
			if err != nil {
				return Address{}, err
			}
			sa.ZoneId = uint32(i.Index)
		}
		return Address{unix.AF_INET6, sa}, nil
	case *net.UnixAddr:
		return Address{unix.AF_UNIX, &unix.SockaddrUnix{Name: a.Name}}, nil
	}
	return Address{}, fmt.Errorf("cannot connect to a %s address", a.Network())
}

// Precise makes the calling thread's waits end on time: by default the kernel lets them end up to
// 50 µs late, to coalesce wake-ups. It returns a function that restores the default.
func Precise() (restore func()) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }
}

// shortWait is the longest wait that Go's scheduler does not see. Under load, no wait takes that
// long. It is not shorter because setting a timer that expires before the kernel's own tick costs a
// microsecond or two on a virtual machine.
const shortWait = 5 * time.Millisecond

// open starts connecting a new socket. A connection that is complete immediately, as to a Unix
// socket, is not a special case: the socket is writable.
func (a Address) open() (fd int, err error) {
	fd, err = unix.Socket(a.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, &net.OpError{Op: "socket", Err: err}
	}
	if a.family != unix.AF_UNIX {
		if err := noDelay(fd); err != nil {
			_ = unix.Close(fd)
			return -1, err
		}
	}
	if err := unix.Connect(fd, a.sa); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		_ = unix.Close(fd)
		return -1, &net.OpError{Op: "dial", Err: err}
	}
	return fd, nil
}

// noDelay makes the socket send small messages immediately, as net/http does.
func noDelay(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return fmt.Errorf("set TCP_NODELAY: %w", err)
	}
	return nil
}

// connectError returns the outcome of connecting a socket that has become writable.
func connectError(fd int) error {
	code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = syscall.Errno(code)
	}
	if err != nil {
		return &net.OpError{Op: "dial", Err: err}
	}
	return nil
}

func readError(err error) error {
	if err == nil {
		return nil
	}
	return &net.OpError{Op: "read", Err: err}
}

func writeError(err error) error { return &net.OpError{Op: "write", Err: err} }
