package indexer

import (
	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/trace/model"
)

// codes assigns codes to reasons, in order of appearance.
type codes struct {
	names  []string // from Waiting on
	byName map[string]model.Code
	recent [16]struct { // by the reason's length: few share one, and comparing is faster than hashing
		reason string
		code   model.Code
	}
}

func newCodes() *codes { return &codes{byName: map[string]model.Code{}} }

// waiting returns the code of a reason; reasons beyond the limit share the last one.
func (c *codes) waiting(reason string) model.Code {
	r := &c.recent[len(reason)%len(c.recent)]
	if r.reason != reason || r.code == model.Unknown {
		r.reason, r.code = reason, c.find(reason)
	}
	return r.code
}

func (c *codes) find(reason string) model.Code {
	if code, ok := c.byName[reason]; ok {
		return code
	}
	if int(model.Waiting)+len(c.names) >= model.MaxCodes {
		return model.MaxCodes - 1
	}
	code := model.Waiting + model.Code(len(c.names))
	c.names, c.byName[reason] = append(c.names, reason), code
	return code
}

// of returns the code of a state.
func (c *codes) of(to trace.GoState, reason string) model.Code {
	switch to {
	case trace.GoRunning:
		return model.Running
	case trace.GoRunnable:
		return model.Runnable
	case trace.GoSyscall:
		return model.Syscall
	case trace.GoWaiting:
		return c.waiting(reason)
	case trace.GoUndetermined, trace.GoNotExist:
	}
	return model.Unknown
}
