// Package lint has the project's rules that no general linter knows: functions that return
// problems. The package's test runs them on the repository, so `go test ./internal/lint` is the
// command.
//
// Data flow:
//
//  1. [Packages] runs `go list -deps -json` for the module's packages.
//  2. [Imports] checks their imports against the layers of layout.go: imports go one way, engines
//     do not import each other, the agent imports only the standard library.
//  3. [Files] walks the tree: doc.go in every package, a short main, no overlong file, no
//     directory named util or the like, no postponed work without an issue number, no second
//     -update flag.
//  4. [Links] reads Markdown: every relative link must lead to a file, and to a heading in it.
//  5. [Prose] checks what people read: banned phrases, the forms of errors, flags and doc comments,
//     the width of lines. Each rule has a bad and a good example in testdata/prose.
//  6. [PublicPackages] loads what other programs import, and [Leaks] finds types in its API that they
//     cannot name. [Examples] finds the packages without an example whose output is checked.
//
// Each [Problem] states what is wrong and how to fix it. A second test plants violations and expects
// each to be found, so that no rule stops working unnoticed.
//
// The functions have no state. Only tests import the package. What golangci-lint can check is in
// .golangci.yml, not here.
package lint
