// Package machinecode compares what the compiler makes of two versions of packages: if it is the same, so is the
// program, and nothing needs to run.
//
//  1. [Decides] reports whether equal machine code means equal behavior for every user of the packages. It reads the
//     changed files alone.
//  2. [Same] compiles packages without and with changes and compares the symbols of the listings: machine code with its
//     relocations, data, and types. Positions and debug information do not count, and unexported functions may have
//     other names.
//
// It runs no code of the module.
package machinecode
