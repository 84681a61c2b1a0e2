// Package scrape profiles many services at intervals and writes the profiles to a store.
//
// Data flow:
//
//  1. [New] takes a configuration of package config. [Engine.Run] starts the sources of targets of
//     each job (package discover); their labels pass the relabeling rules (package relabel).
//  2. Each target has a goroutine with a schedule: a place in the interval that its address
//     determines, so that scrapes are spread, and some jitter. A target that fails waits longer
//     each time. A round that is missed is left out.
//  3. A scrape needs its target, which only one scrape at a time may have, and one of a limited
//     number of connections. Targets that failed before share a quarter of these, so that many
//     that hang do not delay the rest.
//  4. Profiles are fetched one after the other, within limits of time and size, and decoded. A
//     profile that counts from the start of its program is measured by the target for some seconds,
//     or else the previous one is subtracted.
//  5. A queue of limited memory passes profiles to the store in batches. It retries while the store
//     fails; what does not fit meanwhile is dropped, counted and reported. With a buffer on disk
//     (package buffer), profiles wait there, are stored in the order in which they came, and survive
//     the end of the process; those of services that the store takes do not wait for the others.
//  6. If a job has triggers, package collect/watch records its targets' flight recorders, and the
//     profiles of these recordings go the same way. The recordings themselves are stored, or wait in the
//     buffer.
//
// An Engine owns all that it starts: Run returns after it has ended. [Engine.Status] may be called
// at any time. Callbacks come from several goroutines, one at a time. Tokens are read from their
// files for each scrape, and are in no error, label or document. The package does not store
// anything itself and does not print.
package scrape
