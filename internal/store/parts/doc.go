// Package parts keeps recordings in databases as parts of a MiB, because a recording is too large for
// one value, and is read without having all of it in memory.
//
//  1. [Insert] adds a recording and its parts to the tables of [Schema], in one transaction.
//  2. [List] and [Find] return rows.
//  3. [Copy] reads the parts of one, one after another, and verifies that they are what was stored.
//  4. [Excess] finds the oldest recordings of a service that has too many, and [Delete] deletes one.
//
// All but Copy and Size is for SQLite. The functions keep nothing, and may be called by several
// goroutines. The package does not know what a recording contains.
package parts
