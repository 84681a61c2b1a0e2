// Package documents makes the document of whet rules, which encodes to JSON as it is.
//
// Data flow: [NewRules] copies the documentation of rules, and the kinds of what each finds, into a
// document. It belongs to the caller. internal/report/findings writes it as text.
//
// The documents of whet find and whet fix are the results of packages find and fix.
package documents
