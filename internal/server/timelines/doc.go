// Package timelines keeps the timelines that a server has opened last.
//
// Data flow:
//
//  1. [Cache.Open] takes the name of a file in its present state, and opens its trace unless that is open. Requests
//     for the same trace share the work, which package flight runs and which ends when all have left. Traces are
//     indexed side by side, a few at a time.
//  2. The index is that of the user's cache of indexes, if there is one. Otherwise it is built, and the work reports
//     how far it is.
//  3. A timeline is closed when it has not been used for long and its last user has released it.
//
// A Cache may be used by several goroutines.
package timelines
