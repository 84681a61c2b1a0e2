// Package provetest has helpers for tests of package prove and its clients.
//
// Data flow:
//
//  1. ByAllocations replaces builds.Run in a test's options. It runs the benchmarks of both builds.
//  2. It keeps the allocations of each, which are the same on any machine, and decides by these.
//
// It has no state, and measures no time: speed is not for tests to decide.
package provetest
