package benchmarks

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/service"
	"github.com/whet-go/whet/unit"
)

// WriteServices writes a comparison of two services: what they are and what they were sent, reasons
// to distrust it, a line for each unit, and the verdict.
func WriteServices(w io.Writer, s layout.Style, r *service.Result) error {
	t := layout.NewWriter(w)
	for i, side := range r.Sides {
		name := side.Command
		if side.Dir != "" {
			name += " (in " + side.Dir + ")"
		}
		t.Line(ab.Side(i).String(), "  ", s.Paint(layout.Bold, layout.CutMiddle(layout.Clean(name), s.Remaining(3, 20))))
	}
	if l := r.Load; l != nil {
		t.Line(layout.Cut(layout.Clean(loads.Targets(l)), s.Remaining(0, 20)))
		layout.Wrap(t, s, "", layout.Clean(loads.Setting(l)), 0)
	}
	t.Line()
	warnings := slices.Concat(r.Warnings, r.AB.Warnings) // the gravest first
	layout.Warnings(t, s, "warning: ", warnings)
	if len(warnings) > 0 {
		t.Line()
	}
	units := serviceTable(t, s, r)
	serviceFacts(t, s, r)
	t.Line()
	for i, sentence := range serviceVerdict(r, units) {
		lead := layout.Join("         ")
		if i == 0 {
			lead = layout.Join(s.Paint(layout.Bold, "verdict:"), " ")
		}
		layout.Wrap(t, s, lead, layout.Clean(sentence), 9)
	}
	return t.Result()
}

// serviceTable writes a line for each unit and returns the units in that order.
func serviceTable(t *layout.Writer, s layout.Style, r *service.Result) []ab.Unit {
	var units []ab.Unit
	all := r.AB.Subjects[0].Units
	for _, name := range service.Units() {
		if i := slices.IndexFunc(all, func(u ab.Unit) bool { return u.Unit == name }); i >= 0 {
			units = append(units, all[i])
		}
	}
	if len(units) == 0 {
		t.Line("nothing was measured")
		return nil
	}
	table := layout.Table{Align: "lrrrrrrl", Head: []string{
		"", "A", "B", "change", fmt.Sprintf("%s%% interval", percentOf(r.AB.Confidence)), "p", "q", "B is",
	}}
	for _, u := range units {
		change, between := "–", "–"
		if !math.IsNaN(float64(u.Ratio)) {
			change = layout.SignedPercent(float64(u.Ratio) - 1)
		}
		if serviceBounded(&u) {
			between = layout.SignedPercent(float64(u.Low)-1) + " to " + layout.SignedPercent(float64(u.High)-1)
		}
		table.Rows = append(table.Rows, []string{
			service.UnitName(u.Unit), serviceValue(u.Unit, u.A.Median), serviceValue(u.Unit, u.B.Median), change, between,
			fmt.Sprintf("%.3f", u.P), fmt.Sprintf("%.3f", u.Q), string(u.Verdict),
		})
	}
	table.Color = func(row, column int) layout.Color {
		if column < len(table.Align)-1 {
			return ""
		}
		return cmp.Or(map[ab.Verdict]layout.Color{ab.Better: layout.Cyan, ab.Worse: layout.Red}[units[row].Verdict],
			layout.Dim)
	}
	if s.Width > 0 && table.Width() > s.Width { // verdicts go by q, so p can be left out
		table.Remove(5)
	}
	table.Write(t, s)
	return units
}

// widest is the ratio of an interval's ends above which a unit gets no line.
const widest = 100

// serviceBounded reports whether a unit has a useful interval.
func serviceBounded(u *ab.Unit) bool { return u.Low > 0 && u.High < widest*u.Low }

// serviceValue formats a value of a unit.
func serviceValue(name string, v bench.Float) string {
	x := float64(v)
	switch {
	case math.IsNaN(x):
		return "–"
	case name == service.UnitRate:
		return loads.PerSecond(x)
	case strings.Contains(name, "sec"):
		return unit.Duration(time.Duration(math.Round(x * float64(time.Second))))
	case name == service.UnitBytes:
		return unit.Bytes(math.Round(x)).String()
	case x >= 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// serviceFacts describes how it was measured.
func serviceFacts(t *layout.Writer, s layout.Style, r *service.Result) {
	c := r.AB.Subjects[0]
	stopped := map[ab.Stop]string{
		ab.Precise: "until the interval was as narrow as requested", ab.TimeUp: "until the time was up",
		ab.Interrupted: "interrupted", ab.Failed: "until one failed",
	}[c.Stopped]
	var text layout.Facts
	text.Add("%s of slices of %v in %s, %s", layout.Plural(c.Pairs, "pair", "pairs"), r.AB.Plan.Length,
		unit.Duration(r.AB.Elapsed), stopped)
	for _, u := range c.Units {
		text.If(u.Unit == r.AB.Unit && !math.IsNaN(float64(u.Spread)), "; a pair's noise in %s is %s",
			service.UnitName(u.Unit), unit.FormatPercent(100*float64(u.Spread)))
	}
	if len(c.Units) > 0 {
		t.Line()
	}
	layout.Wrap(t, s, "", text.String(), 0)
	if r.OneAtATime {
		layout.Wrap(t, s, "", "Both listen at one address, so one ran at a time, started anew for each slice.", 0)
	}
}

// serviceVerdict describes the outcome in sentences. Reasons why the services do not compare come
// first.
func serviceVerdict(r *service.Result, units []ab.Unit) []string {
	var out layout.Facts
	share := func(side *service.Side) string { return unit.Percent(side.Seen.Failed(), side.Seen.Requests) }
	out.If(r.FailuresDiffer, "not comparable: A fails %s of the requests and B %s. A refusal costs less than an answer, "+
		"so the rest does not show which is faster.", share(&r.Sides[ab.A]), share(&r.Sides[ab.B]))
	if a := r.Answers; a != nil {
		out.If(len(a.Differences) > 0,
			"A and B answer %d of %s differently: what follows compares services that do different work.",
			len(a.Differences), layout.Plural(a.Requests, "request", "requests"))
	}
	for _, kind := range []struct {
		verdict ab.Verdict
		lead    string
	}{
		{ab.Better, "B is better in "},
		{ab.Worse, "B is worse in "},
		{ab.Same, "No difference in "},
		{ab.Undecided, "Not decided: "},
	} {
		var parts []string
		for _, u := range units {
			if u.Verdict == kind.verdict {
				parts = append(parts, servicePart(&u))
			}
		}
		out.If(len(parts) > 0, "%s%s.", kind.lead, strings.Join(parts, ", "))
	}
	known := slices.ContainsFunc(units, func(u ab.Unit) bool { return !math.IsInf(float64(u.High), 0) })
	out.If(!known, "There were too few pairs to tell a difference from chance; raise --max-time.")
	return out
}

// servicePart describes the verdict on a unit.
func servicePart(u *ab.Unit) string {
	name := service.UnitName(u.Unit)
	low, high := float64(u.Low)-1, float64(u.High)-1
	switch u.Verdict {
	case ab.Same:
		return fmt.Sprintf("%s larger than %s", name, unit.FormatPercent(100*max(math.Abs(low), math.Abs(high))))
	case ab.Undecided:
		if serviceBounded(u) {
			chance := ""
			if low > 0 || high < 0 {
				chance = ", which may be chance among this many rows"
			}
			return fmt.Sprintf("%s (between %s and %s%s)", name, layout.SignedPercent(low), layout.SignedPercent(high), chance)
		}
		return name
	case ab.Better, ab.Worse:
		if !math.IsNaN(float64(u.Ratio)) {
			return fmt.Sprintf("%s (%s)", name, layout.SignedPercent(float64(u.Ratio)-1))
		}
	}
	return name
}
