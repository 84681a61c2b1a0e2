package diffs

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/work"
	"github.com/whet-go/whet/unit"
)

// Write writes a difference as text: what is compared, how certain it is, and tables with the largest
// changes first. "~" marks changes within sampling noise.
func Write(w io.Writer, s layout.Style, d *diff.Result) error {
	t := &diffWriter{layout.NewWriter(w), s, d}
	t.head()
	if d.Own == nil && d.Rest == nil {
		which := "flat"
		if d.Cum {
			which = "cum"
		}
		t.table("", which, d.Entries)
	} else {
		t.table("own code: each sample is charged to its innermost own frame", "cost", d.Own)
		t.table("no own code on the stack: by outermost frame", "cost", d.Rest)
	}
	layout.More(t.Writer, s, layout.Dim, d.LeftOut, "smaller change is left out", "smaller changes are left out")
	return t.Result()
}

type diffWriter struct {
	*layout.Writer
	s layout.Style
	d *diff.Result
}

func (t *diffWriter) value(v int64) string {
	return unit.Of(v, t.d.Unit).In(cmp.Or(t.d.OutputUnit, "auto"))
}

// signed writes a change with its sign.
func (t *diffWriter) signed(v int64) string {
	if v > 0 {
		return "+" + t.value(v)
	}
	return t.value(v)
}

// noise writes two standard deviations, to two significant digits.
func (t *diffWriter) noise(v int64) string {
	step := int64(1)
	for v/step >= 100 {
		step *= 10
	}
	return "±" + t.value((v+step/2)/step*step)
}

func (t *diffWriter) dot(v int64) string {
	if v == 0 {
		return "."
	}
	return t.value(v)
}

func (t *diffWriter) head() {
	d := t.d
	per := ""
	if d.PerRequest {
		per = ", per request"
	}
	t.Line(t.s.Paint(layout.Bold, layout.Clean(d.Type)), " by ", d.By, ", B against A", per)
	exact := d.Noise == diff.Exact
	for i, side := range []*diff.Side{&d.Before, &d.After} {
		facts := layout.Facts{[]string{"A", "B"}[i] + "  " + t.value(side.Total)}
		if !exact {
			facts[0] += " " + t.noise(side.Noise)
			facts.Add("%s %s", unit.Count(side.Events), d.Noise)
		}
		if w := side.Work; w != nil {
			about := ""
			if e := w.Estimated(); e != "" {
				about = " (" + e + ")"
			}
			facts.Add("%s requests%s", unit.Count(w.Rounded()), about)
		}
		facts.If(side.Duration > 0, "%s", unit.Duration(side.Duration))
		facts = append(facts, layout.Clean(side.Name))
		t.Line(layout.Cut(strings.Join(facts, " · "), t.s.Remaining(0, 20)))
	}
	if d.Normalized {
		t.Line(fmt.Sprintf("A is multiplied by %.4g: only shares of the total are compared", d.Scale))
	} else if p := d.Total.PerRequest; p != nil {
		t.perRequest(p)
	} else {
		total := "total " + t.signed(d.Total.Change) + bracketed(d.Total.Relative)
		switch {
		case exact:
		case d.Recorded && d.Warnings.Has(diff.NoPerRequest):
			total += ", no verdict: the change may come from a different load"
		case d.Total.WithinNoise:
			total += ", within the noise of " + t.noise(d.Total.Noise)
		default:
			total += ", beyond the noise of " + t.noise(d.Total.Noise)
		}
		t.Line(total)
	}
	layout.Warnings(t.Writer, t.s, "warning: ", d.Warnings)
}

// perRequest writes the cost of a request in A and B, and the totals.
func (t *diffWriter) perRequest(p *work.Change) {
	t.Line(t.changePerRequest(p))
	total := "totals cover different amounts of work: " + t.signed(t.d.Total.Change) + bracketed(t.d.Total.Relative)
	w := t.d.After.Work.Requests/t.d.Before.Work.Requests - 1
	t.Line(t.s.Paint(layout.Dim, total+" for "+relative(&w)+" requests"))
}

func (t *diffWriter) changePerRequest(p *work.Change) string {
	return "per request " + t.rate(p.Before) + " → " + t.rate(p.After) + bracketed(p.Relative) + ": " + verdictText(p)
}

// CompareRequests compares the sum of a sample type per request in a and b, in words. It returns ""
// if the type is not a cost of requests.
func CompareRequests(a, b *profile.Profile, typ profile.ValueType, pair *work.Pair) string {
	p := diff.PerRequest(a, b, typ, pair)
	if p == nil {
		return ""
	}
	t := &diffWriter{d: &diff.Result{Unit: typ.Unit}}
	return strings.TrimPrefix(t.changePerRequest(p), "per request ")
}

// verdictText describes an interval.
func verdictText(p *work.Change) string {
	between := ""
	if p.Low != nil {
		between = fmt.Sprintf(" (%.0f%% interval %s)", 100*work.Confidence, rateInterval(p))
	}
	switch p.Verdict {
	case work.More:
		return "costs more, beyond chance" + between
	case work.Less:
		return "costs less, beyond chance" + between
	case work.Noise:
		return "within noise" + between
	case work.Unknown:
	}
	return "no verdict"
}

func rateInterval(p *work.Change) string {
	if p.Low == nil {
		return ""
	}
	return relative(p.Low) + " to " + relative(p.High)
}

// rate writes the cost of one request, which may be less than one unit.
func (t *diffWriter) rate(v float64) string {
	if v == 0 {
		return "."
	}
	if math.Abs(v) >= 100 {
		return t.value(int64(math.Round(v)))
	}
	name, ok := map[string]string{"nanoseconds": "ns", "bytes": "B", "count": ""}[t.d.Unit]
	if !ok {
		name = " " + t.d.Unit
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + name
}

// table writes entries under a title, with the named column.
func (t *diffWriter) table(title, which string, entries []diff.Entry) {
	t.Line()
	if title != "" {
		t.Line(title)
	}
	if len(entries) == 0 {
		t.Line("  nothing")
		return
	}
	noise := "noise"
	if t.d.PerRequest {
		noise = fmt.Sprintf("%.0f%% interval", 100*work.Confidence)
	}
	own := func(e *diff.Entry) string {
		if e.Own && t.d.Entries != nil {
			return " (own)"
		}
		return ""
	}
	heat := make([]layout.Color, len(entries))
	table := layout.Table{
		Head:  []string{which + " A", which + " B", "change", "%", noise, " ", t.d.By},
		Align: "rrrrrll", Gaps: []int{0, 2, 2, 2, 2, 1, 2}, Indent: 2, Wide: 6, Least: 20, HeadColor: layout.Dim,
		Fit: func(row, n int) string {
			e := &entries[row]
			return label(e, n-len(own(e))) + own(e)
		},
		Color: func(row, column int) layout.Color {
			switch column {
			case 2, 3:
				return heat[row]
			case 4:
				return layout.Dim
			default:
				return ""
			}
		},
	}
	for i := range entries {
		e := &entries[i]
		v := &e.Cum
		if which == "flat" {
			v = &e.Flat
		}
		row := []string{
			t.dot(v.Before), t.dot(v.After), t.signed(v.Change), diffPercent(v.Relative, e.Status), "", "",
			label(e, 1<<20) + own(e),
		}
		if v.Noise != 0 {
			row[4] = t.noise(v.Noise)
		}
		if p := v.PerRequest; p != nil {
			change := t.rate(p.After - p.Before)
			if p.After > p.Before {
				change = "+" + change
			}
			copy(row, []string{
				t.rate(p.Before), t.rate(p.After), change, diffPercent(p.Relative, e.Status), rateInterval(p),
			})
		}
		switch {
		case v.PerRequest == nil && v.WithinNoise || v.PerRequest != nil && v.PerRequest.Verdict == work.Noise:
			row[5] = "~"
		case v.PerRequest != nil && v.PerRequest.Verdict == work.Unknown:
			row[5] = "?"
		default:
			heat[i] = layout.Heat(t.weight(v))
		}
		table.Rows = append(table.Rows, row)
	}
	table.Write(t.Writer, t.s)
}

// weight returns the share of a change in the larger total.
func (t *diffWriter) weight(v *diff.Value) float64 {
	if p, total := v.PerRequest, t.d.Total.PerRequest; p != nil && total != nil {
		if whole := max(total.Before, total.After); whole > 0 {
			return math.Abs(p.After-p.Before) / whole
		}
		return 0
	}
	return math.Copysign(unit.Share(v.Change, max(t.d.Total.Before, t.d.Total.After)), 1)
}

// label returns an entry's name and line in n columns.
func label(e *diff.Entry, n int) string {
	switch {
	case e.Line != 0:
		place := fmt.Sprintf(" %s:%d", layout.Clean(layout.BaseName(e.File)), e.Line)
		if e.Before != 0 {
			place += fmt.Sprintf(" (line %d in A)", e.Before)
		}
		return layout.FitName(e.Name, max(n-layout.Columns(place), 10)) + place
	case e.Name == "":
		return layout.FitPath(e.File, n)
	}
	return layout.FitName(e.Name, n)
}

func diffPercent(change *float64, status string) string {
	switch status {
	case "appeared":
		return "new"
	case "vanished":
		return "gone"
	}
	return relative(change)
}

// bracketed writes a relative change after a figure; "" without one.
func bracketed(r *float64) string {
	if r == nil {
		return ""
	}
	return " (" + relative(r) + ")"
}

// relative writes a relative change in percent.
func relative(r *float64) string {
	switch {
	case r == nil:
		return ""
	case math.Abs(*r) >= 10:
		return fmt.Sprintf("%+.0f%%", 100**r)
	}
	return fmt.Sprintf("%+.1f%%", 100**r)
}
