// Package documents makes the documents of views of one profile, which encode to JSON as they are:
// whet top, tree, peek, traces, tags, graph, list and disasm.
//
// Data flow: [NewHeader] has the facts about an input. Constructors such as [NewTop] turn a
// profile.View into a document with a schema, limited to the number of entries that the user
// requested. Names are not shortened, and values not formatted.
//
// Documents belong to the caller. internal/report/profiles, pictures and listings write them as text
// and pictures.
package documents
