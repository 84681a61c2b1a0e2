// Package fast is the tags service of package slow, with the slow parts rewritten by
// hand. It has the same exported names and the same behavior: same_test.go in the
// module's root proves it.
//
// A request to /hello goes through it so:
//
//  1. It is answered.
//  2. Its tags are appended to one another, cleaned, in room that is on the stack.
//     The host's name was read when the [Metrics] were made.
//  3. Each metric's line is put together there too and appended to the packet that
//     is waiting.
//  4. The packet is sent when the next line would not fit, or a tenth of a second
//     after it was begun at the latest, by a goroutine that ends with [Metrics.Close].
//
// Everything in it may be used by several goroutines at once. It writes to the
// connection from one at a time.
package fast
