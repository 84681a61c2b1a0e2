// Package recorded joins recordings to find: it reads what they say of a program and looks for
// what costs in its source.
//
// Data flow:
//
//  1. [Read] opens the arguments (package input): the profiles of all kinds, what is own code.
//  2. The execution traces of the recordings are indexed, up to a limit, for where requests
//     wait. What is left out or cannot be read is a warning: the profiles are what counts.
//  3. Of the recording come the build, the runtime's statistics and the machine's level.
//  4. [Program.Find] looks for all that in a module; the second time in the module with
//     rewrites, to which lines are followed.
//
// A Program may be asked by several goroutines, and must be closed. The package renders nothing
// and keeps no state.
package recorded
