package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/whet-go/whet/unit"
)

// WriteTraceRequest writes the one request that is left in the document, in full.
func WriteTraceRequest(w io.Writer, style Style, d TraceRequests) error {
	t := &text{w: w}
	c := d.Classes[0]
	r := c.Slowest[0]
	head := fmt.Sprintf("#%d of ", r.Number)
	t.line(style.paint(bold, head+FitName(Clean(c.Handler), style.room(columns(head), 20))))
	t.line(unit.Duration(r.Latency), " from ", unit.Duration(r.From), " to ", unit.Duration(r.From+r.Latency), " of the trace of ", cut(Clean(d.Name), style.room(45, 16)))
	t.line("on goroutine ", fmt.Sprint(r.Goroutine), "; of such, p50 ", unit.Duration(c.P50), ", p99 ", unit.Duration(c.P99))
	t.line()
	t.line(style.paint(dim, "  "+left("spent on", 16)+right("itself", 17)+right("on its path", 17)))
	for _, p := range r.Parts {
		t.line("  ", left(p.Cause, 16), style.shared(p.Own, r.Latency), style.shared(p.Path, r.Latency))
	}
	t.line()
	t.line(style.paint(dim, right("at", 9)+right("for", 10)+"  critical path; in a wait, what the one did that ended it"))
	p := &pathWriter{text: t, style: style, d: &d, from: r.From, latency: r.Latency}
	p.steps(r.Path, r.Goroutine, 0)
	return t.result()
}

// A pathWriter writes the steps of a critical path.
type pathWriter struct {
	*text
	style   Style
	d       *TraceRequests
	from    time.Duration // of the request
	latency time.Duration
}

// Limits of what is written.
const (
	shownDepth  = 6 // that steps are indented
	shownFrames = 8 // of a stack
)

// steps writes steps. goroutine is that of the step before: it is written when it changes.
func (p *pathWriter) steps(steps []TraceStep, goroutine int64, depth int) {
	indent := blanks(2 * min(depth, shownDepth))
	for i := range steps {
		s := &steps[i]
		lead := blanks(21) + indent
		if s.Goroutine != goroutine {
			goroutine = s.Goroutine
			who := fmt.Sprintf("goroutine %d ", s.Goroutine)
			p.line(lead, p.style.paint(dim, who+FitName(s.Function, p.style.room(columns(lead)+columns(who), 20))))
		}
		share := unit.Share(int64(s.Took), int64(p.latency))
		colour := ""
		if s.Inside == nil {
			colour = heat(share)
		}
		took := p.style.paint(colour, right(unit.Duration(s.Took), 10))
		what, stack := s.what(), share >= 0.01 && s.Merged == 0
		if stack && s.Stack > 0 && s.State == "running" && s.Samples == 0 {
			what += ", up to" // the stack is where it stopped
		}
		p.line(right(unit.Duration(s.From-p.from), 9), took, "  ", indent, what)
		if stack {
			p.stack(s.Stack, lead+"  ")
		}
		p.steps(s.Inside, s.Goroutine, depth+1)
		if s.WokenBy != nil {
			p.woken(s, lead)
		}
	}
}

// what names a step.
func (s *TraceStep) what() string {
	what := s.Cause
	switch {
	case s.Merged > 0:
		return fmt.Sprintf("mostly %s, in %d short steps", what, s.Merged)
	case s.State == "unknown":
		return what + " (the trace does not tell)"
	case s.Inside != nil:
		what = "waits: " + what
	}
	if s.State != s.Cause {
		what += " (" + Clean(s.State) + ")"
	}
	if s.Samples > 0 {
		what += fmt.Sprintf(", as %s saw", plural(s.Samples, "CPU sample", "CPU samples"))
	}
	return what
}

// stack writes a stack's frames: from what own code called to the outermost of it. Of a stack without own
// code it is the function that the goroutine runs, and where that is.
func (p *pathWriter) stack(n int, lead string) {
	frames, own := p.d.Stacks[n], p.d.own[n]
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
			p.line(lead, p.style.paint(dim, fmt.Sprintf("… %d more", last+1-i)))
			return
		}
		paint := dim
		if own[i] {
			paint = bold + cyan
		}
		p.line(lead, p.style.place(frames[i], paint, columns(lead)))
	}
}

// woken says who ended a wait, or started a goroutine.
func (p *pathWriter) woken(s *TraceStep, lead string) {
	what := "woken"
	if s.Cause == "runnable" {
		what = "started"
	}
	note := fmt.Sprintf("%s by goroutine %d", what, s.WokenBy.Goroutine)
	if s.WokenBy.Own == nil {
		p.line(lead, p.style.paint(dim, note))
		return
	}
	note += " in "
	p.line(lead, p.style.paint(dim, note), FitName(s.WokenBy.Own.Name, p.style.room(columns(lead)+columns(note), 12)))
}
