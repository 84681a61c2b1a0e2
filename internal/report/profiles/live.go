package profiles

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// liveSpark is the number of windows that the sparkline of a line shows.
const liveSpark = 24

// LiveHead is the number of lines of WriteLive apart from those of own lines.
const LiveHead = 4

// WriteLive writes what own lines cost now as LiveHead + n lines, none wider than the style: one for each of
// the n lines that cost most in the last windows, with its course.
func WriteLive(w io.Writer, s layout.Style, d *live.State, n int) error {
	t := layout.NewWriter(w)
	width := s.Remaining(0, 40)
	cut := func(text string) string { return layout.Cut(text, width) }
	t.Line(s.Paint(layout.Bold, layout.CutMiddle(layout.Clean(d.Target), width)))
	last := live.Window{Alloc: -1}
	if len(d.Windows) > 0 {
		last = d.Windows[len(d.Windows)-1]
	}
	switch {
	case last.Error != "":
		t.Line(s.Paint(layout.Red, cut("no profile: "+layout.Clean(last.Error))))
	case d.NoOwn:
		t.Line(cut("no own code found; --own PREFIX adds it"))
	default:
		t.Line(cut(liveRates(last)))
	}
	t.Line()
	spark := liveSpark
	if s.Width > 0 {
		spark = min(max(width-62, 6), liveSpark) // next to the other columns
	}
	rows := layout.Table{
		Head: []string{"cpu", "alloc", "cpu, " + unit.Duration(liveSpan(d, spark)), "line", "function"}, Align: "rrlll",
		HeadColor: layout.Dim, Min: []int{ownShareW, 9, spark},
		Color: func(_, column int) layout.Color {
			if column == 2 { // the sparkline
				return layout.Cyan
			}
			return ""
		},
	}
	shown := d.Lines[:min(n, len(d.Lines))]
	for i := range shown {
		l := &shown[i]
		at := len(l.CPU) - 1
		alloc := "·"
		if l.Alloc[at] > 0 && last.Length > 0 {
			alloc = unit.Bytes(perSecond(l.Alloc[at], last.Length)).String() + "/s"
		}
		rows.Rows = append(rows.Rows, []string{
			percentOrDot(l.CPU[at], last.CPU), alloc, Sparkline(l.CPU, spark),
			placeOf(owncode.Line{Path: l.Path, Line: l.Line}), layout.ShortName(l.Function),
		})
	}
	if len(rows.Rows) == 0 {
		t.Line()
	} else {
		widths := rows.Widths(layout.Style{})
		begin, _ := rows.Span(widths, 3, 4)
		line, function, _ := fitOwn(s, begin, widths[3], widths[4])
		for i, row := range rows.Rows {
			row[3] = fitPlace(owncode.Line{Path: shown[i].Path, Line: shown[i].Line}, line)
			row[4] = layout.FitName(row[4], function)
		}
		rows.Write(t, s)
	}
	for range n - len(shown) {
		t.Line()
	}
	return t.Result()
}

// liveRates describes a window in one line.
func liveRates(w live.Window) string {
	text := fmt.Sprintf("%.2f CPUs", float64(w.CPU)/math.Max(float64(w.Length), 1))
	if w.CPU > 0 {
		text += ", " + unit.Percent(w.OwnCPU, w.CPU) + " from own lines"
	}
	if w.Alloc >= 0 {
		text += " · " + unit.Bytes(perSecond(w.Alloc, w.Length)).String() + "/s allocated"
	}
	return text
}

func perSecond(v, length int64) int64 {
	return int64(math.Round(float64(v) / math.Max(float64(length), 1) * float64(time.Second)))
}

// liveSpan is the time that the sparklines show.
func liveSpan(d *live.State, n int) time.Duration {
	shown := d.Windows[max(len(d.Windows)-n, 0):]
	if len(shown) == 0 {
		return 0
	}
	end := shown[len(shown)-1]
	return end.Start.Add(time.Duration(end.Length)).Sub(shown[0].Start).Round(time.Second)
}

// Sparkline draws the last n values, scaled from 0 to the largest of them.
func Sparkline(values []int64, n int) string {
	values = values[max(len(values)-n, 0):]
	most := int64(0)
	for _, v := range values {
		most = max(most, v)
	}
	steps := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		at := 0
		if most > 0 {
			at = int(math.Round(float64(v) / float64(most) * float64(len(steps)-1)))
		}
		b.WriteRune(steps[max(at, 0)])
	}
	return b.String()
}

// WriteLiveSum writes what own lines cost since the start: the n most expensive, or all if n is 0.
func WriteLiveSum(w io.Writer, s layout.Style, d *live.State, n int) error {
	t := layout.NewWriter(w)
	failed := 0
	for _, one := range d.Windows {
		if one.Error != "" {
			failed++
		}
	}
	head := fmt.Sprintf("%s: %s of profiles, %s CPU time", layout.Clean(d.Target),
		unit.Duration(time.Duration(d.Profiled).Round(time.Second)), unit.Duration(time.Duration(d.CPU)))
	if d.CPU > 0 {
		head += ", " + unit.Percent(d.OwnCPU, d.CPU) + " from own lines"
	}
	if d.Alloc >= 0 {
		head += "; " + unit.Bytes(d.Alloc).String() + " allocated"
	}
	layout.Wrap(t, s, "", head, 2)
	if failed > 0 {
		layout.Wrap(t, s, "", layout.Plural(failed, "window", "windows")+" of the last "+
			fmt.Sprint(len(d.Windows))+" failed: nothing is known of them", 2)
	}
	t.Line()
	lines := liveBySum(d.Lines)
	table := layout.Table{
		Head: []string{"cpu", "cost", "alloc", "line", "function"}, Align: "rrrll", HeadColor: layout.Dim,
		Min: []int{ownShareW}, Least: 12,
	}
	for i, l := range lines {
		if n > 0 && i >= n {
			table.Foot = []string{"", "", "", more(len(lines)-n+d.Hidden, "more line", "more lines")}
			break
		}
		alloc := "·"
		if l.AllocSum > 0 {
			alloc = unit.Bytes(l.AllocSum).String()
		}
		table.Rows = append(table.Rows, []string{
			percentOrDot(l.CPUSum, d.CPU), unit.Duration(time.Duration(l.CPUSum)), alloc,
			placeOf(owncode.Line{Path: l.Path, Line: l.Line}), layout.ShortName(l.Function),
		})
	}
	if len(table.Rows) == 0 {
		t.Line("no own code found; --own PREFIX adds it")
		return t.Result()
	}
	table.Write(t, s)
	return t.Result()
}

// liveBySum returns lines by what they cost since the start.
func liveBySum(lines []live.Line) []live.Line {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b live.Line) int {
		return cmp.Or(cmp.Compare(b.CPUSum, a.CPUSum), cmp.Compare(b.AllocSum, a.AllocSum))
	})
	return sorted
}
