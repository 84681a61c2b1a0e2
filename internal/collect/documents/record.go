package documents

import (
	"os"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

// RecordSchema is the schema of Record.
const RecordSchema = "whet.record/3"

// Record is the document of whet record: what the file has, and what it lacks.
type Record struct {
	Schema string         `json:"schema"`
	Path   string         `json:"path"`
	Bytes  int64          `json:"bytes"`
	Meta   recording.Meta `json:"meta"`
	Load   *load.Result   `json:"load,omitempty"`
	// Collector is the garbage collector's share of the CPU profile; nil without one.
	Collector *documents.Collector `json:"collector,omitempty"`
	Failures  []string             `json:"failures,omitempty"`
	Warnings  diag.Warnings        `json:"warnings,omitempty"`
}

// NewRecord returns the document of a recording that is written, without warnings.
func NewRecord(sum *collect.Summary) Record {
	d := Record{
		Schema: RecordSchema, Path: sum.Path, Meta: sum.Meta, Load: sum.Load,
		Collector: documents.NewCollector(sum.Collection),
	}
	if fi, err := os.Stat(sum.Path); err == nil {
		d.Bytes = fi.Size()
	}
	for _, err := range sum.Failures {
		d.Failures = append(d.Failures, err.Error())
	}
	return d
}
