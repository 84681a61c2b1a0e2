// Package compare says by how much the results of two loads, A and B, differ, and how
// sure that is.
//
// Data flow:
//
//  1. [Compare] takes one result a side or, better, several repeated runs a side,
//     and warns of what makes the two incomparable: other settings, interrupted or
//     doubtful runs.
//  2. Each metric becomes a [Row]: its value on both sides and the difference.
//  3. Where the data allow it, a row has a 95 % confidence interval. With three runs a
//     side or more it is from the runs: Welch's interval for the difference of the
//     means of the logarithms, that is, for the ratio of geometric means. With fewer
//     it is from the seconds of the runs, for the metrics that the series has, by a
//     moving-block bootstrap, because seconds that follow each other are alike.
//     Otherwise there is none, and the row says so.
//
// The interval from runs is the one to trust: it sees everything that differs from
// run to run. The interval from seconds sees only what varies within the runs at
// hand, not how another start of the server would have done; and it is about the
// typical second (the geometric mean of the seconds' p99), while the values of the
// row are of whole runs.
//
// One row in twenty excludes no change by chance. The other way round, "same" means
// only that no change is not excluded: when runs differ by 3 % among themselves, three a
// side show a change by 10 % in seven cases of ten, five in nearly all.
//
// Everything is deterministic: the same results give the same comparison. The package
// keeps no state; results are only read.
package compare
