// Package reproducer writes tests of inputs on which two versions of a function differ.
//
// Data flow:
//
//  1. The program that package differ fuzzes records a run as JSON: the values that the old function
//     was called with as Go expressions, and what it answered.
//  2. Read reads the record. Tests returns test files, the shortest first, that make these calls and
//     compare what differs with the old answers.
//
// Whether a test passes with the old version and fails with the new one must be tried: the answers may
// depend on time, and an expression may show less of a value than the function sees. In recorded code,
// «path» stands for the name of a package and «» for the value that is compared.
package reproducer
