// Package graphviz draws DOT text as SVG without Graphviz on the machine: it embeds Graphviz
// compiled to WebAssembly and runs it in the process.
//
// Data flow:
//
//  1. [New] starts to compile the embedded graphviz.wasm to machine code in the background (about
//     a quarter of a second on two cores), or maps the code that an earlier run left in the user's
//     cache directory (15 ms). Callers start it before they read the profile.
//  2. [Renderer.SVG] waits for that, makes a fresh instance of the module, copies the DOT text into
//     its memory and calls read, layout and render, the three steps of the dot command.
//  3. Graphviz's messages come back through an imported function; if a step fails they are the
//     error's text.
//
// The module is from the npm package @viz-js/viz. The command in update extracts it, with the
// version pinned and the hash checked, and adds a countdown to its loops, so that a layout can be
// stopped. Its imports and exports have minified names; host.go and graphviz.go document each one.
//
// Ownership and concurrency: several goroutines may use a Renderer. Each call has a separate
// instance, and so separate memory; the returned bytes belong to the caller. Close releases
// everything.
//
// Limits: the module sees no file, no clock, no environment and no random numbers, so the same text
// gives the same drawing; its memory is limited to [MaxMemory]; a call ends when its context does.
// A module that misbehaves can only spoil its own instance.
//
// The package does not write DOT (see internal/report) and offers no layout but dot and no format
// but SVG.
package graphviz
