package index

// A Reason is what a goroutine waits for, derived from the runtime's name for it
// (src/runtime/traceruntime.go).
type Reason uint8

// Reasons.
const (
	OtherReason  Reason = iota // internal to the runtime, or unknown
	ForNetwork                 // the network, or a file that can be polled
	ForSend                    // sending to a channel
	ForReceive                 // receiving from a channel
	ForSelect                  // several channels at once
	ForCond                    // sync.Cond
	ForSync                    // a semaphore: locks and WaitGroups of package sync, and the runtime's own
	ForSleep                   // time.Sleep
	ForCollector               // the garbage collector
	ForBubble                  // the goroutines of a bubble of testing/synctest
	Forever                    // a nil channel, or a select without cases
)

// ReasonOf parses the name of a code from [Waiting] on. known is false for a name that no version
// of Go up to 1.27 uses.
func ReasonOf(name string) (r Reason, known bool) {
	switch name {
	case "network":
		return ForNetwork, true
	case "chan send":
		return ForSend, true
	case "chan receive":
		return ForReceive, true
	case "select":
		return ForSelect, true
	case "sync.(*Cond).Wait":
		return ForCond, true
	case "sync":
		return ForSync, true
	case "sleep":
		return ForSleep, true
	case "GC mark assist wait for work", "GC background sweeper wait", "GC weak to strong wait", "wait until GC ends",
		"preempted": // to have its stack scanned
		return ForCollector, true
	case "synctest":
		return ForBubble, true
	case "forever":
		return Forever, true
	case "", "unspecified", "system goroutine wait", "wait for debug call":
		return OtherReason, true
	}
	return OtherReason, false
}
