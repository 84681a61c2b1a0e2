// Package coverage reads which code of a module ran, from the cover profiles that go test writes.
//
//  1. [Read] reads a profile line by line, and returns the blocks of the module that ran.
//
// It does not run anything, and keeps nothing between calls.
package coverage
