package recordings

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/unit"
)

// WriteMemory writes the document as text, in 80 columns unless a description needs more and the
// width has no limit.
func WriteMemory(w io.Writer, s layout.Style, d *memory.Report) error {
	t := layout.NewWriter(w)
	total, what := "resident", "RSS"
	if d.RSS == 0 {
		total, what = "held by Go", "Go"
	}
	head := layout.Facts{unit.Bytes(d.Total).String() + " " + total}
	head.If(d.PeakRSS > 0, " (peak RSS %v)", unit.Bytes(d.PeakRSS))
	grown := signedBytes(d.Total - d.EarlierTotal)
	if d.Total == d.EarlierTotal {
		grown = "unchanged"
	}
	head.If(d.Earlier != "", ", %s since %s", grown, layout.Clean(d.Earlier))
	t.Line(s.Paint(layout.Bold, layout.Cut(head.String(), s.Remaining(0, 40))))
	t.Line(s.Paint(layout.Dim, layout.Cut(layout.Clean(d.Name), s.Remaining(0, 40))))
	t.Line()
	memoryParts(t, s, d, what)
	memoryCollector(t, s, &d.GC, d)
	memoryPauses(t, s, &d.GC.Pauses)
	if len(d.Unknown) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Dim, "not available"))
		for _, u := range d.Unknown {
			layout.Paragraph(t, s, layout.Dim, "  - ", layout.Clean(u))
		}
	}
	return t.Result()
}

// memoryParts writes a table of the parts, with sums of those above. With a column of changes, bars are
// shorter.
func memoryParts(t *layout.Writer, s layout.Style, d *memory.Report, what string) {
	widest := int64(1)
	for _, p := range d.Parts {
		widest = max(widest, p.Bytes, -p.Bytes)
	}
	bar, before := 12, memory.Sums{}
	if d.Before != nil {
		bar, before = 6, *d.Before
	}
	table := layout.Table{
		Head: []string{"", "bytes", "change", "of " + what, "", ""}, Align: "lrrrll", Gaps: []int{0, 0, 0, 0, 2, 1},
		Min: []int{18, 10, 10, 7, bar}, HeadColor: layout.Dim,
	}
	row := func(name string, bytes int64, change *int64, drawn, meaning string) {
		grown := ""
		if change != nil {
			grown = signedBytes(*change)
		}
		share := fmt.Sprintf("%.1f%%", 100*unit.Share(bytes, d.Total))
		table.Rows = append(table.Rows, []string{name, unit.Bytes(bytes).String(), grown, share, drawn, meaning})
	}
	sum := func(name string, bytes, before int64, meaning string) {
		var change *int64
		if before > 0 {
			n := bytes - before
			change = &n
		}
		row(name, bytes, change, "", meaning)
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		name := p.Name
		if p.Estimated {
			name = "~" + name
		}
		row("  "+name, p.Bytes, p.Change, barOf(p.Bytes, widest, bar), p.Meaning)
		switch p.ID {
		case memory.Uncollected, memory.Objects:
			sum("= HeapAlloc", d.HeapAlloc, before.HeapAlloc, unit.Count(d.HeapObjects).Short()+" objects")
		case memory.Fragmentation:
			sum("= HeapInuse", d.HeapInuse, before.HeapInuse, "spans that hold objects")
		}
		if inGo(p.ID) && (i == len(d.Parts)-1 || !inGo(d.Parts[i+1].ID)) {
			sum("= Go", d.Go, before.Go, fmt.Sprintf("Sys less %v released", unit.Bytes(d.Released)))
		}
	}
	if what == "RSS" {
		sum("= RSS", d.RSS, before.RSS, "as the OS counts it")
	}
	if d.Before == nil {
		table.Remove(2)
	}
	table.Wide, table.Least = len(table.Align)-1, 12
	table.Fit = func(row, n int) string { return layout.Cut(table.Rows[row][table.Wide], n) }
	table.Color = func(row, column int) layout.Color {
		switch {
		case column == table.Wide:
			return layout.Dim
		case column == table.Wide-1:
			return layout.Cyan
		case strings.HasPrefix(table.Rows[row][0], "="):
			return layout.Bold
		default:
			return ""
		}
	}
	table.Write(t, s)
}

// inGo reports whether a part is memory that the runtime holds.
func inGo(id string) bool {
	switch id {
	case memory.Files, memory.Untouched, memory.NotGo, memory.Rest:
		return false
	}
	return true
}

// barOf draws v in n columns for widest; negative values point the other way.
func barOf(v, widest int64, n int) string {
	size := int(math.Round(math.Abs(float64(v)) / float64(widest) * float64(n)))
	switch {
	case v == 0:
		return ""
	case size == 0:
		return "·"
	case v < 0:
		return strings.Repeat("-", size)
	}
	return strings.Repeat("#", size)
}

func signedBytes(n int64) string {
	switch {
	case n > 0:
		return "+" + unit.Bytes(n).String()
	case n == 0:
		return "·"
	}
	return unit.Bytes(n).String()
}

func memoryCollector(t *layout.Writer, s layout.Style, g *memory.GC, d *memory.Report) {
	t.Line()
	span := "since the program started"
	if g.Window > 0 {
		span = fmt.Sprintf("in %v", g.Window.Round(100*time.Millisecond))
	}
	head := layout.Facts{layout.Plural(int(g.Count), "garbage collection", "garbage collections") + " " + span}
	head.If(g.Rate > 0, ", %s a second", rate(g.Rate))
	head.If(g.Forced > 0, ", %d forced", g.Forced)
	if before := g.Earlier; before != nil {
		head.Add(" (before: %d", before.Count)
		head.If(before.Rate > 0, ", %s a second", rate(before.Rate))
		head = append(head, ")")
	}
	t.Line(s.Paint(layout.Bold, layout.Cut(head.String(), s.Remaining(0, 40))))
	fact := func(name, format string, args ...any) {
		layout.Paragraph(t, s, "", "  "+layout.Left(name, 14), layout.Clean(fmt.Sprintf(format, args...)))
	}
	for i, c := range g.CPU {
		name := "CPU"
		if i > 0 {
			name = ""
		}
		fact(name, "%s of the %s (%s)", fmt.Sprintf("%.2f%%", 100*c.Share), c.Of, c.From)
	}
	if g.Interval > 0 {
		fact("interval", "%s from one to the next", short(g.Interval))
	}
	if g.AllocRate > 0 {
		fact("allocates", "%v/s, %s objects/s", unit.Bytes(int64(g.AllocRate)), unit.Count(int64(g.ObjectRate)).Short())
	} else {
		fact("allocated", "%v, %s objects", unit.Bytes(g.AllocBytes), unit.Count(g.AllocObjects).Short())
	}
	next := fmt.Sprintf("when the heap reaches %v; it is at %v", unit.Bytes(g.NextGC), unit.Bytes(d.HeapAlloc))
	if g.GOGC != nil {
		next += fmt.Sprintf("; GOGC %d", *g.GOGC)
		if *g.GOGC < 0 {
			next = strings.TrimSuffix(next, "-1") + "off"
		}
	}
	if g.MemoryLimit != nil && *g.MemoryLimit != math.MaxInt64 {
		next += fmt.Sprintf("; GOMEMLIMIT %v", unit.Bytes(*g.MemoryLimit))
	}
	fact("next", "%s", next)
}

func memoryPauses(t *layout.Writer, s layout.Style, p *memory.Pauses) {
	if p.N == 0 {
		return
	}
	t.Line()
	head := "pauses"
	if p.Of > p.N {
		head += fmt.Sprintf(" of the last %d of %d", p.N, p.Of)
	}
	t.Line(s.Paint(layout.Bold, head))
	t.Line(fmt.Sprintf("  p50 %s  p90 %s  p99 %s  max %s  sum %s", short(p.P50), short(p.P90), short(p.P99), short(p.Max),
		short(p.Total)))
	most := 1
	for _, b := range p.Histogram {
		most = max(most, b.N)
	}
	for _, b := range p.Histogram {
		t.Line("  ", layout.Right("< "+short(b.High), 12), layout.Right(fmt.Sprint(b.N), 6), "  ",
			s.Paint(layout.Cyan, barOf(int64(b.N), int64(most), 40)))
	}
}

// short formats a duration to three digits.
func short(d time.Duration) string {
	for _, step := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d < step {
			continue
		}
		v := float64(d) / float64(step)
		if v >= 999.5 {
			return fmt.Sprintf("%.0f", v) + strings.TrimPrefix(step.String(), "1")
		}
		return fmt.Sprintf("%.3g", v) + strings.TrimPrefix(step.String(), "1")
	}
	return d.String()
}

// rate formats a rate per second to two digits.
func rate(f float64) string {
	if f >= 9.95 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.2g", f)
}
