// Package plan turns a load as a user describes it into the options of package load.
//
// Data flow:
//
//  1. A [Plan] is the description as text: rates, headers, bodies, files of requests, certificates.
//     [Plan.Check] reports invalid values and options that exclude each other.
//  2. [Plan.Options] reads the files and returns load.Options, with warnings about what was
//     read. Credentials are in the options only.
//
// Hints name the flags of whet load. A Plan is not changed by its methods and may be used by
// several goroutines. The package sends nothing: see package load.
package plan
