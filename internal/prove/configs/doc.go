// Package configs finds the build configurations of a module: pairs of an operating system and a processor, with
// build tags.
//
// Parse reads those that a user names. Find reads those that the module's CI names: the matrix and the commands of
// workflows, the targets of GoReleaser, and the commands of makefiles. It reads only values that are written out; an
// expression names nothing. A Build is a build in the go command's terms, which a configuration changes.
package configs
