// Package cache keeps the indexes of traces, so that each is built once.
//
// Data flow: a Source has the place of a trace and its state (its size and when it was written).
// Open looks in a directory for the index of the source at that place, and uses it if its state is
// the same; otherwise it builds a new one. The oldest are removed when there are too many, and
// files left by killed processes when they are an hour old.
//
// Several processes may use a directory: an index appears in it only when complete, and an open one
// remains readable when it is removed.
package cache
