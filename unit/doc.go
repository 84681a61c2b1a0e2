// Package unit holds the quantities that cross package borders and the one
// way each of them is written for people.
//
// A number that leaves an engine carries its unit in its type ([Bytes],
// [Count], time.Duration) or, where the unit is only known at run time as in a
// profile's value column, travels as a [Quantity]. Nothing else in whet formats
// units.
//
// The package has no state and imports only the standard library.
package unit
