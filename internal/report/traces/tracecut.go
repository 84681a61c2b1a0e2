package traces

import (
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	tracecut "github.com/whet-go/whet/internal/trace/cut"
	"github.com/whet-go/whet/unit"
)

// CutSchema is the schema of TraceCut.
const CutSchema = "whet.trace-cut/2"

// Cut is the document of whet trace cut: the trace that it wrote.
type Cut struct {
	Schema      string        `json:"schema"`
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Go          string        `json:"go"`      // version that wrote the trace
	From        time.Duration `json:"from_ns"` // start of the new trace, since the start of the old one
	To          time.Duration `json:"to_ns"`
	Generations int           `json:"generations"`
	Bytes       int64         `json:"bytes"`
	Read        int64         `json:"read_bytes"`      // bytes read of the old one
	Whole       bool          `json:"whole,omitempty"` // the last generation could not be shortened
	Damage      string        `json:"damage,omitempty"`
	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// NewCut returns the document of a result.
func NewCut(name, file string, r tracecut.Result) Cut {
	return Cut{
		Schema: CutSchema, Name: name, File: file, Go: r.Go, From: r.From, To: r.To, Generations: r.Generations,
		Bytes: r.Written, Read: r.Read,
		Whole: r.Whole, Damage: r.Damage,
	}
}

// WriteCut writes the document as text.
func WriteCut(w io.Writer, style layout.Style, d Cut) error {
	t := layout.NewWriter(w)
	t.Line(style.Paint(layout.Bold, fmt.Sprintf("%s to %s of %s", unit.Duration(d.From), unit.Duration(d.To),
		layout.Clean(d.Name))))
	t.Line(fmt.Sprintf("%s, %s of Go %s", unit.Bytes(d.Bytes), layout.Plural(d.Generations, "generation", "generations"),
		d.Go))
	if d.From > 0 {
		t.Line(fmt.Sprintf("its times start at 0, which is %v in the original", d.From))
	}
	if d.Whole {
		t.Line(style.Paint(layout.Gold, "the last generation could not be shortened and is included in full"))
	}
	return t.Result()
}
