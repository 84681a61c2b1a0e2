// Command update rebuilds internal/graphviz/graphviz.wasm.
//
//	go run ./internal/graphviz/update          write graphviz.wasm
//	go run ./internal/graphviz/update -check   only compare it
//
// Data flow:
//
//  1. It fetches the npm package @viz-js/viz of the pinned version and checks its
//     SHA-512.
//  2. The package's lib/backend.js carries Graphviz, compiled to WebAssembly by
//     emscripten, as a string literal. It is extracted (extract.go).
//  3. Every loop of the module gets a countdown that calls the host now and then
//     (meter.go). Without it the code of a long layout could neither be stopped
//     nor interrupted by Go's garbage collector, which would halt the process;
//     wazero's own remedy, a call in every turn of every loop, makes Graphviz
//     four times as slow, this one a tenth.
//
// For another version: change version and integrity in main.go (npm view
// @viz-js/viz@X dist.integrity), run the command, then compare the tables of
// imports and exports that it prints with those in internal/graphviz/host.go and
// graphviz.go; emscripten's minifier hands out new names in each build. The
// tests of internal/graphviz fail when a name or a signature is wrong.
//
// It is a tool for those who work on whet; nothing imports it.
package main
