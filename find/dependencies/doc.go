// Package dependencies describes the calls of other modules that cost: the lines of the dependency that
// are hot below the call, what it does there, and other ways to call it.
//
// Data flow:
//
//  1. Every sample below an own line is charged to the first function of another module that it passes
//     through, and there to the innermost line of any other module. Functions of the standard library
//     that these lines call have a kind of cost (package find/diagnosis).
//  2. The allocation profile counts what functions of the standard library make exactly once per call:
//     files that are opened, patterns that are compiled, templates that are parsed.
//  3. The packages of the expensive calls are loaded as the module builds them. Their files have the
//     hot lines; their types have exported functions whose parameters and results fit the called one,
//     and that by name or type avoid a part of its work ([Alternative]).
//
// [Find] is a function of its input, except that it reads source files. What it returns belongs to the
// caller. Nothing is claimed about an alternative but its signature and documentation: whether it is
// faster for a program is for its author to measure.
//
// The package changes nothing. Candidates in a dependency are those of package internal/find/upstream.
package dependencies
