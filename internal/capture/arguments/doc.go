// Package arguments reads what programs copied of their calls, and describes it.
//
//  1. [Read] merges the documents that the processes of one program wrote (package support) into one, which is a part
//     of a recording. Texts that look like secrets are removed again.
//  2. [Decode] reads that part, whose size and depth are limited, and rejects what no recorder writes.
//  3. [Summarize] describes the calls of each function: sizes, values and how often they occur.
//
// The functions have no state.
package arguments
