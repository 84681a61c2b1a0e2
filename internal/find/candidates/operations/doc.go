// Package operations has generators of candidates for operations that have a faster equal: a loop
// that one call replaces, a search for one byte, a power that is a product.
//
// Each generator reads the typed syntax of a hot line and returns edits. They have no state, and may
// be called concurrently for the sites of different packages.
//
// The package does not decide whether a change is right: package candidates type-checks it, and
// package prove compares the behavior.
package operations
