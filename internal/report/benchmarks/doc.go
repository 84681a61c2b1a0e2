// Package benchmarks renders results of benchmarks: comparisons of files and of builds, in
// rounds and along commits, of benchmarks and of services under load.
//
// Data flow:
//
//  1. Packages bench, bench/ab, bench/history and service compute; this package formats.
//  2. Each result has a writer for text, and where it is shared also for Markdown, CSV and a
//     page: [WriteComparison], [WriteMarkdown], [WriteCSV], [WritePage].
//
// [WriteBenchstat] writes what benchstat would, byte for byte. The package holds no state.
package benchmarks
