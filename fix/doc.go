// Package fix makes the rewrites that findings suggest, one after the other, and keeps those that
// are proven.
//
// Data flow:
//
//  1. The module's repository is copied into a scratch folder; the user's tree is only read. Its
//     tests run once as they are: what fails already is known then.
//  2. For each finding in rank order the rewrite is laid over the scratch copy (go's -overlay) on
//     top of what was kept before. It must build, vet must have nothing new to say, and the
//     module's tests must pass.
//  3. Package fix/differ writes tests that call the old and the new function with the same inputs;
//     the fuzzer runs them for a while. Nothing may differ.
//  4. Package bench/builds compares A, without the rewrite, with B, with it, in interleaved rounds of
//     the benchmarks that reach the changed lines; package fix/written writes one where none does.
//  5. Kept is what some interval shows to gain and none to lose; it is written to the scratch copy.
//     The others are dropped with the stage and the reason.
//  6. In the end the original is compared with all that was kept, and each kept rewrite becomes a
//     patch with its evidence and proof in the message.
//
// A Result belongs to the caller. Run leaves nothing behind but what the go command caches, also
// when its context ends; Result.Apply alone writes to the user's tree.
package fix
