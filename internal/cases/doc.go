// Command cases reproduces the figures of the articles that whet began with, and writes the pages of
// docs/measured/cases. `make cases` runs it, from the module's root, with whet built.
//
//  1. A study (list.go) is one page: an example in two versions, the steps to measure it, and the
//     figures in its article.
//  2. The steps run whet as its users do, one after the other (run.go): comparisons of benchmarks
//     and of services with --json, recordings, and views of these as text.
//  3. Their results are written to docs/measured/cases/results/NAME.json, without the single rounds
//     (results.go).
//  4. The page is a template of prose (pages/NAME.md) with tables and single figures (render.go,
//     table.go), written to docs/measured/cases/NAME.md. A test renders all pages from the stored
//     results and compares, so every figure on a page was measured.
//
// With -published, which `make published` runs, the studies are services as their articles published
// them (publishedlist.go), in two directories below examples/published. whet fixes a copy of the first
// version, and bench --service and bench compare it with the result and with the author's last version
// (published.go). Everything is in .bin/published until a run is complete, so the next one continues an
// earlier one. The results are results/published-NAME.json, and the page, for all of them, is
// docs/measured/published.md (publishedpage.go).
//
// A study that fails is reported, and the others continue; its page stays unchanged. All processes
// end with the program. It uses loopback addresses only.
//
// It neither measures nor judges: figures, intervals and verdicts are whet's.
package main
