// Package compiled returns what the compiler says of a source file that a profile names.
//
// Data flow:
//
//  1. [Compiler.Notes] looks for the file in the module that the server was started in, by the ends of its path, and
//     takes the one whose text is that of the profile: the numbers of lines then agree. Links that lead out of the
//     module are not followed, and no text is returned.
//  2. Package find/lines compiles its package, or has its notes in the user's cache.
//
// The package keeps nothing, and compiles only packages of that module.
package compiled
