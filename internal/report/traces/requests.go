package traces

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/unit"
)

// WriteRequests writes the document as text.
func WriteRequests(w io.Writer, style layout.Style, d documents.Requests) error {
	t := layout.NewWriter(w)
	head := layout.Plural(d.Count, "request", "requests")
	if d.Tasks > 0 {
		head += " and " + layout.Plural(d.Tasks, "user task", "user tasks")
	}
	t.Line(style.Paint(layout.Bold, head+" in the trace of "+layout.Clean(d.Name)))
	if d.Profiling > 0 {
		t.Line("left out: ", layout.Plural(d.Profiling, "request", "requests"), " for profiles of the service")
	}
	if d.Open > 0 {
		t.Line("left out: ", layout.Plural(d.Open, "request", "requests"), " that began before the trace or ended after it")
	}
	if d.Dropped > 0 {
		t.Line(style.Paint(layout.Gold,
			"left out: "+layout.Plural(d.Dropped, "task", "tasks")+"; --from and --to select a part"))
	}
	if len(d.Classes) == 0 {
		t.Line("whet knows servers of net/http (HTTP/1 and 2), net/rpc and gRPC, and tasks of")
		t.Line("runtime/trace")
		return t.Result()
	}
	for i := range d.Classes {
		t.Line()
		writeClass(t, style, &d.Classes[i])
	}
	writeUnnamed(t, style, &d)
	t.Line()
	t.Line(style.Paint(layout.Dim, "path: the critical path of the slowest, which continues in the goroutines they"))
	t.Line(style.Paint(layout.Dim, "waited for. --request N shows one in full."))
	return t.Result()
}

// writeUnnamed writes how many requests have no handler's name, why, and how to name them.
func writeUnnamed(t *layout.Writer, style layout.Style, d *documents.Requests) {
	n := 0
	for i := range d.Classes {
		if !requests.HandlerSeen(d.Classes[i].Handler) {
			n += d.Classes[i].Count
		}
	}
	if n == 0 {
		return
	}
	t.Line()
	share := unit.Percent(int64(n), int64(d.Count))
	t.Line(style.Paint(layout.Gold, "The handler of "+share+" of the requests is unknown: it did not block, so no stack"))
	t.Line("shows it. A region of runtime/trace in the handler names its requests:")
	t.Line("  defer trace.StartRegion(r.Context(), \"NAME\").End()")
}

func writeClass(t *layout.Writer, style layout.Style, c *documents.RequestClass) {
	head := unit.Count(c.Count).Short() + " x "
	t.Line(style.Paint(layout.Bold,
		head+layout.FitName(layout.Clean(c.Handler), style.Remaining(layout.Columns(head), 20))))
	t.Line("  p50 ", unit.Duration(c.P50), "  p90 ", unit.Duration(c.P90), "  p99 ", unit.Duration(c.P99), "  max ",
		unit.Duration(c.Max))
	t.Line(style.Paint(layout.Dim, "  "+layout.Left("spent on", 16)+layout.Right("typical", 17)+
		layout.Right("slowest 1%", 17)+layout.Right("path", 17)))
	middle, slow, path := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, p := range c.Parts {
		middle, slow, path = middle+p.Middle, slow+p.Slow, path+p.Path
	}
	for _, p := range c.Parts {
		if max(unit.Share(int64(p.Middle), int64(middle)), unit.Share(int64(p.Slow), int64(slow)),
			unit.Share(int64(p.Path), int64(path))) < leastShown {
			continue
		}
		t.Line("  ", layout.Left(p.Cause, 16), shared(style, p.Middle, middle), shared(style, p.Slow, slow),
			shared(style, p.Path, path))
	}
	for i := range c.Slowest {
		one := &c.Slowest[i]
		most := slices.MaxFunc(one.Parts, func(a, b documents.OwnAndPath) int { return cmp.Compare(a.Own, b.Own) })
		t.Line(
			"  ", layout.Left(fmt.Sprintf("#%d", one.Number), 5), layout.Right(unit.Duration(one.Latency), 9), "  at ",
			unit.Duration(one.From), ", goroutine ", fmt.Sprint(one.Goroutine), ": ",
			durationShare(most.Own, one.Latency), " ", most.Cause,
		)
		if worst, took := one.Worst(); took > 0 {
			lead := layout.Spaces(7) + "path: " + durationShare(took, one.Latency) + " " + worst.Cause
			if worst.Own == nil {
				t.Line(lead)
				continue
			}
			t.Line(lead, " in ", layout.FrameText(style, layout.Frame(*worst.Own), layout.Cyan, layout.Columns(lead)+4))
		}
	}
}

// leastShown is the smallest share of a cause in text; JSON has all.
const leastShown = 0.005

// shared formats a duration and its share of a total, in 17 columns.
func shared(s layout.Style, d, total time.Duration) layout.Painted {
	if d == 0 {
		return layout.Join(layout.Spaces(17))
	}
	return layout.Join(layout.Right(unit.Duration(d), 11), s.Paint(layout.Heat(unit.Share(int64(d), int64(total))),
		layout.Right(durationShare(d, total), 6)))
}

func durationShare(d, total time.Duration) string {
	return fmt.Sprintf("%.0f%%", 100*unit.Share(int64(d), int64(total)))
}
