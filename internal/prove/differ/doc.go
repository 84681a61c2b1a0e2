// Package differ compares two versions of a package by calling their functions with the same
// generated inputs, and writes benchmarks of functions that no benchmark of the module runs.
//
// Data flow:
//
//  1. Compare takes a scratch copy of a module, and the files of its new version. For each package
//     that the change concerns it writes the new version into a directory below the old one
//     (package twin), so that both can be compiled into one program: the same package under two
//     import paths. Each has its own variables and types. The packages that it depends on are copied,
//     too, if they change or depend on one that does (package importers), so that nothing of the new
//     version calls the old one.
//  2. Both versions are loaded, and their declarations compared: functions, constants, variables,
//     types and fields (package declarations). A changed function is called if it has the same signature in
//     both versions and its arguments can be made in both. Otherwise, and for all else that has
//     changed, the functions that use it are called, up the static call graph of the package
//     (graph.go). The result names the route. What this does not show is an effect (effects.go, package
//     effects): users of exported constants, variables and types, and callers of what cannot be called,
//     are called in other packages of the module, too, each in a program with the copies that it needs
//     (users.go). Lines that use what has changed must run. Comparison.Outside says what other modules
//     may see.
//  3. One generated file with makers of values (package makers) is compiled into both versions, so
//     that both make the same values from the fuzzer's bytes, each with its own types. A fuzz target
//     next to the old version runs a call in both, several times on one receiver: the effects of a
//     call show in the next one. The program is built with the fuzzer's instrumentation of both
//     versions, so coverage of either guides it. Before the fuzzer, which hands each input to another
//     process, the target runs as a test with thousands of random inputs. The makers choose among the
//     constants of both versions and what nearly equals them, since Go's fuzzer does not solve
//     comparisons. In some runs, values of one interface are mostly of one type. Values of recursive types are
//     trees of bounded size; two pointers may lead to the same value, and an argument may be a part of the receiver or
//     of an argument before it. Nodes with a field for their parent mostly form a tree (support/graph.txt). Up to three
//     other methods of the receiver are called before (package states). A method that makes a value slowly is avoided,
//     and so is one that is called before and varies or panics. If the process ends, as it does when a tree contains
//     itself, no other methods are called. Texts are mostly those that the package encodes, if it can, in some runs
//     (support/encoded.txt), and in others words of the package of one shape, such as versions. Exported booleans and
//     writers that the function reads are set in some runs. If an unexported function differs, its callers draw on what
//     its arguments were made of.
//  4. Everything observable is written out and compared as text, because the types of the versions
//     differ: results, panics, what was written to the writers and loggers among the arguments,
//     which functions were called with what, and the receiver and the arguments afterwards, without
//     the fields that only one version has, and in the order of the names of fields. Aliasing is part
//     of it (support/memory.txt): the new function must not return memory of an argument or the
//     receiver, or change an earlier result, unless the old one does so with some input. If only the
//     old one changes earlier results, an Outcome is unproven. So are the types of values in results of interface
//     types (support/held.txt), as far as others can ask for them: by name, or by methods. More methods than
//     before make an Outcome unproven.
//     Functions among the arguments are made up. One that takes arguments and returns only values (booleans,
//     numbers, strings) is a question, such as less: its arguments decide the answer, also how it orders or equates
//     them. Asking otherwise than before, with the same results, makes an Outcome unproven. Calls of any other
//     function, or of one whose name or type says that it is a visitor or yield, are effects (roleOf in makers).
//     When the fuzzer's bytes are used up and an effect was called often, it returns what loops wait for: nil, an end,
//     false and then true. A run that does little else than call them is ended (Source.counted).
//     Functions share the time of the comparison (package pace).
//  5. An Outcome (package counts) has the number of inputs, of those on which both returned, and of distinct
//     answers. Below the floors of Outcome it proves nothing. The inputs that the fuzzer found
//     interesting run again with coverage: a changed function does not count as compared if they miss
//     a place that changed, or half of the changed blocks.
//  6. While the copy is initialized, the flags, the default ServeMux and Prometheus's default
//     registry are replaced, because they reject the same name twice. If the program panics at its start
//     all the same, the copy's functions init leave calls of other packages, such as sql.Register, until
//     the old version is initialized, and panics about what is registered twice are ignored. If that
//     does not help, or the package uses cgo or defines a symbol of another package with go:linkname,
//     Compare returns tests for two processes instead, as Dump does, which are not guided by coverage.
//     Assembly is copied with the package; the callers of a function whose assembly changes are called.
//     The package's own tests are not compiled.
//  7. Generic functions are called with the type arguments used in the package's own code, and
//     exported ones also with others that their constraints allow (package generics). Returned
//     functions and handlers are called, too, even if they are returned as an interface, and so are
//     those that they return, as a middleware does, and interfaces with one method that wrap an argument.
//  8. What generated code calls, and the comparison, are a package (support/), which is written below
//     the module in a directory that patterns do not match. Both versions, all packages of the module
//     and all mutants share it: it is compiled once.
//  9. Dump writes tests that print results instead, for two builds of one source; package dumps
//     compares what they printed.
//  10. Benchmarks writes benchmarks into a test file of the same package. Their makers of values
//     return typical ones instead of edge cases: of several sizes, from the words in the package's
//     code and tests, requests with the headers that browsers send, writers that discard. A
//     benchmark tries inputs first and takes those on which a call returns without a panic and, if
//     possible, without an error; if its coverage is measured, it prefers those that run something
//     new. If typical ones do not run the relevant lines, it takes inputs of the comparison. Picked
//     has later processes, of both versions, take the same ones. If a call leaves its input
//     unchanged, the call is repeated, and readers are rewound before each call; otherwise inputs are
//     made again while the timer is stopped. Inputs of each size can run alone, as sub-benchmarks. If the
//     relevant lines are in a function literal, the loop calls the function that is returned; the function
//     itself is called before the loop.
//  11. Mutate builds the program of Compare again, with mutants (package mutants) of the changed lines
//     of the new version. A Mutated runs it with the inputs that the fuzzer found, one mutant at a
//     time, and has the files for running the package's own tests the same way.
//
// A function whose results vary (time, random numbers) is run several times; the new one's result
// must equal one of the old one's, or do so when digits are masked, if the old one's results differ
// only in digits. If no result recurs, their lines are compared.
//
// A call that would end the process (os.Exit, log.Fatal) ends the run instead, by a hook of the runtime
// (support/exit.txt): both versions must end it after the same effects. If the hook does not link, as with another
// release of Go, such a function is not compared.
//
// Inputs on which the old function only panics are counted separately, because they prove little.
// Inputs on which it does not return within seconds are skipped; if only the new one does not
// return, that is a difference.
//
// A type whose values cannot be made results in an *UnsupportedError that names it; nothing is
// claimed for the function. The package has no state. Package prove runs the benchmarks, determines
// whether a benchmark runs the relevant lines, and runs it on both sides of a comparison with the
// same inputs. Such a benchmark is for comparisons only: it does not show how fast the function is
// on the inputs of a service.
package differ
