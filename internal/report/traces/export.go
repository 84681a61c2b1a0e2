package traces

import (
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/unit"
)

// WriteExport writes the document as text.
func WriteExport(w io.Writer, style layout.Style, d documents.Export) error {
	t := layout.NewWriter(w)
	for _, f := range d.Files {
		what, opens := "slices", "open it in https://ui.perfetto.dev"
		switch f.Format {
		case "chrome":
			opens = "chrome://tracing, https://ui.perfetto.dev and https://speedscope.app open it"
		case "otlp":
			what, opens = "spans", "POST it to /v1/traces of an OpenTelemetry collector"
		}
		t.Line(fmt.Sprintf("%s: %s %s; %s", f.Format, unit.Count(f.Slices).Short(), what, opens))
		if f.Dropped > 0 {
			t.Line(style.Paint(layout.Gold,
				fmt.Sprintf("%d requests, tasks and regions are left out: --from and --to select a part", f.Dropped)))
		}
	}
	return t.Result()
}
