// Package ui carries whet's browser code into the binary.
//
// Data flow:
//
//  1. ui/src is TypeScript. `npm run build` bundles it, styles included, into
//     one classic script per page under ui/dist. The result is committed, so
//     that `go install` needs no Node.
//  2. This package embeds ui/dist.
//  3. internal/report inlines a script into the pages it writes, and into the one that internal/server serves.
//
// The strings handed out are constant and may be used by many goroutines. The
// package serves nothing and knows no page's data: see internal/report.
package ui
