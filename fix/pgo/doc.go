// Package pgo builds a program with a CPU profile (profile-guided optimisation) and finds
// out what that does to it.
//
// Data flow:
//
//  1. [Reduce] makes of any CPU profile the small one that the compiler reads: the ends
//     of its stacks. [Edges] are the calls that the compiler finds in it.
//  2. [Run] finds the main package among the packages asked for and builds it, or the
//     test binaries of packages with benchmarks, once with -pgo=off (A) and once with the
//     profile (B), with nothing from the build cache where the time is to be known.
//  3. [ReadCode] takes the calls out of the machine code of both: the runtime's own
//     tables name the function and line of every call and every inlined call, as they do
//     in profiles.
//  4. [Stale] says which calls of the profile A no longer has. [Changes] and [Grown] say
//     what the profile made the compiler inline and devirtualise, and which stack frames
//     grew by that.
//  5. Package bench/ab compares A with B, by benchmarks or by what the caller brings, and
//     [Result.Pays] is the verdict.
//
// That calls are read from machine code, and not from the compiler's messages, makes them
// comparable with profiles name for name (closures, type arguments, wrappers and assembly
// have names of their own there), covers the standard library and dependencies alike,
// and needs no further build.
//
// A test binary calls the functions of a main package by their import path, which a
// profile of the program calls main; Run renames them for either ([Rename]).
//
// Values returned belong to the caller and may be read by many goroutines. Run writes
// nothing outside of the directory that it is given for its builds, and the processes that it
// starts have ended when it returns. The package does not write default.pgo: its caller
// does, if it pays.
package pgo
