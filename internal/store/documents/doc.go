// Package documents makes the documents of whet query, whet push and whet store, which encode to
// JSON as they are.
//
// Data flow: a constructor takes what package store returned and adds the schema. The documents
// belong to the caller. internal/report/stores writes them as text.
package documents
