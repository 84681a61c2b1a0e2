// Package successors follows the lines of a file to its next version: where an unchanged line is,
// and which lines replaced a changed one.
//
// Data flow: [Of] compares two versions by their unified diff, and keeps its hunks; [Lines.Of] maps
// one line. Lines belong to the caller and are safe for concurrent use.
//
// The package compares text: it does not know syntax, and reads no files.
package successors
