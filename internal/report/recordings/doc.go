// Package recordings renders the contents of a recording other than CPU costs: its parts,
// goroutines, memory, and the events of whet watch.
//
// Documents are plain structs that encode to JSON as they are; the function named after each writes
// it as text that fits a layout.Style. The package holds no state.
package recordings
