// Package modtest writes modules and a module proxy for tests, which need no network.
//
//  1. [Write] writes an archive: a module, and versions of others that the go command gets from a proxy in
//     a directory, into a module cache of the test.
//  2. [Modules.State] identifies the content of the cache and of the module, to show that neither changed.
//  3. [Profile] makes a profile of stacks in their files.
package modtest
