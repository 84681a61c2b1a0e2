// Package selection makes a recording of what a query selects in a store: a merged profile of each kind.
//
//  1. [Write] lists the kinds of the selected series, and merges the profiles of one kind after the other.
//  2. It writes them into a recording, which all views read. Its window is that of the profiles, and its target the
//     selector.
//
// The package holds no state.
package selection
