// Package diagnosis determines what kind of cost an expensive line has, how much of it a change
// could save at most, and why there is or is no rewrite.
//
// Data flow:
//
//  1. [Class] decides the kind of cost of one function by its name: a table of packages and
//     functions of the standard library and the runtime.
//  2. [Kind.Around] combines the functions below a line to the kind of a sample. A function that
//     says what the work is for wins over what it calls: fmt.Sprintf is formatting, although it
//     allocates. A function that only passes work on, such as io.Copy or one of a dependency, has
//     the kind of what it calls.
//  3. Package find adds up a line's samples by kind, for each kind of profile.
//  4. [Of] names the largest kind. Allocation profiles omit the runtime's functions, so what a line
//     allocates itself is classified by the compiler's notes, by the same line's CPU samples and by
//     its source.
//
// All functions are pure, and results belong to the caller.
//
// The package does not read profiles, and does not look for rewrites: the rules of package find do.
package diagnosis
