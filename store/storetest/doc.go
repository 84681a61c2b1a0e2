// Package storetest tests implementations of the interfaces in package store.
//
//  1. A [Store] says how to open the store under test; its fields may do more than the interfaces.
//  2. [Run] runs all tests of it, each on an empty store. They compare answers with what
//     profile.Merge makes of the same profiles.
//
// [Generated] makes profiles that differ, and are the same in each run. The package has no state.
package storetest
