// Package declarations compares what two versions of a package declare, and finds which declarations use
// which.
//
// Data flow:
//
//  1. Each passes the functions, constants, variables and types at the top level of a package, with a key and
//     a text that are the same in both versions if the declaration is, whatever the versions' import paths.
//  2. Changed returns those of the old version that differ in the new one or are gone. If both are structs,
//     these are fields. Hidden returns the fields that only one version has, which a comparison of values
//     leaves out.
//  3. NewGraph reads the uses of declarations in each other. Following Users leads from what has changed to
//     functions to call.
//
// The package reads the files that its argument was loaded from. A Graph is not safe for concurrent use.
package declarations
