// Command precision tells how often whet find is right: on ten modules that others wrote and keep
// well, it has whet make and measure every rewrite, and writes docs/measured/precision.md. It is what
// `make precision` runs, from the module's root, with whet built.
//
//  1. The modules and their versions are fixed (modules.go). Each is taken from the module proxy with
//     `go mod download` and copied into its own repository, below -work.
//  2. whet records the module's benchmarks, finds what has at least 1 % of a profile there, and tries
//     every rewrite that needs nobody's review, within a time for each (run.go).
//  3. What became of a finding is a verdict (verdict.go): right when the rewrite is kept; wrong when
//     it does not build, fails tests, answers differently, is slower, or gains nothing where a gain
//     large enough to be seen was foreseen; open when nothing was shown.
//  4. What whet cannot decide, findings without a rewrite above all, is read by somebody, whose
//     verdicts are judged.json, with a sentence for each (judged.go). Measured verdicts go before.
//  5. Results go to docs/measured/precision/results.json after each module, and the page is rendered from
//     them (results.go, page.go). A test renders it again and compares, so it holds no figure that
//     was not measured.
//
// A module with complete results of its version is not measured again unless it is named, or -again
// is given: an interrupted run goes on where it ended. whet runs as its users run it, as a program;
// children end with this one. Modules are downloaded here only, never in tests.
package main
