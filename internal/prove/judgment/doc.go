// Package judgment decides what a comparison of two versions shows: a gain, a loss, neither, or too little to tell.
//
//  1. [Of] adds up the figures of all benchmarks: proven gains and losses, and what noise leaves undecided.
//  2. A [Judgment] has the reason why no gain is shown, which tells the cases apart, and the undecided figures.
//
// It measures nothing.
package judgment
