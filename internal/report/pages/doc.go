// Package pages writes HTML files that need no network.
//
// Data flow:
//
//  1. A view fills a [DataPage]: data, and the script of package ui that draws it. [WriteData]
//     writes both with a content security policy that allows that script alone.
//  2. What pages show above their content has one shape: [Fact], [Table].
//
// Pages without a script are made by package blocks.
//
// Characters that reorder or hide text are replaced. The package keeps no state.
package pages
