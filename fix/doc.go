// Package fix applies the rewrites that findings suggest, one after the other, and keeps those that
// are proven.
//
// Data flow:
//
//  1. Package prove copies the module's repository into a scratch directory; the user's tree is only
//     read. If there is something to try, the copy is built, vetted and tested.
//  2. For each finding, in rank order, the rewrite is a candidate for package prove, on top of what
//     was kept before. A rewrite that is proven is written to the copy. The others are dropped with
//     the stage and the reason. One that is faster but whose results could not be compared is
//     unproven: it is kept only if the user asks for rewrites that need review.
//  3. find.Find runs again on the scratch copy, and step 2 is repeated for new findings, as long as
//     something is kept. Rewrites whose gain was too small to measure are tried once together.
//  4. Candidates of package find are tried the same way, those of the most expensive lines first,
//     within Options.Budget. Only what is proven is kept, whatever the options.
//  5. A program of the user, if there is one, gets work orders for the most expensive lines
//     (internal/fix/workorder), and writes further candidates. Those that are dropped are part of
//     the next order, with the reason.
//  6. All tests run with everything that was kept. The original is compared with it, and each kept
//     rewrite has its diff, evidence and proof in the result.
//  7. Build and run settings named by findings are tried on top of everything that was kept: two
//     builds of one source, compared by their results and by benchmarks. They change no file.
//
// [Result.Patches] makes a mail for git am of each kept rewrite, with its evidence and proof.
//
// A Result belongs to the caller. Run leaves no files except what the go command caches, even if
// its context ends; only Result.Apply writes to the user's tree.
package fix
