// Package benchmarks proposes changes of hot lines in the bodies of benchmarks, where these are what was
// recorded.
//
// Data flow:
//
//  1. [Propose] takes the diagnoses of lines of benchmarks from a result of package find.
//  2. It loads their packages with test files, and runs rules and generators on the lines.
//  3. What compiles becomes a candidate of the result. It is never a finding: a benchmark cannot judge a
//     change of itself.
//
// The package has no state. It does not look at test helpers, whose cost is not what a benchmark is about.
package benchmarks
