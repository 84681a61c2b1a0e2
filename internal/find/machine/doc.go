// Package machine finds out what the processor of this machine supports.
//
// Data flow: Level reads what package cpu found when the program started. The package has no state.
package machine
