// Command power measures how often whet prove is right: on changes whose effect is known. `make
// prove-power` runs it, from the module's root; the page is docs/measured/prove-power.md.
//
//  1. The corpus has two parts. corpus/*.json names functions of public modules and two released
//     versions of each, with a label, same or different, and why (corpus.go). cheats/*.txtar are
//     modules written for this, in two versions (cheats.go). The code of others is not stored.
//  2. A change is made when it is measured (change.go): the module at version A comes from the
//     module proxy (internal/modproxy), and the functions get the text of version B, with what they
//     need (internal/power/splice). For some cases, B then gets an error: a mutant of the functions
//     (mutants.go).
//  3. prove.Run judges the change, within a budget (run.go). Its result is stored in results.json
//     after each case, so an interrupted run continues where it stopped (results.go). The order is that
//     of hashes: what it has judged until then is a sample.
//  4. The page is rendered from the results (page.go): false accepts, false rejects, what is unproven
//     and why, and the time. A test renders it again and compares, so every figure was measured.
//
// Half of the cases, chosen by a hash of their names, are held back: they are run only with -held,
// once whet is no longer improved with the others.
//
// Four more commands make the corpus. "mine MODULE..." lists small changes between consecutive
// releases that look like performance changes, as Markdown (miner.go, signals.go); a reviewer reads
// them and writes the labels. "mutants CASE" lists the mutants of a case, "diff REGEXP" shows the
// changes of cases, and "versions CASE DIR" writes the two versions of one.
package main
