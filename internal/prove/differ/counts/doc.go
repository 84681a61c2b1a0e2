// Package counts reads what the tests that compare two versions of a function count, and says what that is worth.
//
//  1. The tests append to a file: a mark for each input, hashes of distinct answers, and what they noticed besides
//     differences.
//  2. [Read] returns an [Outcome]. Below some numbers of inputs and answers, or if something was noticed that only a
//     reviewer can judge, it proves nothing, and says why.
package counts
