package requests

import (
	"strings"

	"github.com/whet-go/whet/trace/stacks"
)

// agentPackage is the package of whet's agent.
const agentPackage = "github.com/whet-go/whet/agent."

// isProfiling reports whether a stack is inside a handler of profiles: one of net/http/pprof,
// whoever calls it, or of whet's agent. What a handler wrapped by Agent.Watch calls is the user's.
func isProfiling(stack []stacks.Frame) bool {
	for _, f := range stack {
		switch {
		case strings.HasPrefix(f.Func, "net/http/pprof."), strings.HasPrefix(f.Func, agentPackage+"(*Agent).guard.func"):
			return true
		}
	}
	return false
}

// isWatch reports whether a function is the closure with which whet's agent wraps the user's
// handlers.
func isWatch(name string) bool { return strings.HasPrefix(name, agentPackage+"(*Agent).Watch.func") }
