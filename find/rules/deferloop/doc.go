// Package deferloop defines a rule: what costs.
//
// Why it costs.
//
// # Before
//
//	code
//
// # After
//
//	code
//
// # Evidence
//
// What a profile shows.
//
// # Safety
//
// Why the rewrite keeps behaviour, and where there is none.
package deferloop
