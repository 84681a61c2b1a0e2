package traces

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/unit"
)

// WriteRequest writes the only request of the document in full.
func WriteRequest(w io.Writer, style layout.Style, d documents.Requests) error {
	t := layout.NewWriter(w)
	c := d.Classes[0]
	r := c.Slowest[0]
	head := fmt.Sprintf("#%d of ", r.Number)
	t.Line(style.Paint(layout.Bold,
		head+layout.FitName(layout.Clean(c.Handler), style.Remaining(layout.Columns(head), 20))))
	t.Line(unit.Duration(r.Latency), " from ", unit.Duration(r.From), " to ", unit.Duration(r.From+r.Latency),
		" of the trace of ", layout.Cut(layout.Clean(d.Name), style.Remaining(45, 16)))
	t.Line("on goroutine ", fmt.Sprint(r.Goroutine), "; for this class, p50 ", unit.Duration(c.P50), ", p99 ",
		unit.Duration(c.P99))
	t.Line()
	t.Line(style.Paint(layout.Dim, "  "+layout.Left("spent on", 16)+layout.Right("itself", 17)+
		layout.Right("on its path", 17)))
	for _, p := range r.Parts {
		t.Line("  ", layout.Left(p.Cause, 16), shared(style, p.Own, r.Latency), shared(style, p.Path, r.Latency))
	}
	t.Line()
	t.Line(style.Paint(layout.Dim, layout.Right("at", 9)+layout.Right("for", 10)+
		"  critical path; in a wait, what the waking goroutine did"))
	p := &pathWriter{t, style, &d, r.From, r.Latency}
	p.steps(r.Path, r.Goroutine, 0)
	return t.Result()
}

// A pathWriter writes the steps of a critical path.
type pathWriter struct {
	*layout.Writer
	style   layout.Style
	d       *documents.Requests
	from    time.Duration // of the request
	latency time.Duration
}

// Limits on the output.
const (
	shownDepth  = 6 // levels by which steps are indented
	shownFrames = 8 // of a stack
)

// steps writes steps. goroutine is that of the previous step: it is written when it changes.
func (p *pathWriter) steps(steps []documents.Step, goroutine int64, depth int) {
	indent := layout.Spaces(2 * min(depth, shownDepth))
	for i := range steps {
		s := &steps[i]
		lead := layout.Spaces(21) + indent
		if s.Goroutine != goroutine {
			goroutine = s.Goroutine
			who := fmt.Sprintf("goroutine %d ", s.Goroutine)
			p.Line(lead, p.style.Paint(layout.Dim,
				who+layout.FitName(s.Function, p.style.Remaining(layout.Columns(lead)+layout.Columns(who), 20))))
		}
		share := unit.Share(int64(s.Took), int64(p.latency))
		color := layout.Color("")
		if s.Inside == nil {
			color = layout.Heat(share)
		}
		took := p.style.Paint(color, layout.Right(unit.Duration(s.Took), 10))
		what, stack := stepText(s), share >= 0.01 && s.Merged == 0
		if stack && s.Stack > 0 && s.State == "running" && s.Samples == 0 {
			what += ", up to" // the stack is where it stopped
		}
		p.Line(layout.Right(unit.Duration(s.From-p.from), 9), took, "  ", indent, what)
		if stack {
			p.stack(s.Stack, lead+"  ")
		}
		p.steps(s.Inside, s.Goroutine, depth+1)
		if s.WokenBy != nil {
			p.woken(s, lead)
		}
	}
}

// stepText describes a step.
func stepText(s *documents.Step) string {
	what := s.Cause
	switch {
	case s.Merged > 0:
		return fmt.Sprintf("mostly %s, in %d short steps", what, s.Merged)
	case s.State == "unknown":
		return what + " (not in the trace)"
	case s.Inside != nil:
		what = "waits: " + what
	}
	text := layout.Facts{what}
	text.If(s.State != s.Cause, " (%s)", layout.Clean(s.State))
	text.If(s.Samples > 0, ", according to %s", layout.Plural(s.Samples, "CPU sample", "CPU samples"))
	return text.String()
}

// stack writes a stack's frames: from what own code called to the outermost own frame. For a stack
// without own code it writes the function that the goroutine runs, and its file and line.
func (p *pathWriter) stack(n int, lead string) {
	frames, own := p.d.Stacks[n], p.d.OwnFrames[n]
	if len(frames) == 0 {
		return
	}
	first, last := len(frames)-1, len(frames)-1
	if i := slices.Index(own, true); i >= 0 {
		first = max(i-1, 0)
		for !own[last] {
			last--
		}
	}
	for i := first; i <= last; i++ {
		if i == first+shownFrames && last > i {
			p.Line(lead, p.style.Paint(layout.Dim, fmt.Sprintf("… %d more", last+1-i)))
			return
		}
		paint := layout.Dim
		if own[i] {
			paint = layout.Bold + layout.Cyan
		}
		p.Line(lead, layout.FrameText(p.style, layout.Frame(frames[i]), paint, layout.Columns(lead)))
	}
}

// woken describes what ended a wait, or started a goroutine.
func (p *pathWriter) woken(s *documents.Step, lead string) {
	what := "woken"
	if s.Cause == "runnable" {
		what = "started"
	}
	note := fmt.Sprintf("%s by goroutine %d", what, s.WokenBy.Goroutine)
	if s.WokenBy.Own == nil {
		p.Line(lead, p.style.Paint(layout.Dim, note))
		return
	}
	note += " in "
	p.Line(lead, p.style.Paint(layout.Dim, note),
		layout.FitName(s.WokenBy.Own.Func, p.style.Remaining(layout.Columns(lead)+layout.Columns(note), 12)))
}
