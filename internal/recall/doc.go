// Command recall measures how much of what maintainers made faster whet finds and proposes by itself:
// the changes are commits of public modules that gain 10% or more on a benchmark. `make recall` runs
// it, from the module's root, with whet built, and writes docs/measured/recall.md.
//
//  1. The changes are functions of a module in two consecutive releases, in the form of
//     internal/power's corpus: cases of that, and those in the directory corpus here (sources.go). A
//     reviewer has given each the kinds of cost that it removes, by reading it (cases.json, cases.go).
//     A third, chosen by a hash of the names, is held back.
//  2. benchmarks/*.txtar has a benchmark for each case whose module has none (carried.go). Both versions
//     are measured with it, which is the maintainers' gain. For other cases, whet's proof of the change
//     chooses the benchmarks, or writes one. The old version, with these benchmarks, is recorded (run.go).
//  3. whet find and whet fix see only the old version and the recording. A case counts as diagnosed
//     if a changed line has a diagnosis, of the right kind if that is one of the reviewer's, proposed
//     if its function has a rewrite or a candidate, and proven if whet fix keeps one there. Its gain
//     on the same benchmark is next to the maintainers' (judge.go).
//  4. Results go to docs/measured/recall/results.json after each case, and the page is rendered from
//     them (results.go, page.go). A test renders it again and compares.
//
// With -verify, it only checks that each case is one: how many lines of how many functions change, and
// that a benchmark gains 15% of time, or 10% of allocations or bytes, in short runs by turns of which
// the fastest count, so that a machine that does other work gives the same answer (verify.go, quick.go).
// checked.json has the answers, and a test fails for a case without one.
//
// A case with results is not measured again unless it was edited or -again is set, so that an interrupted
// run continues. -cases selects some by name, -for ends a run after a time, -limit bounds each case, and
// -look only prints what whet find finds of cases that are not held back. Each line of the log has the
// progress and an estimate (progress.go). Modules come from the module proxy; tests download nothing.
package main
