package layout

import (
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// Warnings writes each warning after lead, such as "warning: ", with its hint on the next line. The
// hint is indented like the words of a lead that begins with spaces.
func Warnings(t *Writer, s Style, lead string, warnings diag.Warnings) {
	indent := ""
	if strings.HasPrefix(lead, " ") {
		indent = Spaces(len(lead))
	}
	for _, w := range warnings {
		Wrap(t, s, s.Paint(Gold, lead), Clean(w.String()), len(lead))
		if w.Hint != "" {
			Wrap(t, s, indent+"hint: ", Clean(w.Hint), len(indent)+len("hint: "))
		}
	}
}
