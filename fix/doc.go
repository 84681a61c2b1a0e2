// Package fix makes the rewrites that findings suggest, one after the other, and keeps those that
// are proven.
//
// Data flow:
//
//  1. Copies that killed processes left are removed. The module's repository is copied into a scratch
//     directory; the user's tree is only read. It is built, vetted and tested as it is: what fails
//     already is known then.
//  2. For each finding in rank order the rewrite is laid over the scratch copy (go's -overlay) on
//     top of what was kept before. The packages that it can affect must build, vet must have
//     nothing new to say, and their tests must pass.
//  3. Package fix/differ writes tests that call the old and the new function with the same inputs;
//     the fuzzer runs them for a while. Nothing may differ.
//  4. Package bench/builds compares A, without the rewrite, with B, with it, in interleaved rounds of
//     the benchmarks that reach the changed lines; package fix/written writes one where none does. A
//     program under load takes their place.
//  5. Kept is what some interval shows to gain and none to lose; it is written to the scratch copy.
//     The others are dropped with the stage and the reason.
//  6. find.Find looks once more in the scratch copy, and 2 to 5 are done with what is new, as long
//     as something is kept. What gained too little to be seen is tried once together.
//  7. All tests run with all that was kept. The original is compared with it, and each kept rewrite
//     becomes a patch with its evidence and proof in the message.
//  8. Settings of the build and the run that findings name are tried on top of all that was kept: two
//     builds of one source, compared by their answers and by benchmarks. They are in no patch.
//
// A Result belongs to the caller. Run leaves nothing behind but what the go command caches, also
// when its context ends; Result.Apply alone writes to the user's tree.
package fix
