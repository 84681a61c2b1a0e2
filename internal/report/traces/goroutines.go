package traces

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// WriteGoroutines writes the document as text.
func WriteGoroutines(w io.Writer, style layout.Style, d *documents.Goroutines) error {
	t := layout.NewWriter(w)
	var head layout.Facts
	head.Add("%s in the trace of %s", layout.Plural(int(d.Count), "goroutine", "goroutines"), layout.Clean(d.Name))
	head.If(d.From != 0 || d.To != d.Duration, ", from %s to %s", unit.Duration(d.From), unit.Duration(d.To))
	t.Line(style.Paint(layout.Bold, layout.Cut(head.String(), style.Remaining(0, 40))))
	for i := range d.Groups {
		writeGroup(t, style, &d.Groups[i], d.GroupBy)
	}
	if len(d.Goroutines) > 0 {
		singles(t, style, d.Goroutines)
		layout.More(t, style, "", d.Hidden, "more goroutine", "more goroutines")
	} else {
		layout.More(t, style, "", d.Hidden, "more group", "more groups")
	}
	return t.Result()
}

func writeGroup(t *layout.Writer, style layout.Style, g *documents.Group, by string) {
	t.Line()
	head := fmt.Sprintf("%d x ", g.Goroutines)
	place := ""
	name := layout.Clean(g.Function)
	switch {
	case g.Line > 0:
		head += "made in "
		place = fmt.Sprintf(" %s:%d", layout.Clean(path.Base(strings.ReplaceAll(g.File, `\`, "/"))), g.Line)
	case g.MadeBy != "":
		head += "made by "
		name = layout.Clean(g.MadeBy)
	case name == "" && by == string(summary.ByCreation):
		name = "(older than the trace)"
	case name == "":
		name = "(no stack)"
	}
	t.Line(style.Paint(layout.Bold,
		head+layout.FitName(name, style.Remaining(layout.Columns(head)+layout.Columns(place), 20))+place))
	t.Line(fmt.Sprintf(
		"  %d created, %d ended; alive for %s in total, longest %s (goroutine %d)", g.Created, g.Ended,
		unit.Duration(g.Time), unit.Duration(g.Life), g.Longest,
	))
	writeStates(t, style, g.States)
	for i := range g.Ranges {
		writeTimes(t, "+ "+g.Ranges[i].Name, layout.Painted{}, &g.Ranges[i])
	}
}

// singles writes a table of goroutines.
func singles(t *layout.Writer, style layout.Style, list []documents.Goroutine) {
	t.Line()
	table := layout.Table{
		Head:  []string{"goroutine", "from", "there", "running", "runnable", "syscall", "waiting", "runs"},
		Align: "rrrrrrrl", Wide: 7, Least: 14, HeadColor: layout.Dim,
		Fit: func(row, n int) string { return layout.FitName(layout.Clean(list[row].Function), n) },
	}
	name := func(code index.Code, s documents.State) bool { return s.State == codeName(code) }
	for _, g := range list {
		var running, runnable, syscall, waiting time.Duration
		for _, s := range g.States {
			switch {
			case s.Waiting:
				waiting += s.Total
			case name(index.Running, s), name(index.Assist, s):
				running += s.Total
			case name(index.Runnable, s):
				runnable += s.Total
			default:
				syscall += s.Total
			}
		}
		row := []string{fmt.Sprint(g.ID), unit.Duration(g.From)}
		if g.Old {
			row[1] = "before"
		}
		for _, d := range []time.Duration{g.To - g.From, running, runnable, syscall, waiting} {
			row = append(row, unit.Duration(d))
		}
		table.Rows = append(table.Rows, append(row, layout.Clean(g.Function)))
	}
	table.Write(t, style)
}

// codeName returns the name of a state that is not a wait reason.
func codeName(c index.Code) string { return (&index.Index{}).Code(c) }
