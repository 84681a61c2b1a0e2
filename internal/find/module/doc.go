// Package module lists the Go files of a module, and finds the one that a profile names.
//
//  1. Find looks for the go.mod of a directory, and lists the files below it once.
//  2. Module.File matches a name from a profile with them: by the module's path, by where it is on
//     this machine, by a version of it, or by the longest common end of the paths.
//
// A Module does not change and may be used by several goroutines. It keeps no text: Read reads a
// file each time. Other modules, and vendored code, are not its files.
package module
