package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/whet-go/whet/unit"
)

// WriteDiff writes a Diff for people: what is compared, how sure one can be of
// it, and the tables with the largest changes first. A "~" marks changes that are
// within the noise of sampling.
func WriteDiff(w io.Writer, s Style, d *Diff) error {
	t := &diffWriter{text: text{w: w}, s: s, d: d}
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
	if d.LeftOut > 0 {
		t.line()
		t.line(s.paint(dim, plural(d.LeftOut, "smaller change is", "smaller changes are")+" left out (-n 0 shows all)"))
	}
	return t.result()
}

type diffWriter struct {
	text
	s Style
	d *Diff
}

func (t *diffWriter) value(v int64) string { return unit.Of(v, t.d.Unit).String() }

// signed writes a change with its sign.
func (t *diffWriter) signed(v int64) string {
	if v > 0 {
		return "+" + t.value(v)
	}
	return t.value(v)
}

// noise writes two standard deviations, of which two digits mean something.
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
	t.line(t.s.paint(bold, Clean(d.Type)), " by ", d.By, ", B against A")
	exact := d.Noise == string(noiseExact)
	for _, x := range []struct {
		name string
		side *DiffSide
	}{{"A", &d.Before}, {"B", &d.After}} {
		facts := []string{x.name + "  " + t.value(x.side.Total)}
		if !exact {
			facts[0] += " " + t.noise(x.side.Noise)
			facts = append(facts, unit.Count(x.side.Events).String()+" "+d.Noise)
		}
		if x.side.Duration > 0 {
			facts = append(facts, unit.Duration(x.side.Duration))
		}
		t.line(cut(strings.Join(append(facts, Clean(x.side.Name)), " · "), t.s.room(0, 20)))
	}
	if d.Normalized {
		t.line(fmt.Sprintf("A is multiplied by %.4g: only shares of the total are compared", d.Scale))
	} else {
		total := "total " + t.signed(d.Total.Change)
		if r := relative(d.Total.Relative); r != "" {
			total += " (" + r + ")"
		}
		switch {
		case exact:
		case d.Total.WithinNoise:
			total += ", within noise: chance alone makes " + t.noise(d.Total.Noise)
		default:
			total += ", more than the " + t.noise(d.Total.Noise) + " that chance makes"
		}
		t.line(total)
	}
	for _, w := range d.Warnings {
		t.line(t.s.paint(gold, "warning: "+w.Text))
		if w.Hint != "" {
			t.line("hint: ", w.Hint)
		}
	}
}

// table writes entries under a title, with the named column.
func (t *diffWriter) table(title, which string, entries []DiffEntry) {
	t.line()
	if title != "" {
		t.line(title)
	}
	if len(entries) == 0 {
		t.line("  nothing")
		return
	}
	type row struct{ before, after, change, percent, noise string }
	rows := make([]row, len(entries))
	head := row{which + " A", which + " B", "change", "%", "noise"}
	width := [5]int{}
	grow := func(r row) {
		for i, s := range [...]string{r.before, r.after, r.change, r.percent, r.noise} {
			width[i] = max(width[i], columns(s))
		}
	}
	grow(head)
	for i := range entries {
		v := t.shown(&entries[i], which)
		rows[i] = row{t.dot(v.Before), t.dot(v.After), t.signed(v.Change), diffPercent(v, entries[i].Status), ""}
		if v.Noise != 0 {
			rows[i].noise = t.noise(v.Noise)
		}
		grow(rows[i])
	}
	columnsOf := func(r row) (costs, rest string) {
		return "  " + right(r.before, width[0]) + "  " + right(r.after, width[1]) + "  ",
			right(r.change, width[2]) + "  " + right(r.percent, width[3])
	}
	costs, rest := columnsOf(head)
	line := costs + rest + "  " + right(head.noise, width[4]) + "    "
	t.line(t.s.paint(dim, line+t.d.By))
	room := t.s.room(columns(line), 20)
	for i := range entries {
		e := &entries[i]
		v := t.shown(e, which)
		mark, paint := " ", heat(math.Copysign(unit.Share(v.Change, max(t.d.Total.Before, t.d.Total.After)), 1))
		if v.WithinNoise {
			mark, paint = "~", ""
		}
		costs, rest := columnsOf(rows[i])
		own := ""
		if e.Own && t.d.Entries != nil {
			own = " (own)"
		}
		t.line(costs, t.s.paint(paint, rest), t.s.paint(dim, "  "+right(rows[i].noise, width[4])), " ", mark, "  ",
			e.label(room-len(own)), t.s.paint(dim, own))
	}
}

func (t *diffWriter) shown(e *DiffEntry, which string) *DiffValue {
	if which == "flat" {
		return &e.Flat
	}
	return &e.Cum
}

// label names an entry with its place in n columns.
func (e *DiffEntry) label(n int) string {
	switch {
	case e.Line != 0:
		place := fmt.Sprintf(" %s:%d", Clean(baseName(e.File)), e.Line)
		if e.Before != 0 {
			place += fmt.Sprintf(" (line %d in A)", e.Before)
		}
		return FitName(e.Name, max(n-columns(place), 10)) + place
	case e.Name == "":
		return FitPath(e.File, n)
	}
	return FitName(e.Name, n)
}

func diffPercent(v *DiffValue, status string) string {
	switch status {
	case "appeared":
		return "new"
	case "vanished":
		return "gone"
	}
	return relative(v.Relative)
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
