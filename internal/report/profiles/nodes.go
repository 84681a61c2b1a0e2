package profiles

import (
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
)

// FitNode shortens the name of a node, as nodes.Name returns it, to n columns. by is the granularity
// of the view.
func FitNode(name, by string, n int) string {
	if layout.Columns(name) <= n {
		return layout.Clean(name)
	}
	if by == profile.ByFile.String() {
		return layout.FitPath(name, n)
	}
	// The function gets the columns that the file and line leave.
	if fn, place, ok := strings.Cut(name, " "); ok && by == profile.ByLine.String() && !strings.Contains(place, " ") {
		place = layout.FitPath(place, max(n/2, n-1-layout.Columns(fn)))
		return layout.FitName(fn, n-1-layout.Columns(place)) + " " + place
	}
	return layout.FitName(name, n)
}
