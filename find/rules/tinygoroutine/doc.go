// Package tinygoroutine defines a rule: a loop starts a goroutine for each item, without a
// limit.
//
// Starting a goroutine, scheduling it and waiting for it takes about a microsecond, plus its
// stack and closure. If an item takes less, a plain loop is faster; if it takes more, nothing
// bounds the number of goroutines, and with it memory, connections and contention for locks. A
// few workers that take items in chunks, or a group with a limit, do the same work within a
// bound. A channel created for the result of each item is another allocation: results can be
// stored in a slice at the item's index.
//
// # Before
//
//	for i, item := range items {
//		wg.Go(func() { sizes[i] = size(item) })
//	}
//
// # Evidence
//
// The CPU profile shows runtime.newproc or (*sync.WaitGroup).Go called from the line; the
// allocation profile charges the line itself. The scheduler's work for the goroutines
// (findRunnable, schedule, park) is not charged to any line.
//
// # Safety
//
// The rule only reports. Whether items may wait for a free worker depends on what they do: an
// item that waits for another one deadlocks when the limit is reached.
// golang.org/x/sync/errgroup has SetLimit. The rule is silent about functions whose goroutines
// call them recursively, such as those that walk trees: their workers would wait for each other.
package tinygoroutine
