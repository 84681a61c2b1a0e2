// Package identity identifies what a store has by hashes of its content, so that shards and processes
// need no shared counter.
//
// Data flow:
//
//  1. [Frame] encodes a location and its lines ([AppendLines]) and returns a hash; [Series] does so for
//     the service, kind and labels of a profile, and [Of] for any content.
//  2. [ReadLines] decodes the lines that were stored next to the hash of a frame.
//
// Functions keep no state, and may be called by several goroutines. The package does not store anything.
package identity
