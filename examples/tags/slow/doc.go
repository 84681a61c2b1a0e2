// Package slow is the tags service as it was first written. README.md in the
// module's root describes what is slow about it; package fast is the same service
// without that.
//
// Everything in it may be used by several goroutines at once, as far as the
// connection that the metrics go to may.
package slow
