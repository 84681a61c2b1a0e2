// Command update rebuilds internal/graphviz/graphviz.wasm.
//
//	go run ./internal/graphviz/update          write graphviz.wasm
//	go run ./internal/graphviz/update -check   only compare it
//
// Data flow:
//
//  1. It fetches the pinned version of the npm package @viz-js/viz and checks its SHA-512.
//  2. The package's lib/backend.js contains Graphviz, compiled to WebAssembly by emscripten, as a
//     string literal. extract.go extracts it.
//  3. Every loop of the module gets a countdown that calls the host now and then (meter.go).
//     Without it the code of a long layout could neither be stopped nor interrupted by Go's
//     garbage collector, which would halt the process. wazero's own remedy, a call in every
//     iteration of every loop, makes Graphviz four times as slow; this one costs a tenth.
//
// To change the version: set version and integrity in main.go (npm view @viz-js/viz@X
// dist.integrity), run the command, and compare the tables of imports and exports that it prints
// with those in internal/graphviz/host.go and graphviz.go; emscripten's minifier chooses new names
// in each build. The tests of internal/graphviz fail if a name or a signature is wrong.
//
// It is a tool for maintainers; nothing imports it.
package main
