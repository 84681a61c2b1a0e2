// Package fleettest generates the profiles of services on many hosts, with known changes, to measure
// whether regressions are found.
//
// Data flow:
//
//  1. [New] draws a service from a seed: shares of functions, how hosts differ, what a day looks
//     like, what disturbs all hosts at once, and two deploys, of which the first changes nothing.
//     The second does what the [Plan] says.
//  2. The cost of each line on each host in each hour is drawn from a Poisson distribution around
//     what all of these make of it.
//  3. [Fleet] is a store.Reader of services.
//
// A Service is immutable. The whet binary does not use the package.
package fleettest
