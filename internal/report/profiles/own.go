package profiles

import (
	"fmt"
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

// ownLayout has the widths of the own view's columns.
type ownLayout struct {
	also                        int // 0: no second profile
	cost, self, place, function int
	callees                     int // width for callees on the same line; 0: on the next line
}

const ownShareW = 7

// indent returns the column at which a line's file name starts.
func (l ownLayout) indent() int {
	n := ownShareW + 2 + l.cost + 2 + l.self + 2
	if l.also > 0 {
		n += l.also + 2
	}
	return n
}

func layoutOwn(s layout.Style, o *owncode.Result, total int64, value func(int64) string) ownLayout {
	l := ownLayout{
		cost: max(columnWidth("cost", value, each(o.Lines, func(l *owncode.Line) int64 { return l.Cost })),
			layout.Columns(value(o.Cost)), layout.Columns(value(total))),
		self:  columnWidth("self", value, each(o.Lines, func(l *owncode.Line) int64 { return l.Self })),
		place: layout.Columns("line"), function: layout.Columns("function"),
	}
	if o.Also != nil {
		l.also = max(ownShareW, layout.Columns(profileColumn(o.Also.Profile)))
	}
	for _, line := range o.Lines {
		l.place = max(l.place, layout.Columns(placeOf(line)))
		l.function = max(l.function, layout.Columns(layout.ShortName(line.Function)))
	}
	if s.Width <= 0 {
		l.callees = 1 << 20
		return l
	}
	// Callees get a column if the other columns leave enough width, else the next line.
	const minCallees, gap = 44, 2
	rest := max(s.Width-l.indent(), 30)
	if wide := rest - minCallees - 2*gap; wide >= 40 {
		l.place = min(l.place, max(wide*2/5, wide-l.function))
		l.function = min(l.function, wide-l.place)
		l.callees = rest - l.place - l.function - 2*gap
		return l
	}
	rest -= gap
	l.place = min(l.place, max(rest*2/5, rest-l.function))
	l.function = min(l.function, rest-l.place)
	return l
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

	value := column(&h, h.Total, each(o.Lines, func(l *owncode.Line) int64 { return l.Cost }))
	lay := layoutOwn(s, o, h.Total, value)
	also := func(s string) string {
		if lay.also == 0 {
			return ""
		}
		return "  " + layout.Right(s, lay.also)
	}
	share := "share"
	head := ""
	if o.Also != nil {
		share = profileColumn(h.Profile)
		head = also(profileColumn(o.Also.Profile))
	}
	head = layout.Right(share, ownShareW) + head + "  " + layout.Right("cost", lay.cost) + "  " +
		layout.Right("self", lay.self) + "  " + layout.Left("line", lay.place) + "  " + layout.Left("function", lay.function)
	if lay.callees > 0 {
		head += "  what it called"
	}
	if len(o.Lines) > 0 {
		t.Line(s.Paint(layout.Dim, strings.TrimRight(head, " ")))
	} else {
		t.Line("no own code in these samples")
	}
	for _, l := range o.Lines {
		self := value(l.Self)
		if l.Self == 0 {
			self = "·"
		}
		callees, place := calleeList(l, h.Total), fitPlace(l, lay.place)
		var second layout.Painted
		if lay.also > 0 {
			second = s.Paint(layout.Heat(l.AlsoShare), also(percentOrDot(l.AlsoCost, o.Also.Total)))
		}
		cost := value(l.Cost)
		if l.Cost == 0 {
			cost = "·"
		}
		row := []any{
			s.Paint(layout.Heat(l.Share), layout.Right(percentOrDot(l.Cost, h.Total), ownShareW)), second,
			"  ", layout.Right(cost, lay.cost),
			"  ", layout.Right(self, lay.self),
			"  ", s.Paint(layout.Cyan, place), layout.Spaces(lay.place - layout.Columns(place)),
			"  ", layout.Left(layout.FitName(layout.ShortName(l.Function), lay.function), lay.function),
		}
		if lay.callees > 0 && callees != nil {
			row = append(row, "  ", s.Paint(layout.Dim, fitList(callees, lay.callees)))
		}
		t.Line(row...)
		if lay.callees == 0 && callees != nil {
			t.Line(layout.Spaces(lay.indent()), s.Paint(layout.Dim, "└ "+fitList(callees, s.Width-lay.indent()-2)))
		}
	}
	if o.Hidden > 0 {
		t.Line(s.Paint(layout.Dim, layout.Right(layout.ColumnPercent(o.Cost-o.Shown, h.Total), ownShareW)+also("")+"  "+
			layout.Right(value(o.Cost-o.Shown), lay.cost)+
			"  "+more(o.Hidden, "more line", "more lines", s.Remaining(ownShareW+layout.Columns(also(""))+2+lay.cost+2, 10))))
	}
	writeRest(t, s, h, o, value, lay.cost)
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

// fitList joins items to at most n columns and drops or shortens the last ones.
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
		if name, share, ok := cutLast(item, " "); ok {
			if room := n - layout.Columns(out) - layout.Columns(sep) - layout.Columns(share) - 1; room >= 12 {
				out += sep + layout.FitName(name, room) + " " + share
			}
		}
		break
	}
	return out
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
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
