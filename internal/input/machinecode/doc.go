// Package machinecode opens the machine code of a profile's mappings.
//
//  1. Of takes an input, and the file that the user named, if any.
//  2. Code.Mapping returns the code of a mapping: from that file, from the file that the profile names
//     if it is the same build, or from the recording; with a warning if the build is not known.
//
// A Code belongs to one goroutine, and owns the files that it opened until Close. It does not
// disassemble: package objfile does.
package machinecode
