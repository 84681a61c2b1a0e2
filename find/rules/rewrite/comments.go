package rewrite

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// HasComment reports whether there is a comment between two positions of a file: replacing that
// text would lose it.
func HasComment(pass *analysis.Pass, from, to token.Pos) bool {
	file := File(pass, from)
	if file == nil {
		return true
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < to && from < c.End() {
				return true
			}
		}
	}
	return false
}
