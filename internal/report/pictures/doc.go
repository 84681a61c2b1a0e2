// Package pictures draws profiles: flame graphs as pages, call graphs as DOT and SVG.
//
// Data flow:
//
//  1. [Flame] packs call trees into columns, clipped until they fit into a page, which the
//     script of package ui draws; [FlameJSON] writes the same trees for programs.
//  2. [NewCallGraph] chooses the nodes and edges to show; Graphviz, as WebAssembly, lays them
//     out.
//
// The package holds no state but the layout engine, which is made on first use.
package pictures
