// Package recordings renders the contents of a recording other than CPU costs: its parts,
// goroutines, memory, and the events of whet watch.
//
// [WriteGoroutines] and [WriteMemory] write reports of packages goroutines and memory as text that
// fits a layout.Style; [Record] and [WatchEvent] are documents of this package, with a function
// named after each. The package holds no state.
package recordings
