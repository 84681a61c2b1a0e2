// Package documents renders JSON documents of whet again.
//
// Data flow:
//
//  1. A command writes its document with --json. The document's schema names its type.
//  2. [Write] reads it back into that type and writes the text that the command would have written.
//
// The package keeps no state. It knows no files and no flags: what a flag adds to a text and not to
// the document is in [Options].
package documents
