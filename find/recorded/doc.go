// Package recorded connects recordings with package find: it reads what recordings contain about a
// program, and finds what is expensive in its source.
//
// Data flow:
//
//  1. [Read] opens the arguments (package input): profiles of all kinds, and what is own code.
//  2. The execution traces of the recordings are indexed, up to a limit, to find where requests
//     wait. Traces that are skipped or cannot be read are warnings, because the profiles matter
//     most.
//  3. The build, the runtime statistics and the machine's GOAMD64 level come from the recording.
//  4. [Program.Find] looks for all of that in a module. The second time, it looks in the module
//     with rewrites applied, and follows lines to where they moved.
//
// A Program is safe for concurrent use, and must be closed. The package renders nothing and keeps
// no state.
package recorded
