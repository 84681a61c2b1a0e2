package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// profileColumn returns the title of the column of a profile.
func profileColumn(profile string) string {
	if profile == "allocs" {
		return "alloc"
	}
	return profile
}

// minCallee is the least part of a line's cost for which a callee is listed.
const minCallee = 0.01

const ownShareW = 7

// fitOwn returns the widths of the columns of lines, functions and callees, which begin at a column. lines
// and functions are what the first two need. Callees get a column if the others leave enough width; 0 is
// the next line.
func fitOwn(s layout.Style, begin, lines, functions int) (line, function, callees int) {
	if s.Width <= 0 {
		return lines, functions, 1 << 20
	}
	const minCallees, gap = 44, 2
	rest := max(s.Width-begin, 30) - gap
	if left := rest - gap - minCallees; left >= 40 {
		rest, callees = left, rest-gap
	}
	line = min(lines, max(rest*2/5, rest-functions))
	function = min(functions, rest-line)
	if callees > 0 {
		callees -= line + function
	}
	return line, function, callees
}

func placeOf(l owncode.Line) string {
	if l.Path == "" {
		return "?"
	}
	return fmt.Sprintf("%s:%d", layout.Clean(l.Path), l.Line)
}

// fitPlace shortens "dir/file.go:12" to n columns and keeps the line number.
func fitPlace(l owncode.Line, n int) string {
	place := placeOf(l)
	if layout.Columns(place) <= n {
		return place
	}
	number := fmt.Sprintf(":%d", l.Line)
	return layout.FitPath(l.Path, max(n-layout.Columns(number), 1)) + number
}

func writeOwn(t *layout.Writer, s layout.Style, h documents.Header, o *owncode.Result) {
	own := "package main"
	if len(h.Own) > 0 {
		own = layout.Clean(strings.Join(h.Own, ", "))
	}
	t.Line(layout.Cut(fmt.Sprintf("own code: %s (from %s)", own, h.OwnFrom), s.Remaining(0, 10)))
	if a := o.Also; a != nil {
		t.Line(layout.Cut(fmt.Sprintf("%s: share of %s %s, of the same recording", profileColumn(a.Profile),
			unit.Of(a.Total, a.SampleType.Unit), a.SampleType.Type), s.Remaining(0, 10)))
	}
	t.Line()

	value := column(&h, h.Total, layout.Each(o.Lines, func(l *owncode.Line) int64 { return l.Cost }))
	dot := func(v int64) string {
		if v == 0 {
			return "·"
		}
		return value(v)
	}
	second := cmp.Or(o.Also, &owncode.Second{})
	table := layout.Table{
		Head: []string{
			profileColumn(h.Profile), profileColumn(second.Profile), "cost", "self", "line", "function", "what it called",
		},
		Min:   []int{ownShareW, ownShareW, max(layout.Columns(value(o.Cost)), layout.Columns(value(h.Total)))},
		Align: "rrrrlll", HeadColor: layout.Dim,
	}
	for _, l := range o.Lines {
		table.Rows = append(table.Rows, []string{
			percentOrDot(l.Cost, h.Total), percentOrDot(l.AlsoCost, second.Total), dot(l.Cost), dot(l.Self), placeOf(l),
			layout.ShortName(l.Function), "",
		})
	}
	if rest := o.Cost - o.Shown; o.Hidden > 0 {
		table.Foot = []string{
			layout.ColumnPercent(rest, h.Total), "", value(rest), more(o.Hidden, "more line", "more lines"),
		}
	}
	place := 4
	if o.Also == nil {
		table.Head[0] = "share"
		table.Remove(1)
		place--
	}
	widths := table.Widths(layout.Style{})
	begin, _ := table.Span(widths, place, place+1)
	lineW, functionW, calleesW := fitOwn(s, begin, widths[place], widths[place+1])
	table.Min = append(slices.Clone(widths[:place]), lineW, functionW)
	for i, l := range o.Lines {
		row := table.Rows[i]
		row[place], row[place+1] = fitPlace(l, lineW), layout.FitName(row[place+1], functionW)
		row[place+2] = fitList(calleeList(l, h.Total), calleesW)
	}
	table.Color = func(row, column int) layout.Color {
		switch {
		case column == 0:
			return layout.Heat(o.Lines[row].Share)
		case column == 1 && o.Also != nil:
			return layout.Heat(o.Lines[row].AlsoShare)
		case column == place:
			return layout.Cyan
		case column == place+2:
			return layout.Dim
		default:
			return ""
		}
	}
	if calleesW == 0 {
		table.Head = table.Head[:place+2]
		table.BelowAt = place
		table.Below = func(row int) layout.Painted {
			if callees := calleeList(o.Lines[row], h.Total); callees != nil {
				return s.Paint(layout.Dim, strings.TrimRight("└ "+fitList(callees, s.Width-begin-2), " "))
			}
			return layout.Painted{}
		}
	}
	if len(o.Lines) == 0 {
		t.Line("no own code in these samples")
	}
	table.Write(t, s)
	writeRest(t, s, h, o, value, widths[place-2])
}

func percentOrDot(part, total int64) string {
	if part == 0 {
		return "·"
	}
	return layout.ColumnPercent(part, total)
}

// maxCallees is the number of callees listed for a line.
const maxCallees = 3

// calleeList returns a line's heaviest callees with their shares; the last item counts the others.
func calleeList(l owncode.Line, total int64) []string {
	var out []string
	for i, c := range l.Callees {
		if share := unit.Share(c.Cost, l.Cost); i >= maxCallees || share < minCallee && share > -minCallee {
			break
		}
		name := layout.ShortName(c.Function)
		if name == "" {
			name = "code without symbols"
		}
		out = append(out, name+" "+layout.ShortPercent(c.Cost, total))
	}
	return out
}

// fitList joins items, names with shares, to at most n columns and drops or shortens the last ones.
func fitList(items []string, n int) string {
	out := ""
	for i, item := range items {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		if layout.Columns(out)+layout.Columns(sep)+layout.Columns(item) <= n {
			out += sep + item
			continue
		}
		// A shortened name is still useful if enough of it remains.
		name, share := item[:strings.LastIndexByte(item, ' ')], item[strings.LastIndexByte(item, ' '):]
		if room := n - layout.Columns(out) - layout.Columns(sep) - layout.Columns(share); room >= 12 {
			out += sep + layout.FitName(name, room) + share
		}
		break
	}
	return out
}

// maxRest is the number of rows for other cost.
const maxRest = 6

// writeRest writes the cost outside own code, so that the rows sum to the total.
func writeRest(
	t *layout.Writer, s layout.Style, h documents.Header, o *owncode.Result, value func(int64) string, costW int,
) {
	t.Line()
	row := func(code layout.Color, cost int64, what, detail string) {
		room := s.Remaining(ownShareW+2+costW+2, 10)
		what = layout.Cut(what, room)
		if detail != "" {
			detail = "  " + detail
			if space := room - layout.Columns(what); layout.Columns(detail) > space {
				detail = layout.Cut(detail, space)
			}
		}
		t.Line(s.Paint(code, layout.Right(layout.ColumnPercent(cost, h.Total), ownShareW)), "  ",
			layout.Right(value(cost), costW), "  ", what, s.Paint(layout.Dim, detail))
	}
	row(layout.Bold, o.Cost, "own code", "")
	sum, other, others := o.Cost, int64(0), 0
	for i, r := range o.Rest {
		sum += r.Cost
		if i >= maxRest && len(o.Rest) > maxRest+1 {
			other, others = other+r.Cost, others+1
			continue
		}
		names := make([]string, 0, 2)
		for _, c := range r.Roots[:min(len(r.Roots), 2)] {
			if c.Function != "" && c.Function != r.What {
				names = append(names, layout.ShortName(c.Function))
			}
		}
		if len(r.Roots) > 2 {
			names = append(names, "…")
		}
		row("", r.Cost, r.What, strings.Join(names, ", "))
	}
	if others > 0 {
		row("", other, layout.Plural(others, "other kind of work", "other kinds of work"), "")
	}
	if o.Filtered > 0 {
		sum += o.Filtered
		row("", o.Filtered, "left out by the filters", "")
	}
	row(layout.Dim, sum, "total", "")
}
