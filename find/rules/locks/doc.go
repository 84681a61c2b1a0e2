// Package locks defines a rule: a lock is held while its goroutine waits, formats or encodes.
//
// Whoever waits for the lock also waits for everything its holder does: writing to a file or
// connection, sleeping, waiting on a channel, encoding JSON. The critical section should contain
// only what needs the guarded state: copy it, unlock, then format and write. Readers need not
// wait for each other: a sync.RWMutex admits them together, and a snapshot in an atomic.Pointer
// needs no lock at all.
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
// The mutex profile shows (*sync.Mutex).Unlock called from a line of the critical section, with
// the time that others waited for it. A deferred Unlock is charged to the line that returns. The
// block profile shows Lock where goroutines waited, and the CPU profile the cost of acquiring
// the lock.
//
// # Safety
//
// The rule only reports, because code does not show which parts of the state belong together.
// Code moved out of the section works on a copy; maps and slices remain shared unless they are
// copied, too. An RWMutex costs more than a Mutex when sections are short: measure.
package locks
