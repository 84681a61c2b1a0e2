// Package owncode chooses the lines of own code that a view of a profile shows.
//
// Data flow:
//
//  1. View.Own charges each sample to its innermost own frame.
//  2. [New] joins the lines of a profile with those of a second one of the same recording, keeps the
//     heaviest, and shortens their paths.
//  3. Samples without an own frame are grouped by the purpose of their outermost function.
//
// A [Result] has JSON tags: it is part of the document of whet top. The package holds no state.
package owncode
