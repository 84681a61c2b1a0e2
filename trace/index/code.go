package index

import (
	"golang.org/x/exp/trace"
)

// A Code is a state of a goroutine, with the reason for it. Codes from [Waiting] on are reasons to
// wait; their names are in the index.
type Code uint8

// Codes that exist in every index.
const (
	Unknown        Code = iota // before the first event that shows it
	Running                    // on a processor
	Assist                     // on a processor, assisting the garbage collector
	Runnable                   // waiting for a processor
	Syscall                    // in a system call, with a processor
	SyscallBlocked             // in a system call, without a processor
	Waiting                    // the first reason to wait
)

// maxCodes bounds the reasons to wait. The runtime has about forty.
const maxCodes = 200

// codes assigns codes to reasons, in order of appearance.
type codes struct {
	names  []string // from Waiting on
	byName map[string]Code
	recent [16]struct { // by the reason's length: few share one, and comparing is faster than hashing
		reason string
		code   Code
	}
}

func newCodes() *codes { return &codes{byName: map[string]Code{}} }

// waiting returns the code of a reason; reasons beyond the limit share the last one.
func (c *codes) waiting(reason string) Code {
	r := &c.recent[len(reason)%len(c.recent)]
	if r.reason != reason || r.code == Unknown {
		r.reason, r.code = reason, c.find(reason)
	}
	return r.code
}

func (c *codes) find(reason string) Code {
	if code, ok := c.byName[reason]; ok {
		return code
	}
	if int(Waiting)+len(c.names) >= maxCodes {
		return maxCodes - 1
	}
	code := Waiting + Code(len(c.names))
	c.names, c.byName[reason] = append(c.names, reason), code
	return code
}

// of returns the code of a state.
func (c *codes) of(to trace.GoState, reason string) Code {
	switch to {
	case trace.GoRunning:
		return Running
	case trace.GoRunnable:
		return Runnable
	case trace.GoSyscall:
		return Syscall
	case trace.GoWaiting:
		return c.waiting(reason)
	case trace.GoUndetermined, trace.GoNotExist:
	}
	return Unknown
}
