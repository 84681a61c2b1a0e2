// Package differ writes tests that compare a function as it was with the function as it is, on the
// same inputs.
//
// Data flow:
//
//  1. Generate takes the package as it was, with types, and the functions that changed. For each it
//     writes the old one under another name into a test file of the same package, and a fuzz
//     target that makes a receiver and arguments out of the fuzzer's bytes, twice alike, and calls
//     the old and the new function with them, several times in a row on one receiver: what a call
//     leaves behind shows in the next.
//  2. What is compared is all that can be seen: results, panics, what was written to the writers
//     and loggers among the arguments, which functions were called with what, and the receiver and
//     the arguments afterwards.
//  3. Generic functions are called with the type arguments that the package's own code gives them,
//     else with some that their constraints allow. Where a function cannot be called, functions that
//     call it are compared instead. A function or handler that is returned is called, too.
//  4. The support files (support/) have the makers of values and the comparison. They use the
//     standard library only, since they are compiled into the user's package. An interface that no
//     type of the module has is made as one that notes its calls and answers with drawn values.
//  5. Dump writes tests that print answers instead, for two builds of one source; CompareDumps
//     compares what they printed.
//
// A function that answers differently each time (time, random numbers) is run several times; the
// new one's answer must be one of the old one's, or become one when digits are masked, if the old
// one's answers differ in digits only. Where no answer comes often, their lines are compared.
//
// Inputs on which the old function only panics are counted apart, as they prove little; those on which
// it does not end within seconds are passed over, and a new one that does not end there differs.
//
// A type of which no value can be made is an *UnsupportedError that names it: nothing is claimed
// then. A File, with which Generate, Dump and package fix/written write, is for one goroutine;
// otherwise there is no state. Running the tests is for package fix.
package differ
