package traces

import (
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/unit"
)

// WriteCut writes the document as text.
func WriteCut(w io.Writer, style layout.Style, d documents.Cut) error {
	t := layout.NewWriter(w)
	t.Line(style.Paint(layout.Bold, fmt.Sprintf("%s to %s of %s", unit.Duration(d.From), unit.Duration(d.To),
		layout.Clean(d.Name))))
	t.Line(fmt.Sprintf("%s, %s of Go %s", unit.Bytes(d.Written), layout.Plural(d.Generations, "generation", "generations"),
		d.Go))
	if d.From > 0 {
		t.Line(fmt.Sprintf("its times start at 0, which is %v in the original", d.From))
	}
	if d.Whole {
		t.Line(style.Paint(layout.Gold, "the last generation could not be shortened and is included in full"))
	}
	return t.Result()
}
