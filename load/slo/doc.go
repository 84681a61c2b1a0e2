// Package slo holds service level objectives for a load: what they are, how they are written, and
// whether a result of package load keeps them.
//
// Data flow:
//
//  1. [Parse] reads a list such as "p99<50ms,errors<0.1%,rate>1000" into [Objectives].
//  2. [Measure] takes one [Metric] from a [load.Result]; percentiles that the result does not list
//     are read from its histogram.
//  3. [Objectives.Check] compares the two and returns one [Outcome] for each objective, in order.
//
// An objective on a metric that a result lacks (a latency without answers, the target's CPU time of
// a remote server) is not held: nothing shows that it was kept.
//
// The package has no state and is safe for concurrent use. It does not judge whether the result can
// be trusted ([load.Result.Doubts]) and formats nothing but single values.
package slo
