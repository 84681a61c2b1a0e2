// Package dumps compares what the tests of differ.Dump print in two builds of the same source: the
// results of a function for the same inputs, a line each.
//
// [Compare] reads both at once. It keeps no lines, and only hashes of distinct results.
package dumps
