package traces

import (
	"cmp"
	"fmt"
	"io"
	"path"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/contention"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/unit"
)

// fitPlace formats a location in n columns.
func fitPlace(p *documents.Place, n int) string {
	if p == nil || p.Function == "" {
		return "(no stack)"
	}
	line := fmt.Sprintf(" %s:%d", layout.Clean(path.Base(p.File)), p.Line)
	return layout.FitName(layout.Clean(p.Function), max(n-layout.Columns(line), 20)) + line
}

// leastMeanwhile is the smallest share of what goroutines did meanwhile that is shown.
const leastMeanwhile = 0.05

// WriteContention writes the document as text.
func WriteContention(w io.Writer, style layout.Style, d documents.Contention) error {
	t := layout.NewWriter(w)
	t.Line(style.Paint(layout.Bold, fmt.Sprintf("contention in %s: %s waits, %s in total", layout.Clean(d.Name),
		unit.Count(d.Count).Short(), unit.Duration(d.Total))))
	t.Line("from " + unit.Duration(d.From) + " to " + unit.Duration(d.To))
	if d.Idle.Pairs > 0 {
		t.Line(style.Paint(layout.Dim, fmt.Sprintf("idle waits left out: %s, %s in total (--all shows them)",
			unit.Count(d.Idle.Count).Short(), unit.Duration(d.Idle.Total))))
	}
	if d.Dropped > 0 {
		t.Line(style.Paint(layout.Gold,
			"left out: "+layout.Plural(int(d.Dropped), "wait", "waits")+" at other places; --from and --to select a part"))
	}
	if len(d.Pairs) == 0 {
		t.Line("no goroutine waited for another")
	}
	for _, p := range d.Pairs {
		writeContentionPair(t, style, p)
	}
	layout.More(t, style, "", d.Hidden, "more pair of places", "more pairs of places")
	return t.Result()
}

func writeContentionPair(t *layout.Writer, style layout.Style, p documents.ContentionPair) {
	t.Line()
	what := p.Kind
	if p.Idle {
		what += ", idle"
	}
	times := " once"
	if p.Count > 1 {
		times = fmt.Sprintf(" x %s  p50 %s  p99 %s  max %s", unit.Count(p.Count).Short(), quantileText(p.P50),
			quantileText(p.P99), unit.Duration(p.Max))
	}
	t.Line(style.Paint(layout.Heat(p.Share), layout.Right(fmt.Sprintf("%.1f%%", 100*p.Share), 6)),
		layout.Right(unit.Duration(p.Total), 10), "  ", style.Paint(layout.Bold, what), times)
	const head = 18
	room := style.Remaining(head, 30)
	line := func(label, text string) { t.Line(layout.Spaces(5), layout.Left(label, head-5), text) }
	line("waited in", fitPlace(&p.Waiting, room))
	label, by := "woken by", fitPlace(p.Waking, room)
	if p.Kind == contention.Lock.String() {
		label = "held by"
	}
	switch {
	case p.Open:
		by = "(had not ended)"
	case p.Waking == nil:
		by = "(no goroutine)"
	}
	line(label, by)
	label = "meanwhile"
	for i, doing := range p.Meanwhile {
		if i > 2 || doing.Share < leastMeanwhile {
			break
		}
		text := fmt.Sprintf("%.0f%% %s", 100*doing.Share, layout.Clean(doing.State))
		if doing.Place != nil {
			text += " in "
			text += fitPlace(doing.Place, cmp.Or(room-layout.Columns(text), 20))
		}
		line(label, text)
		label = ""
	}
}
