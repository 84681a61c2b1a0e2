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
func WriteDiff(w io.Writer, s Style, r *Diff) error {
	t := &diffWriter{text: text{w: w}, s: s, r: r}
	t.head()
	if r.Entries != nil {
		t.table("", r.Entries, !r.Cum)
	}
	if r.Own != nil || r.Rest != nil {
		t.table("own code (each sample is charged to its innermost own frame)", r.Own, false)
		t.table("no own code on the stack (by outermost frame)", r.Rest, false)
	}
	if r.LeftOut > 0 {
		t.printf("\n%d smaller changes are left out (-n 0 shows them)\n", r.LeftOut)
	}
	return t.result()
}

type diffWriter struct {
	text
	s Style
	r *Diff
}

func (t *diffWriter) value(v int64) string { return unit.Of(v, t.r.Unit).String() }

// signed writes a change with its sign.
func (t *diffWriter) signed(v int64) string {
	s := t.value(v)
	if v > 0 {
		s = "+" + s
	}
	return s
}

func (t *diffWriter) head() {
	r := t.r
	t.printf("Type: %s (%s), by %s\n", r.Type, r.Unit, r.By)
	for _, x := range []struct {
		name string
		s    *DiffSide
	}{{"A", &r.Before}, {"B", &r.After}} {
		t.printf("%s: %s: %s", x.name, x.s.Name, t.value(x.s.Total))
		if r.Noise != string(noiseExact) {
			t.printf(" ±%s, %d %s", t.value(x.s.Noise), x.s.Events, r.Noise)
		}
		if x.s.Duration > 0 {
			t.printf(", over %s", unit.Duration(x.s.Duration))
		}
		t.printf("\n")
	}
	if r.Normalized {
		t.printf("A is multiplied by %.4g: only shares of the total are compared\n", r.Scale)
	} else {
		t.printf("Total: %s %s", t.signed(r.Total.Change), relative(r.Total.Relative))
		switch {
		case r.Noise == string(noiseExact):
		case r.Total.WithinNoise:
			t.printf(", within noise (±%s)", t.value(r.Total.Noise))
		default:
			t.printf(", noise ±%s", t.value(r.Total.Noise))
		}
		t.printf("\n")
	}
}

// table writes the entries. Both tells whether flat and cum have columns of
// their own or cum alone is shown.
func (t *diffWriter) table(title string, entries []DiffEntry, flat bool) {
	t.printf("\n")
	if title != "" {
		t.printf("%s\n", title)
	}
	which := "cum"
	if flat {
		which = "flat"
	}
	if t.r.Own != nil || t.r.Rest != nil {
		which = "cost"
	}
	t.printf("%10s %10s %10s %8s %9s    %s\n", which+" A", which+" B", "change", "%", "noise", t.r.By)
	if len(entries) == 0 {
		t.printf("%10s\n", "none")
	}
	for i := range entries {
		e := &entries[i]
		v := &e.Cum
		if flat {
			v = &e.Flat
		}
		mark := " "
		if v.WithinNoise {
			mark = "~"
		}
		noise := ""
		if v.Noise != 0 {
			noise = "±" + t.value(v.Noise)
		}
		t.printf("%10s %10s %10s %8s %9s %s  %s%s\n",
			t.dot(v.Before), t.dot(v.After), t.signed(v.Change), change(v, e.Status), noise, mark, e.label(), own(e, t.r))
	}
}

func (t *diffWriter) dot(v int64) string {
	if v == 0 {
		return "."
	}
	return t.value(v)
}

// own marks own functions in the classic table.
func own(e *DiffEntry, r *Diff) string {
	if e.Own && r.Entries != nil {
		return "  (own)"
	}
	return ""
}

// label names an entry with its place.
func (e *DiffEntry) label() string {
	s := e.Name
	switch {
	case e.Line != 0:
		s += fmt.Sprintf(" %s:%d", baseName(e.File), e.Line)
		if e.Before != 0 {
			s += fmt.Sprintf(" (was line %d)", e.Before)
		}
	case s == "":
		s = e.File
	}
	return strings.TrimSpace(s)
}

func change(v *DiffValue, status string) string {
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
