// Package documents makes the documents of whet trace, which encode to JSON as they are.
//
// Data flow: constructors such as [NewSummary] turn results of trace/summary, trace/requests and
// internal/trace/contention into documents, each with a schema. They look up the names and stacks
// that the results refer to by number, so documents need no index.
//
// Documents belong to the caller. internal/report/traces writes them as text.
package documents
