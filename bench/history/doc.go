// Package history keeps results of benchmarks by commit and finds the commits that changed them.
//
// Data flow:
//
//  1. [Add] stores results in Go's benchmark format in a directory, one file for each run, named by
//     the time and the hash of the commit. The files stay in that format; what else is known about
//     a run is in their keys (docs/formats/bench-history.md).
//  2. [Read] reads a directory. Measurements that were made on one machine (CPU, system,
//     GOMAXPROCS, Go version) of one benchmark in one unit become a [Series] along the commits, in
//     their order in git. Where runs measured a base commit at the same time, the series is of the
//     ratios to it: that removes differences between days.
//  3. Change points are found in all series together (below).
//  4. [Report.Check] compares the newest commit with [Gate]s.
//
// # Change points
//
// The method is E-divisive: Matteson and James, "A Nonparametric Approach for Multiple Change Point
// Analysis of Multivariate Data", Journal of the American Statistical Association 109 (2014), as
// used for benchmarks along commits by Daly, Brown, Ingo, O'Leary and Bradford, "The Use of Change
// Point Detection to Identify Software Performance Regressions in a Continuous Integration System",
// ICPE 2020. A segment is split where the energy distance (with exponent 1) between its two parts
// is largest, if permutations of the segment rarely reach that distance; then its parts are
// examined in the same way. Values are the medians of the commits, as logarithms. The additions
// here are:
//
//   - False discoveries are controlled over all series. The segments of all series that are open
//     are tested together, in rounds; the p values of a round are adjusted by [bench.Adjust]. The
//     rounds are the levels of Yekutieli, "Hierarchical False Discovery Rate-Controlling
//     Methodology", JASA 103 (2008).
//   - Permutations end early where they show nothing (Besag and Clifford, "Sequential Monte Carlo
//     p-Values", Biometrika 78, 1991), and continue as long as the number of tests requires.
//   - A segment has at least 3 commits, and the parts must also differ by ranks (the Mann-Whitney U
//     test): a single outlier is not a change.
//   - A change is located again between its neighbors, and dropped if the interval of its size
//     (Hodges and Lehmann, with the interval of the U test) then includes zero.
//
// A [Report] belongs to the caller. The package keeps no state. Permutations run on all CPUs, in
// goroutines that end before [Read] returns. git, if installed, provides the order and the subjects
// of commits. The same files give the same report: permutations are drawn from fixed seeds, one for
// each series.
//
// Memory: all measurements of the directory, eight bytes each. Only the newest 2000 commits of
// a longer series are used.
//
// The package neither runs benchmarks nor renders reports: see bench/gotest and internal/report.
package history
