// Package measured reads what the documents of measurements say of themselves, for lists of results in a
// store.
//
//  1. [Read] recognizes the JSON that `whet load`, `find`, `fix` and `prove` write, and the format of go test
//     -bench, and returns a [Document]: its kind, and one line about the result.
//  2. [Entry] is a result in a list.
//
// It decodes only a few fields, so that documents of older and newer versions can be listed. It keeps nothing.
package measured
