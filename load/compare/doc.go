// Package compare judges the results of loads: one against objectives, or two, A and B, against
// each other.
//
// Data flow for objectives:
//
//  1. [ParseObjectives] reads a list such as "p99<50ms,errors<0.1%,rate>1000" into [Objectives].
//  2. [Measure] takes one [Metric] from a [load.Result]; percentiles that the result does not list
//     are read from its histogram.
//  3. [Objectives.Check] compares the two and returns one [Outcome] for each objective, in order.
//
// An objective on a metric that a result lacks (a latency without answers, the CPU time of a remote
// server) is not held, because nothing shows that it was met.
//
// Data flow for two loads:
//
//  1. [Compare] takes one result per side or, better, several repeated runs per side, and warns of
//     anything that makes the two incomparable: different settings, interrupted runs, runs with
//     warnings.
//  2. Each metric becomes a [Row]: its value on both sides and the difference.
//  3. Where the data allow it, a row has a 95% confidence interval. With at least three runs per
//     side it is from the runs: Welch's interval for the difference of the means of the logarithms,
//     that is, for the ratio of geometric means. With fewer it is from the seconds of the runs, for
//     the metrics that the series has, by a moving-block bootstrap, because consecutive seconds are
//     correlated. Otherwise there is none, and the row notes it.
//
// The interval from runs is the one to trust: it covers everything that differs from run to run.
// The interval from seconds covers only what varies within the given runs, not how the server would
// have performed after another start; and it is about the typical second (the geometric mean of the
// seconds' p99), while the values of the row are of whole runs.
//
// By chance, the interval of one row in twenty excludes "no change". Conversely, "same" only means
// that the data are compatible with "no change": if runs of one side differ by 3%, three runs per
// side detect a change of 10% in seven cases out of ten, and five runs in nearly all.
//
// Comparisons are deterministic: the same results give the same comparison. The package keeps no
// state and does not modify results.
package compare
