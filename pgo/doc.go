// Package pgo builds a program with a CPU profile (profile-guided optimization) and determines the
// effect.
//
// Data flow:
//
//  1. [Reduce] turns any CPU profile into the small one that the compiler needs: the ends of its
//     stacks. [Edges] are the calls that the compiler finds in it.
//  2. [Run] finds the main package among the requested packages and builds it, or the test binaries
//     of packages with benchmarks, once with -pgo=off (A) and once with the profile (B). The build
//     cache is not used if the build time is requested.
//  3. The calls are read from the machine code of both: the runtime's own tables name the
//     function and line of every call and every inlined call, as in profiles.
//  4. The [Result] has the calls of the profile that A no longer has ([Staleness]), the calls that
//     the compiler inlined and devirtualized because of the profile ([ChangedCall]), and the stack
//     frames that grew as a result ([GrownFrame]).
//  5. Package bench/ab compares A with B, by benchmarks or as services under load, and
//     [Result.Pays] is the verdict.
//
// Calls are read from machine code, not from the compiler's messages. That makes them comparable
// with profiles name for name (closures, type arguments, wrappers and assembly have special names
// there), covers the standard library and dependencies alike, and needs no further build.
//
// A test binary calls the functions of a main package by their import path, while a profile of the
// program uses main; Run renames them for either.
//
// Returned values belong to the caller and may be read concurrently. Run writes only to the
// directory that it is given for its builds, and the processes that it starts have ended when it
// returns. The package does not write default.pgo: the caller does, if the profile pays off.
package pgo
