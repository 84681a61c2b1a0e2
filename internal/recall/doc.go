// Command recall measures how much of what maintainers made faster whet finds and proposes by itself:
// the changes are commits of public modules that gain 10% or more on a benchmark. `make recall` runs
// it, from the module's root, with whet built, and writes docs/measured/recall.md.
//
//  1. The changes are cases of internal/power, by name: a function of a module in two consecutive
//     releases. A reviewer has given each the kinds of cost that it removes (cases.json, cases.go). A
//     third, chosen by a hash of the names, is held back.
//  2. whet's proof of the maintainers' change chooses the benchmarks, and writes one if the module has
//     none; its figures are the maintainers' gain. The old version, with these benchmarks, is
//     recorded (run.go).
//  3. whet find and whet fix see only the old version and the recording. A case counts as diagnosed
//     if a changed line has a diagnosis, of the right kind if that is one of the reviewer's, proposed
//     if its function has a rewrite or a candidate, and proven if whet fix keeps one there. Its gain
//     on the same benchmark is next to the maintainers' (judge.go).
//  4. Results go to docs/measured/recall/results.json after each case, and the page is rendered from
//     them (results.go, page.go). A test renders it again and compares.
//
// A case with results is not measured again unless it is named or -again is set. Modules come from the
// module proxy; tests download nothing.
package main
