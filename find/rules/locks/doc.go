// Package locks defines a rule: a lock is held while its goroutine waits, formats or encodes.
//
// Who waits for the lock waits for all that its holder does: a write to a file or connection, a
// sleep, a channel, JSON. The section should hold only what needs the guarded state: copy what is
// needed, unlock, then format and write. Where a section only reads, goroutines that read need not
// wait for each other: a sync.RWMutex lets them in together, and a snapshot in an atomic.Pointer needs
// no lock at all.
//
// # Before
//
//	func (c *counters) report(w io.Writer) {
//		c.mu.Lock()
//		defer c.mu.Unlock()
//		fmt.Fprintln(w, c.sent, c.lost)
//	}
//
// # Evidence
//
// The mutex profile has (*sync.Mutex).Unlock below a line of the section: how long others waited for
// it. A deferred Unlock is charged to the line that returns. The block profile has Lock where they
// waited, and the CPU profile what looking for the lock costs.
//
// # Safety
//
// The rule only reports: which of the state belongs together, the code does not say. What is moved
// out of the section works on what was copied in it; maps and slices are shared unless they are
// copied, too. A RWMutex costs more than a Mutex when sections are short: measure.
package locks
