// Package progress shows what a command is doing while it runs.
//
//  1. An engine reports how far it is, several times a second.
//  2. [Steps], [Comparison], [Benchmarks] or [Load] turns that into a [Status].
//  3. A [Line] shows the status: on a terminal it is overwritten, in a log it is printed every few seconds.
//
// It writes to standard error as passed by the caller and never to standard output. Results are not
// progress: the packages below internal/report render them, and know no terminals.
package progress
