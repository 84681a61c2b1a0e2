// Package capacity finds the highest rate at which a server keeps its objectives.
//
// Data flow:
//
//  1. Without a lowest rate to start from, [Search] measures the server in the
//     closed model first: the rate that it answers at with all connections busy says
//     in which region to look.
//  2. It runs the open model at one rate after another and holds each result
//     against the objectives: upwards by a factor of two while they are kept
//     (downwards when the first is not), then between the highest rate that kept them
//     and the lowest that did not, at the geometric middle, until the two are within
//     the precision.
//  3. The two rates at the border are repeated. Two of at most three runs decide, so
//     that one hiccup does not. A rate that was misjudged moves the border, and the
//     search goes on.
//  4. The [Result] holds all steps, the capacity and between which rates it lies.
//
// A rate is held only if the objectives are kept and the requests were really sent.
// When they are not and the generator doubts itself ([load.GeneratorLate],
// [load.GeneratorCPU]), the step shows the generator's limit: it ends the climb, but
// says nothing of the server, and the result says so. When requests waited for
// connections though the server was hardly slower than at low rates, connections are the
// limit.
//
// The package keeps no state and runs one load at a time. It does not print and does
// not decide what a good capacity is.
package capacity
