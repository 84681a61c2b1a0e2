// Package profiles renders the views of one profile: own code, top, tree, peek, traces and tags.
//
// Data flow:
//
//  1. Package documents (internal/input/documents) makes a document of a profile.View.
//  2. The function named after the view ([WriteTop], …) writes it as text that fits a
//     layout.Style. A document that was read back from JSON renders the same.
//
// The package holds no state.
package profiles
