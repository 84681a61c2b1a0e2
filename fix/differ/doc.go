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
//  3. The support file (support.txt) has the makers of values and the comparison. It uses the
//     standard library only, since it is compiled into the user's package.
//
// A function that answers differently each time (time, random numbers) is run several times; the
// new one's answer must be one of the old one's, or become one when digits are masked, if the old
// one's answers differ in digits only.
//
// A type of which no value can be made is an *UnsupportedError that names it: nothing is claimed
// then. Generate has no state. Running the tests is for package fix.
package differ
