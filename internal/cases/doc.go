// Command cases reproduces the figures of the articles that whet began with, and
// writes the pages of docs/measured/cases. It is what `make cases` runs, from the module's
// root, with whet built.
//
//  1. A study (list.go) is one page: an example in two versions, the steps to
//     measure it, and the figures that its article gives.
//  2. The steps run whet as its users do, one after the other (run.go): comparisons
//     of benchmarks and of services with --json, recordings, and views of these as
//     text.
//  3. What they gave is written to docs/measured/cases/results/NAME.json, without the single
//     rounds (results.go).
//  4. The page is a template of prose (pages/NAME.md) which asks for tables and
//     single figures (render.go, table.go), written to docs/measured/cases/NAME.md. A test
//     renders all pages from the stored results and compares, so a page holds no
//     figure that was not measured.
//
// A study that fails is named, and the others go on; its page stays as it was. All
// processes that are started end with the program. Nothing but loopback addresses
// is used.
//
// It measures nothing itself and judges nothing: figures, intervals and verdicts are
// whet's.
package main
