// Package strength runs the programs that a proof rests on with mutants of the changed lines, and
// counts how many they notice.
//
//  1. Each program runs once without a mutant, and records which mutants it reaches. One that fails
//     or takes too long is left out.
//  2. Mutants are tried one at a time, spread over the lines, by the programs that reach them, the
//     fastest first, until one fails or the time is up.
//
// It builds nothing: see package mutants for what mutants are.
package strength
