package traces

import (
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/export"
	"github.com/whet-go/whet/unit"
)

// ExportSchema is the schema of TraceExport.
const ExportSchema = "whet.trace-export/2"

// Export is the document of whet trace export: the files that it wrote.
type Export struct {
	Schema string       `json:"schema"`
	Name   string       `json:"name"`
	Files  []ExportFile `json:"files"`
	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// An ExportFile is a file written.
type ExportFile struct {
	Format   string `json:"format"` // perfetto, chrome, otlp
	File     string `json:"file"`
	Slices   int64  `json:"slices"` // otlp: spans
	Counters int64  `json:"counters,omitempty"`
	Dropped  int    `json:"dropped,omitempty"` // requests, tasks and regions beyond the limit
}

// NewExport returns a document without files.
func NewExport(name string) *Export {
	return &Export{Schema: ExportSchema, Name: name, Files: []ExportFile{}}
}

// Add adds a file.
func (d *Export) Add(format, file string, r export.Result) {
	d.Files = append(d.Files, ExportFile{
		Format: format, File: file, Slices: r.Slices, Counters: r.Counters,
		Dropped: r.Dropped,
	})
}

// WriteExport writes the document as text.
func WriteExport(w io.Writer, style layout.Style, d *Export) error {
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
