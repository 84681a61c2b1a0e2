// Package slo holds service level objectives for a load: what they are, how they
// are written, and whether a result of package load keeps them.
//
// Data flow:
//
//  1. [Parse] reads a list such as "p99<50ms,errors<0.1%,rate>1000" into
//     [Objectives].
//  2. [Measure] takes one [Metric] out of a [load.Result]; percentiles that the
//     result does not list are read from its histogram.
//  3. [Objectives.Check] holds the two together and returns one [Outcome] for each
//     objective, in order.
//
// A metric that a result cannot tell (a latency without answers, the target's
// processor time of a remote server) keeps no objective: nothing shows that it
// was kept.
//
// The package has no state and may be used by many goroutines. It does not judge
// whether the result can be believed ([load.Result.Doubts]) and formats nothing
// but single values.
package slo
