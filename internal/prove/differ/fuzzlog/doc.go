// Package fuzzlog reads what a fuzz target prints when it fails, as a test or with go test's -fuzz: why, and
// with which input. It has no state.
package fuzzlog
