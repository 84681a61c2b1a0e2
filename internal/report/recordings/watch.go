package recordings

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/collect/watch"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WriteWatchEvent writes the document as text.
func WriteWatchEvent(w io.Writer, style layout.Style, d documents.WatchEvent) error {
	t := layout.NewWriter(w)
	head := d.Time.Format(time.TimeOnly) + "  "
	switch r := d.Request; {
	case r != nil:
		name, rest := cmp.Or(r.Name, layout.ShortName(r.Handler)), layout.Facts{" took " + unit.Duration(r.Latency)}
		rest.If(r.Cause != "", ", including %s %s", unit.Duration(r.Part), r.Cause)
		room := style.Remaining(layout.Columns(head+rest.String()), 20)
		t.Line(head, style.Paint(layout.Bold, layout.FitName(name, room)), rest)
		detail := func(text string) {
			t.Line(layout.Spaces(layout.Columns(head)),
				style.Paint(layout.Dim, layout.FitName(text, style.Remaining(layout.Columns(head), 20))))
		}
		if r.Name != "" && r.Handler != "" {
			detail(r.Handler)
		}
		switch held := r.To - r.From; {
		case r.Missing != "":
			detail("not in the trace: " + r.Missing)
		case r.Found == watch.ByTime:
			detail("probably: identified by its time, because the agent has no mark for it")
		case r.Found != "" && held < r.Latency*99/100:
			detail("the trace has the last " + unit.Duration(held) + " of it")
		}
	case d.Trigger == string(watch.Goroutines):
		t.Line(head, style.Paint(layout.Bold, fmt.Sprintf("%.0f goroutines", d.Value)))
	case d.Trigger == string(watch.Heap):
		t.Line(head, style.Paint(layout.Bold, unit.Bytes(d.Value).String()+" on the heap"))
	default:
		t.Line(head, style.Paint(layout.Bold, fmt.Sprintf("%.1f CPUs busy", d.Value)))
	}
	t.Line(layout.Spaces(layout.Columns(head)), d.Next)
	return t.Result()
}
