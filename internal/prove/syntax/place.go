package syntax

import (
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// PlaceIn returns where a function is in the new version of changed files; nil if it is in none.
func PlaceIn(code scratch.Changes, function string) *find.Place {
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if after := code[name].After; IsSource(name) && after != nil {
			if line, text := Function(name, after, function); text != "" {
				head, _, _ := strings.Cut(text, "\n")
				return &find.Place{File: name, Line: line, EndLine: line + strings.Count(text, "\n"), Code: head}
			}
		}
	}
	return nil
}
