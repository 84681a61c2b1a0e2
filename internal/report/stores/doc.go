// Package stores renders what whet push, whet query and whet store show, as text.
//
// Data flow: each function takes a document of internal/store/documents and a layout.Style, and
// writes tables of package layout. Names in documents come from clients, so they are cleaned.
//
// The package holds no state. It does not query anything.
package stores
