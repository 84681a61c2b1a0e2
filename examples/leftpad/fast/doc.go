// Package fast is the left-pad service of package slow, with the slow parts rewritten
// by hand. It has the same exported names and the same behavior: same_test.go in the
// module's root proves it.
//
// The package is safe for concurrent use if StatsD.Conn is.
package fast
