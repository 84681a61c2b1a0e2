// Package benchmarks renders results of benchmarks: comparisons of files and of builds, in
// rounds and along commits, of benchmarks and of services under load.
//
// Data flow:
//
//  1. Packages bench, bench/ab, bench/history and service compute; this package formats.
//  2. Each result has a writer for text, and where it is shared also for Markdown and a page:
//     [WriteComparison], [WriteMarkdown], [WritePage].
//
// Formats of other tools are in internal/bench/export. The package holds no state.
package benchmarks
