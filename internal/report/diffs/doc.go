// Package diffs renders the difference of two profiles, which package diff computes: what is
// compared, how certain it is, and tables with the largest changes first. It holds no state.
package diffs
