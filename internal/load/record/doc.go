// Package record adds up what the connections of a load measure.
//
// Data flow:
//
//  1. [New] makes a [Recorder] with a [Shard] for every few connections.
//  2. A worker reports each outcome to its shard: [Shard.Response], [Shard.Failure] and the others.
//     A shard counts into a tally: a histogram of latencies and a few counters.
//  3. Once a second [Recorder.Cut] folds the tallies of all shards into the total and returns the
//     [Second]. It swaps each tally for an empty one, so recording never waits while one is read.
//  4. [Recorder.Finish] ends the last second. [Recorder.Summary], [Recorder.Targets] and
//     [Recorder.Phases] then describe the run; Summary also describes a run in progress.
//
// Latencies of the run are kept in HDR histograms with three significant digits (260 kB each),
// those of single targets and of phases in small histograms within 1.6%. Memory does not depend on
// the number of requests.
//
// Shards are safe for concurrent use; the other methods of a Recorder must be called by one
// goroutine at a time.
package record
