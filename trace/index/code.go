package index

import (
	"golang.org/x/exp/trace"
)

// A Code is a state of a goroutine, and why it is in it. Codes from [Waiting] on are reasons to wait;
// their names are in the index.
type Code uint8

// Codes that every index has.
const (
	Unknown        Code = iota // before the trace tells
	Running                    // on a processor
	Assist                     // on a processor, in the service of the garbage collector
	Runnable                   // waiting for a processor
	Syscall                    // in a system call, with a processor
	SyscallBlocked             // in a system call that its processor did not wait for
	Waiting                    // the first reason to wait
)

// maxCodes bounds the reasons to wait. The runtime has some forty.
const maxCodes = 200

// codes gives codes to reasons, in the order in which they come.
type codes struct {
	names  []string // from Waiting on
	byName map[string]Code
	recent [16]struct { // by the reason's length: few share one, and comparing is faster than hashing
		reason string
		code   Code
	}
}

func newCodes() *codes { return &codes{byName: map[string]Code{}} }

// waiting is the code of a reason; all that are too many share the last.
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

// of is the code of a state.
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
