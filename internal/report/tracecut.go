package report

import (
	"fmt"
	"io"
	"time"

	tracecut "github.com/whet-go/whet/trace/cut"
	"github.com/whet-go/whet/unit"
)

// TraceCutSchema is the schema of TraceCut.
const TraceCutSchema = "whet.trace-cut/1"

// TraceCut is what whet trace cut says of the trace that it made.
type TraceCut struct {
	Schema      string        `json:"schema"`
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Go          string        `json:"go"`      // that made the trace
	From        time.Duration `json:"from_ns"` // what the new trace holds, since the begin of the old one
	To          time.Duration `json:"to_ns"`
	Generations int           `json:"generations"`
	Bytes       int64         `json:"bytes"`
	Read        int64         `json:"read_bytes"`      // of the old one
	Whole       bool          `json:"whole,omitempty"` // its last generation could not be shortened
	Damage      string        `json:"damage,omitempty"`
}

// NewTraceCut makes the document of a result.
func NewTraceCut(name, file string, r tracecut.Result) TraceCut {
	return TraceCut{
		Schema: TraceCutSchema, Name: name, File: file, Go: r.Go, From: r.From, To: r.To, Generations: r.Generations, Bytes: r.Written, Read: r.Read,
		Whole: r.Whole, Damage: r.Damage,
	}
}

// WriteTraceCut writes the document as text.
func WriteTraceCut(w io.Writer, style Style, d TraceCut) error {
	t := &text{w: w}
	t.line(style.paint(bold, fmt.Sprintf("%s to %s of %s", unit.Duration(d.From), unit.Duration(d.To), Clean(d.Name))))
	t.line(fmt.Sprintf("%s, %s of Go %s", unit.Bytes(d.Bytes), plural(d.Generations, "generation", "generations"), d.Go))
	if d.From > 0 {
		t.line(fmt.Sprintf("times in it count from its own begin, which is at %v of the other", d.From))
	}
	if d.Whole {
		t.line(style.paint(gold, "the last generation could not be shortened and is there in full"))
	}
	return t.result()
}
