package report

import (
	"fmt"
	"io"

	"github.com/whet-go/whet/trace/export"
	"github.com/whet-go/whet/unit"
)

// TraceExportSchema is the schema of TraceExport.
const TraceExportSchema = "whet.trace-export/1"

// TraceExport is what whet trace export says of what it wrote.
type TraceExport struct {
	Schema string            `json:"schema"`
	Name   string            `json:"name"`
	Files  []TraceExportFile `json:"files"`
}

// A TraceExportFile is one that was written.
type TraceExportFile struct {
	Format   string `json:"format"` // perfetto, chrome, otlp
	File     string `json:"file"`
	Slices   int64  `json:"slices"` // otlp: spans
	Counters int64  `json:"counters,omitempty"`
	Dropped  int    `json:"dropped,omitempty"` // requests, tasks and regions that are too many
}

// NewTraceExport makes a document without files.
func NewTraceExport(name string) *TraceExport {
	return &TraceExport{Schema: TraceExportSchema, Name: name, Files: []TraceExportFile{}}
}

// Add adds a file.
func (d *TraceExport) Add(format, file string, r export.Result) {
	d.Files = append(d.Files, TraceExportFile{Format: format, File: file, Slices: r.Slices, Counters: r.Counters, Dropped: r.Dropped})
}

// WriteTraceExport writes the document as text.
func WriteTraceExport(w io.Writer, style Style, d *TraceExport) error {
	t := &text{w: w}
	for _, f := range d.Files {
		what, opens := "slices", "open it in https://ui.perfetto.dev"
		switch f.Format {
		case "chrome":
			opens = "chrome://tracing, https://ui.perfetto.dev and https://speedscope.app open it"
		case "otlp":
			what, opens = "spans", "a collector of OpenTelemetry takes it: POST it to /v1/traces"
		}
		t.line(fmt.Sprintf("%s: %s %s; %s", f.Format, unit.Count(f.Slices).Short(), what, opens))
		if f.Dropped > 0 {
			t.line(style.paint(gold, fmt.Sprintf("%d requests, tasks and regions are left out: --from and --to choose a part", f.Dropped)))
		}
	}
	return t.result()
}
