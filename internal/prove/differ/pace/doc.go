// Package pace divides the time of a comparison among the functions that are called.
//
// A [Pace] has the most time for a function, and the time at which all of them should be done. Functions get equal
// parts of what remains, so those that need less leave more to the others. If the time is up by far, [Pace.Over]
// reports so, and the remaining functions are not called.
//
// The zero value limits nothing. A Pace is a value: it has no state, and reads only the clock.
package pace
