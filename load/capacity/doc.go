// Package capacity finds the highest rate at which a server meets its objectives.
//
// Data flow:
//
//  1. Without a minimum rate to start from, [Search] first measures the server in the closed model:
//     its rate with all connections busy shows where to search.
//  2. It runs the open model at one rate after another and compares each result with the
//     objectives: upwards by a factor of two while they are met (downwards if the first rate misses
//     them), then between the highest rate that met them and the lowest that did not, at the
//     geometric mean, until the two are within the precision.
//  3. The two rates at the border are repeated. Two of at most three runs decide, so that a single
//     outlier does not matter. A rate that was misjudged moves the border, and the search
//     continues.
//  4. The [Result] has all steps, the capacity, and the rates that it lies between.
//
// A rate is held only if the objectives are met and the requests were really sent. If they were not
// sent and there is a warning about the generator ([load.GeneratorLate], [load.GeneratorCPU]), the
// step shows the generator's limit: it ends the climb without a conclusion about the server, and
// the result reports that. If requests waited for connections although the server was hardly slower
// than at low rates, connections are the limit.
//
// The package keeps no state and runs one load at a time. It does not print and does not decide
// what a good capacity is.
package capacity
