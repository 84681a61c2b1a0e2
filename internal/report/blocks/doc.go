// Package blocks describes a report once, and writes it for a terminal, as Markdown and as an HTML
// page.
//
// Data flow:
//
//  1. A view makes a [Document] of its result: a title, and blocks in the order in which they are
//     read. A [Section] has a heading and contains blocks.
//  2. [Document.Write] fits it into the columns of a layout.Style, [Document.WriteMarkdown] writes
//     GitHub's Markdown, and [Document.WritePage] a page without scripts or network requests.
//
// So a view that has a table and a sentence needs one function for all three:
//
//	func Sizes(r *Result) *blocks.Document {
//		return &blocks.Document{
//			Title: blocks.Text{blocks.Plain("Sizes of "), blocks.Name(r.Module)},
//			Blocks: []blocks.Block{
//				blocks.Table{Table: layout.Table{Head: head, Rows: rows, Align: "lr"}},
//				blocks.Note{blocks.Plain("Sizes include debug information.")},
//			},
//		}
//	}
//
// The blocks:
//
//   - [Prose] is a paragraph, [Note] one of secondary importance, [List] short statements.
//   - [Table] is a layout.Table whose rows may be marked as good or bad.
//   - [Diff], [Code] and [Output] are a unified diff, source, and what a program has printed.
//   - [Location] is a place in source, and [Entries] a list of such, with a share and an explanation.
//   - [Pair] has blocks next to each other on wide pages.
//   - [Bar] draws a share on a page.
//   - [Section] groups blocks. A folded one is closed on pages and in Markdown until the reader
//     opens it, and terminals leave it out.
//
// Pages work without scripts: the contents are links, and the theme and what is hidden are chosen with
// radio buttons and checkboxes that the style sheet reads. Their colors are those of package ui.
//
// Every string may come from a foreign file: each writer escapes what has a meaning in its format,
// and replaces control characters and those that reorder text. So views pass names as they are.
//
// Documents are values without state. Writers make many small writes, so the destination should be
// buffered.
package blocks
