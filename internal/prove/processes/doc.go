// Package processes compares two builds of a package in two processes: each prints what its functions return for the
// same inputs.
//
//  1. [Compare] writes the tests of differ.Dump into the package, in both builds, and compiles them.
//  2. It runs each test in both, for some time, and compares what they printed (package dumps).
//
// Two builds cannot be one program if they differ in build settings or dependencies. Coverage does not guide the
// inputs.
package processes
