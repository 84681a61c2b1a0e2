// Package fast is the tags service of package slow, with the slow parts rewritten by
// hand. It has the same exported names and the same behavior: same_test.go in the
// module's root proves it.
//
// A request to /hello takes these steps:
//
//  1. It is answered.
//  2. Its tags are cleaned and appended to a buffer on the stack. The host's name was
//     read when the [Metrics] were made.
//  3. Each metric's line is built there, too, and appended to the pending packet.
//  4. The packet is sent when the next line would not fit, or at the latest a tenth of
//     a second after its first line, by a goroutine that ends with [Metrics.Close].
//
// The package is safe for concurrent use. Only one goroutine at a time writes to the
// connection.
package fast
