// Package nodes names the nodes of a profile's views as go tool pprof does, and finds the files
// mapped at their addresses.
//
// [Name] is what views show, [FrameName] what formats of other tools have. The package keeps no
// state but in [Objects].
package nodes
