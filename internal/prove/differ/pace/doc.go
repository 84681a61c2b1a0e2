// Package pace divides the time of a comparison among the functions that are called.
//
// A [Pace] has the most time for a function, and the time at which all of them should be done. Functions get equal
// parts of what remains, so those that need less leave more to the others. What a function takes in all is more than
// its time; how much more, the functions before it show. If the time is up by far, [Pace.Over] reports so, and the
// remaining functions are not called.
package pace
