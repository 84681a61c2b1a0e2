// Package tinygoroutine defines a rule: a loop starts a goroutine for each item, without a limit.
//
// To start a goroutine, to schedule it and to wait for it costs about a microsecond, and its stack and
// closure. Where an item takes less, the loop is faster alone; where it takes more, nothing bounds how many
// run at once, and with them memory, connections, and who waits for the same lock. A few workers
// that take items in chunks, or a group with a limit, do the same work with a bound. A channel that is made
// for each item's result is another allocation: results can be written to a slice at the item's index.
//
// # Before
//
//	for i, item := range items {
//		wg.Go(func() { sizes[i] = size(item) })
//	}
//
// # Evidence
//
// The CPU profile has runtime.newproc, or (*sync.WaitGroup).Go, below the line; the profile of
// allocations has the line itself. What the scheduler does with the goroutines is in nobody's line:
// findRunnable, schedule, park.
//
// # Safety
//
// The rule only reports. Whether items may wait for each other's places depends on what they do: an item
// that waits for another one stops for ever when the limit is reached. golang.org/x/sync/errgroup has
// SetLimit. It is quiet about functions whose goroutines call them again, as those that walk trees: workers
// would wait for each other.
package tinygoroutine
