// Package pictures draws profiles: flame graphs as pages, call graphs as DOT and SVG.
//
// Data flow:
//
//  1. [Flame] packs call trees into columns, clipped until they fit into a page, which the
//     script of package ui draws; [FlameJSON] writes the same trees for programs.
//  2. [WriteGraphDOT] writes a call graph for Graphviz, which lays it out, as WebAssembly, for
//     [WriteGraphSVG].
//
// The package holds no state.
package pictures
