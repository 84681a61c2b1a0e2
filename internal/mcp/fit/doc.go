// Package fit makes results of tools that fit into the context of a model, and describes their types to it.
//
//  1. [Result] leaves out the least important parts of a [Shrinker] until its JSON is short enough, and at last
//     shortens all that is left. It says where the rest is.
//  2. [Texts] and [Explain] write warnings and errors with their hints.
//  3. [Schema] returns the JSON schema of arguments and results.
//
// The package holds no state.
package fit
