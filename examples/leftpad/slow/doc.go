// Package slow is the left-pad service as it was first written. README.md in the
// module's root describes what is slow about it; package fast is the same service
// without that.
//
// The package is safe for concurrent use if StatsD.Conn and the writer of the log
// are.
package slow
