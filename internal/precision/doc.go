// Command precision measures how often whet find is right: on well-kept modules of other authors,
// whet makes and measures every rewrite, and the results go to docs/measured/precision.md.
// `make precision` runs it, from the module's root, with whet built.
//
//  1. The modules and their versions are fixed (modules.go). Each is downloaded from the module proxy
//     with `go mod download` and copied into a new repository, below -work.
//  2. whet records the module's benchmarks, finds what has at least 1% of a profile, and tries every
//     rewrite that needs no review, within a time for each (run.go).
//  3. The outcome of a finding is a verdict (verdict.go): right if the rewrite is kept; wrong if it
//     does not build, fails tests, returns different results, is slower, or gains nothing where a
//     measurable gain was predicted; open if nothing was shown.
//  4. What whet cannot decide, mainly findings without a rewrite, a reviewer judges: judged.json has
//     these verdicts with a sentence for each (judged.go). Measured verdicts take precedence.
//  5. Results go to docs/measured/precision/results.json after each module, and the page is rendered
//     from them (results.go, page.go). A test renders it again and compares, so every figure on it
//     was measured.
//
// A module with complete results for its version is not measured again unless it is named or -again
// is set: an interrupted run continues where it stopped. whet runs as a program, as for its users;
// child processes end with this one. Only this command downloads modules, tests never do.
package main
