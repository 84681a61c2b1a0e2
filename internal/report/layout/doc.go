// Package layout puts text onto lines of a terminal: columns, colors, wrapping, and names that
// are shortened to fit.
//
// Data flow:
//
//  1. A view makes a [Writer] and writes lines of parts. Strings are cleaned on the way, so
//     that a name in a foreign file cannot color or steer the terminal.
//  2. Colors come from [Style.Paint] alone: [Painted] is opaque, so no other package can make
//     text that keeps its escape sequences.
//  3. A [Table] is described once, for a terminal and for Markdown: [Table.Write] and
//     [Table.WriteMarkdown]. Package blocks does the same for whole reports.
//  4. The functions named after a shape ([Left], [CutMiddle], [FitName], [Wrap]) decide widths.
//     [Style] says how wide the terminal is.
//
// The functions are pure. A Writer belongs to one goroutine.
package layout
