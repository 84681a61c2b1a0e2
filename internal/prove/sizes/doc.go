// Package sizes decides what generated benchmarks show that are slower, from their inputs of each size alone.
//
//  1. Package benchmarks compares two builds by the inputs of each size: a subject has the name of the benchmark, a
//     slash, and size=8, or inputs=unusual for inputs as comparisons have them, or inputs=captured for those of calls
//     that the program made.
//  2. [Judge] collects the gains and losses of the subjects. A change that only loses is slower. One that gains with
//     some inputs and loses with others, or gains one figure and loses another, is a trade-off: which inputs the
//     program gets decides, and that is unknown.
//
// It measures nothing.
package sizes
