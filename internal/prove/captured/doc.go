// Package captured writes the arguments of calls that a program made as Go source, for comparisons and benchmarks of
// the functions.
//
//  1. [In] reads the calls of recordings, and [Of] indexes them by function. Those of several recordings alternate.
//  2. [Calls.Source] writes a file of a package that makes the arguments of its functions' calls. A value that was
//     copied whole is a literal. Of a struct of which parts are missing, the fields that are known are set in a value
//     that a maker of package makers has made; what is not known at all is made. Texts and lists that were cut are
//     repeated up to their length, and so is a placeholder for what was redacted. Texts that were not redacted, numbers
//     and lists of numbers are passed through functions of the support, which change them a little in some runs.
//     Of a list in such a struct, the length and the dynamic types of its elements are kept. Methods of which there is
//     no call get the receivers of other methods of their type.
//  3. [Calls.Texts] has the short texts, as words that other inputs are made of.
//
// The file is the same for both versions of a package: values have the types of the version that it is compiled into.
// Of a type that is declared otherwise in the other version, nothing is known: its fields may depend on new ones. Calls
// of generic functions belong to the instances with their type arguments, if these can be called. The size of a file
// is limited.
package captured
