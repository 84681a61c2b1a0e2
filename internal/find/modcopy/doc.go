// Package modcopy copies a module that another one is built with, so that its source can be changed and
// tested without touching the module cache or a vendor directory.
//
// Data flow:
//
//  1. [Of] asks the go command where the module's source is: in the module cache, in a directory that a
//     replace directive names, or vendored.
//  2. [Dependency.Copy] copies it. The copy is a module that builds alone: as it is, or, if that fails,
//     with the versions that the using module selects, or for vendored code with a copy of the other
//     vendored packages.
//
// The caller owns the copy, and removes it. Sources are only read: the go command runs in the using
// module with -mod=readonly or -mod=vendor, and otherwise in the copy. It may download modules that the
// tests of the copy need.
package modcopy
