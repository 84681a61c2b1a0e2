// Package unit defines the quantities that packages exchange, and formats them.
//
// Data flow:
//
//  1. A number that leaves an engine carries its unit in its type ([Bytes], [Count], time.Duration)
//     or, where the unit is only known at run time as in a profile's value column, is a [Quantity].
//  2. A report either formats each number in the unit that suits it ([Quantity.String]) or first
//     chooses one unit for a whole column ([CommonUnit], [Quantity.In]).
//
// No other package of whet formats units. The text is what go tool pprof prints for the same value
// ("1.25s", "340ms", "12.50MB"), so that numbers can be compared by eye; a test compares the two.
//
// The package has no state, is safe for concurrent use and imports only the standard library. It
// does not pad or align: reports do.
package unit
