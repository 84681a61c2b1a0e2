package requests

import (
	"strings"

	"github.com/whet-go/whet/trace/stacks"
)

// agentPackage is that of whet's agent.
const agentPackage = "github.com/whet-go/whet/agent."

// isProfiling reports whether a stack is inside of a handler of profiles: of net/http/pprof, whoever
// calls it, or of whet's agent. What is called by a handler of Agent.Watch is the user's.
func isProfiling(stack []stacks.Frame) bool {
	for _, f := range stack {
		switch {
		case strings.HasPrefix(f.Func, "net/http/pprof."), strings.HasPrefix(f.Func, agentPackage+"(*Agent).guard.func"):
			return true
		}
	}
	return false
}

// isWatch reports whether a function is the closure that whet's agent puts around the user's handlers.
func isWatch(name string) bool { return strings.HasPrefix(name, agentPackage+"(*Agent).Watch.func") }
