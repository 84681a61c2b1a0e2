// Package model defines the data model of an indexed execution trace: the states of goroutines and
// their spans, the records of everything else, and the totals.
//
// Package trace/index builds and queries indexes and has aliases for these types, so most programs
// import only that. This package has no behavior: the writer, the file format and the queries of an
// index share its types.
package model
