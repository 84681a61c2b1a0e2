package documents

import (
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/cut"
	"github.com/whet-go/whet/internal/trace/export"
)

// CutSchema is the schema of Cut.
const CutSchema = "whet.trace-cut/2"

// Cut is the document of whet trace cut: the trace that it wrote.
type Cut struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	File   string `json:"file"`
	cut.Result
	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// ExportSchema is the schema of Export.
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
	Format string `json:"format"` // perfetto, chrome, otlp
	File   string `json:"file"`
	export.Result
}
