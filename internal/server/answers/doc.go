// Package answers keeps the answers that a server has given last: readers go back to a view, and open one again.
//
// Data flow:
//
//  1. [Cache.Serve] looks for the answer of a key, which names all that it depends on, such as the size and time of
//     files.
//  2. If there is none, a handler writes it into a [Recorder]; a good one is kept, as long as there is room.
//
// A Cache may be used by several goroutines; those that ask for the same at once may each compute it.
package answers
