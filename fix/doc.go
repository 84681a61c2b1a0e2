// Package fix applies the rewrites that findings suggest, one after the other, and keeps those that
// are proven.
//
// Data flow:
//
//  1. Copies left by killed processes are removed. The module's repository is copied into a scratch
//     directory; the user's tree is only read. The copy is built, vetted and tested, so that
//     existing failures are known.
//  2. For each finding, in rank order, the rewrite is overlaid on the scratch copy (go's -overlay),
//     on top of what was kept before. The packages that it can affect must build, vet must report
//     nothing new, and their tests must pass.
//  3. Package internal/fix/differ writes tests that call the old and the new function with the same
//     inputs; the fuzzer runs them for some time. Their results must be the same.
//  4. Package bench/builds compares A, without the rewrite, with B, with it, in interleaved rounds of
//     the benchmarks that run the changed lines. If there are none, package differ writes one. A
//     program under load can replace them.
//  5. A rewrite is kept if some interval shows a gain and none a loss; it is written to the scratch
//     copy. The others are dropped with the stage and the reason.
//  6. find.Find looks again in the scratch copy, and steps 2 to 5 are repeated for new findings, as
//     long as something is kept. Rewrites whose gain was too small to measure are tried once
//     together.
//  7. All tests run with everything that was kept. The original is compared with it, and each kept
//     rewrite becomes a patch with its evidence and proof in the message.
//  8. Build and run settings named by findings are tried on top of everything that was kept: two
//     builds of one source, compared by their results and by benchmarks. They are not in any patch.
//
// A Result belongs to the caller. Run leaves nothing behind except what the go command caches, even
// when its context ends; only Result.Apply writes to the user's tree.
package fix
