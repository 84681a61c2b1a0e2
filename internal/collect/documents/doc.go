// Package documents makes the documents of whet record and whet watch, which encode to JSON as they are.
//
// Data flow: [NewRecord] turns the summary of a recording into a document, and [NewWatchEvent] what fired
// a trigger. Documents belong to the caller. internal/report/recordings writes them as text.
//
// The package writes nothing. It only asks how large a recording's file is.
package documents
