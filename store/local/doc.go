// Package local is the store of profiles in a directory: one SQLite database, written by one
// process and read by any number.
//
//	DIR/store.db      tables below; with store.db-wal and store.db-shm while it is open
//	DIR/lock.db       empty; locked by the process that writes
//
//	series      tenant, service, kind, labels
//	dictionary  tenant, service: the stacks, locations and functions of a service, each once
//	chunk       dictionary, first, last: stacks [first, last) with what is new in them, packed
//	head        sample types and period, of the profiles that share them
//	profile     series, head, dictionary, start, duration, hash, samples, and packed columns:
//	            numbers of stacks, labels, values
//	result      documents of measurements, by commit
//	recording   tenant, service, labels, start, size and SHA-256 of a .whet file
//	part        recording, number: a MiB of its file, or the rest
//
// Packed columns are numbers of variable length, compressed by zstd with a checksum; codec.go and
// chunk.go draw them.
//
// Data flow when writing:
//
//  1. [Store.Write] checks limits and computes the IDs of a batch, and hands it to the writer, a
//     goroutine.
//  2. The writer takes the batches that wait and begins a transaction. For each new profile it
//     finds the numbers of its stacks in the dictionary of the service, which it holds in memory,
//     and inserts the packed columns; then what the dictionaries gained, as chunks.
//  3. It commits: the log is on the disk, and all these batches are acknowledged. If anything
//     fails, the transaction is rolled back and what was in memory is read again.
//  4. Small chunks are joined, and a dictionary that is large or old is closed, so that retention
//     can drop it with its last profile.
//
// Data flow when reading:
//
//  1. A query is one read transaction, so it sees whole batches, and does not wait for the writer.
//  2. [Store.Merge] adds the values of all rows of a dictionary by the number of the stack, makes
//     one profile of each dictionary, and adds it to a profile.Sum while the next one is read.
//
// A Store is safe for concurrent use. Memory is bounded by Options.Memory for dictionaries that are being
// written, which queries share, by a third of it for others, by the limits for what is being written, and by
// the size of the result for queries, of which a few dictionaries are in memory at a time.
package local
