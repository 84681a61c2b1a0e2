// Package export writes profiles in the formats that other tools read: folded stacks,
// callgrind, speedscope, and the raw dump of go tool pprof.
//
// Each function makes one pass over a profile.View and streams what it writes, so memory does
// not grow with the output. The package holds no state.
package export
