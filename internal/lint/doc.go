// Package lint holds the rules of the house that no general linter knows. They
// are functions that return problems; the package's test runs them on the
// repository, so `go test ./internal/lint` is the command.
//
// Data flow:
//
//  1. [Packages] asks `go list -deps -json` for the module's packages.
//  2. [Imports] holds their imports against the layers of layout.go: arrows run
//     one way, engines do not import each other, the agent imports the standard
//     library only.
//  3. [Files] walks the tree: doc.go in every package, a short main, no overlong
//     file, no directory named after nothing, no work put off without the number of an issue, no second -update flag.
//  4. [Links] reads Markdown: every relative link leads to a file, and to a heading of it.
//  5. [Prose] checks what people read: banned phrases, the forms of errors, flags and doc comments, the width
//     of lines. Each of its rules has a bad and a good example in testdata/prose.
//
// Each [Problem] says what is wrong and what to do about it. A second test plants
// violations and expects each to be found, so a rule cannot fall asleep.
//
// The functions have no state. Nothing imports the package. What golangci-lint
// can check is in .golangci.yml, not here.
package lint
