// Package cache keeps the indexes of traces, so that each is made once.
//
// Data flow: a Source says where a trace is and what it is like (its size and when it was written). Open
// looks in a directory for the index that was made of a source of that place, and takes it if it was made of
// one that is like that; else it builds one in its place. The oldest are removed when there are too many,
// and what killed processes left when it is an hour old.
//
// Several processes may use a directory: an index appears in it whole, and one that is open stays
// readable when it is removed.
package cache
