// Package profiles renders the views of one profile: own code, top, tree, peek, traces and tags.
//
// Data flow:
//
//  1. A command computes a document, a plain struct such as [Top], from a profile.View and a
//     [Header]. Its Schema field names the shape and its version.
//  2. The function named after the view ([WriteTop], …) writes it as text that fits a
//     layout.Style. A document that was read back from JSON renders the same.
//
// Package nodes names frames, for all views and formats alike. The package holds no state.
package profiles
