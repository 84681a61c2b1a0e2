// Package ui embeds whet's browser code in the binary.
//
// Data flow:
//
//  1. ui/src is TypeScript. `npm run build` bundles it, with its styles, into one classic script
//     per page under ui/dist. The result is committed, so that `go install` needs no Node.
//  2. This package embeds ui/dist.
//  3. internal/report inlines a script into the pages that it writes, and into the one that
//     internal/server serves.
//
// The returned strings are constant and safe for concurrent use. The package serves nothing and does
// not know the pages' data: see internal/report.
package ui
