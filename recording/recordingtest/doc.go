// Package recordingtest makes recordings for tests.
//
// Data flow:
//
//  1. A test names profiles, the windows that they are of, and what else the recording holds.
//  2. Open writes them to a file in the test's temporary directory and opens it.
//
// The recording is closed when the test ends. The package does not record: see package collect.
package recordingtest
