// Package prove judges changes to a module, whoever wrote them: whether the code still behaves the same,
// and whether it is faster.
//
// Data flow:
//
//  1. Copies left by killed processes are removed. The module's repository is copied into a scratch
//     directory (internal/prove/scratch); the user's tree is only read. What the candidates can affect
//     is built and tested there, so that existing failures are known, test by test.
//  2. A candidate is overlaid on the copy (go's -overlay), so its edits of files that tests read at
//     run time have no effect. The packages that it can affect must build, vet must report nothing
//     new, and every test must have the same result as before.
//  3. Package internal/prove/differ compiles both versions of each changed package into one
//     program, and calls what the change concerns with the same inputs for some time. Their results
//     must be the same. If a function was not compared, or on too few inputs, the change is
//     measured but unproven.
//  4. Package internal/prove/benchmarks finds the benchmarks that run the changed lines, or writes some
//     if there are none, and compares A, without the change, with B, with it, in interleaved rounds. A
//     program under load can replace them.
//  5. The change is proven if some interval shows a gain and none a loss. If only generated benchmarks ran, and
//     are slower, their inputs of each size decide whether that is a trade-off (internal/prove/sizes).
//  6. If requested, package internal/prove/mutants makes small errors in the changed lines, one at
//     a time. The number of them that the tests and the inputs of step 3 notice is the strength of
//     the proof.
//  7. Run looks for costs elsewhere: the benchmarks run between probes (internal/prove/costs), and other
//     benchmarks of the changed packages run for a shorter time. The syntax of a change shows what no
//     benchmark measures (internal/prove/syntax). A change with either is unproven.
//
// Build and run settings are candidates, too: two builds of one source, compared by their results in two processes
// (internal/prove/processes) and by benchmarks. So are the functions that a change of go.mod may affect
// (internal/prove/dependencies), but nothing but a difference is proven of those.
//
// A stage can reject a candidate, but cannot accept one. A Prover leaves no files after Close
// except what the go command caches.
package prove
