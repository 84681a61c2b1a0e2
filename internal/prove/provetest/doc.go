// Package provetest has helpers for tests of package prove and its clients.
//
// Data flow:
//
//  1. ByAllocations replaces builds.Run in a test's options. It runs the benchmarks of both builds.
//  2. It keeps the allocations of each, which are the same on any machine, and decides by these.
//  3. WriteCoupons writes a module, CouponPatch a change of it that only captured calls show to be wrong, and
//     CouponCalls a recording with such calls.
//
// It has no state, and measures no time: speed is not for tests to decide.
package provetest
