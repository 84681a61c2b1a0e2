// Package folded reads stacks written as lines of text, which Pyroscope's older agents send.
//
// Data flow:
//
//  1. [Parse] splits the text into lines. In counted text a line is "main;handle;encode 12": frames
//     from the root to the leaf, then how often the stack was seen. In plain text a line is a stack
//     that was seen once.
//  2. Frames become functions, and stacks samples, of a [profile.Builder]. The count is multiplied
//     by each value of Options.Scale.
//
// The profile is immutable and does not refer to the text. The package does not know what a count
// means: that is in the request that carries the text.
package folded
