package benchmarks

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/report/layout"
)

// WriteHistory writes a directory's report as text: changes, newest first, and the outcomes of
// gates.
func WriteHistory(w io.Writer, s layout.Style, r *history.Report) error {
	t := layout.NewWriter(w)
	order := "in git order"
	if r.Order == history.OrderTime {
		order = "in order of time"
	}
	layout.Wrap(t, s, "", fmt.Sprintf("%s %s, %s, %s", layout.Plural(len(r.Commits), "commit", "commits"), order,
		layout.Plural(r.Runs, "run", "runs"), layout.Plural(len(r.Series), "series", "series")), 2)
	for i, m := range r.Machines {
		name := ""
		if len(r.Machines) > 1 {
			name = fmt.Sprintf("[%d] ", i+1)
		}
		layout.Wrap(t, s, s.Paint(layout.Dim, name), layout.Clean(historyMachine(m)), 4)
	}
	t.Line()
	if len(r.Changes) == 0 {
		layout.Wrap(t, s, "", "Nothing changed."+historyTooFew(r), 0)
	}
	for i := 0; i < len(r.Changes); {
		to := i + 1
		for to < len(r.Changes) && r.Changes[to].At == r.Changes[i].At && r.Changes[to].After == r.Changes[i].After {
			to++
		}
		if i > 0 {
			t.Line()
		}
		commit := r.Commits[r.Changes[i].At]
		head := historyRange(r, &r.Changes[i]) + "  " + commit.Time.Format(time.DateOnly)
		t.Line(s.Paint(layout.Bold, head), "  ",
			layout.Cut(layout.Clean(commit.Subject), s.Remaining(layout.Columns(head)+2, 20)))
		historyRows(t, s, changeRows(r, r.Changes[i:to]))
		i = to
	}
	if len(r.Changes) > 0 {
		t.Line()
		layout.Wrap(t, s, "",
			fmt.Sprintf(
				"Each change is in one of the commits after the first one shown, up to the second. At most %v%% of the "+
					"changes are expected to be chance.", percentOf(r.Alpha)), 0)
	}
	writeGates(t, s, r)
	return t.Result()
}

// historyTooFew explains, if it applies, why no change can have been found.
func historyTooFew(r *history.Report) string {
	most := 0
	for i := range r.Series {
		most = max(most, len(r.Series[i].Points))
	}
	if most < 8 {
		return fmt.Sprintf(" Detecting a change takes about 8 commits of a benchmark; the longest series here has %d.", most)
	}
	return ""
}

// historyMachine describes a machine in one line.
func historyMachine(m history.Machine) string {
	parts := []string{
		strings.Trim(m.GOOS+"/"+m.GOARCH, "/"), m.CPU, fmt.Sprintf("GOMAXPROCS %d", m.GOMAXPROCS), m.Go,
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

func historyRange(r *history.Report, c *history.Change) string {
	return r.Commits[c.After].Short() + ".." + r.Commits[c.At].Short()
}

// historyName returns a series' name, with its package and machine if there are several.
func historyName(r *history.Report, s *history.Series) string {
	var name layout.Facts
	several := slices.ContainsFunc(r.Series, func(o history.Series) bool { return o.Package != s.Package })
	name.If(several, "%s.", s.Package)
	name = append(name, s.Benchmark)
	name.If(len(r.Machines) > 1, " [%d]", s.Machine+1)
	return layout.Clean(name.String())
}

// historyUnit returns the unit of a series; for a ratio, that of its base.
func historyUnit(s *history.Series) string {
	if s.Base != "" {
		return layout.Clean(s.Unit) + "÷base"
	}
	return layout.Clean(s.Unit)
}

// historyClass returns the kind of prefixes for a series' values.
func historyClass(s *history.Series) benchunit.Class {
	if s.Base != "" {
		return benchunit.Decimal
	}
	return benchunit.ClassOf(s.Unit)
}

func changeRows(r *history.Report, changes []history.Change) [][]string {
	var rows [][]string
	for _, c := range changes {
		s := &r.Series[c.Series]
		scale := benchunit.CommonScale([]float64{float64(c.From), float64(c.To)}, historyClass(s))
		rows = append(rows, []string{
			historyName(r, s), historyUnit(s), scale.Format(float64(c.From)), scale.Format(float64(c.To)),
			changePercent(float64(c.Delta)), percentInterval(float64(c.Low), float64(c.High)), "q " +
				probability(c.Q), c.Verdict,
		})
	}
	return rows
}

// historyRows writes rows whose first cell, a name, takes the remaining width.
func historyRows(t *layout.Writer, s layout.Style, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	last := len(rows[0]) - 1
	table := layout.Table{
		Rows: rows, Align: "ll" + strings.Repeat("r", last-2) + "l", Least: 12, Indent: 2,
		Color: func(row, column int) layout.Color {
			switch verdict := rows[row][last]; {
			case column < last:
				return ""
			case verdict == history.Worse, verdict == history.Fails:
				return layout.Bold + layout.Red
			case verdict == history.Better:
				return layout.Cyan
			default:
				return ""
			}
		},
	}
	table.Write(t, s)
}

func changePercent(share float64) string {
	if !IsFinite(share) {
		return "from 0"
	}
	return layout.SignedPercent(share)
}

// percentInterval formats an interval of shares; "" without bounds.
func percentInterval(low, high float64) string {
	if !IsFinite(low) || !IsFinite(high) {
		return ""
	}
	return "(" + layout.SignedPercent(low) + " to " + layout.SignedPercent(high) + ")"
}

// probability formats a p value.
func probability(p float64) string {
	if p > 0 && p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// writeGates writes the outcomes of gates for the newest commit: failures, undecided gates, and how
// many hold.
func writeGates(t *layout.Writer, s layout.Style, r *history.Report) {
	for from := 0; from < len(r.Gate); {
		to := from
		count := map[string]int{}
		var rows [][]string
		for ; to < len(r.Gate) && r.Gate[to].Gate == r.Gate[from].Gate; to++ {
			c := &r.Gate[to]
			count[c.Outcome]++
			if c.Outcome != history.Holds {
				rows = append(rows, gateRow(r, c))
			}
		}
		slices.SortStableFunc(rows, func(a, b []string) int { return strings.Compare(a[5], b[5]) }) // failures first
		t.Line()
		t.Line(s.Paint(layout.Bold, layout.Clean(r.Gate[from].Gate)), " at ", r.Commits[len(r.Commits)-1].Short(), ": ",
			fmt.Sprintf("%d failed, %d undecided, %d held", count[history.Fails], count[history.Undecided],
				count[history.Holds]))
		historyRows(t, s, rows)
		if count[history.Undecided] > 0 {
			var reasons []string
			for _, c := range r.Gate[from:to] {
				if c.Reason != "" {
					reasons = appendNew(reasons, c.Reason)
				}
			}
			for _, reason := range reasons {
				layout.Wrap(t, s, "  undecided: ", reason, 4)
			}
		}
		from = to
	}
}

func gateRow(r *history.Report, c *history.GateResult) []string {
	s := &r.Series[c.Series]
	scale := benchunit.CommonScale([]float64{float64(c.Before), float64(c.After)}, historyClass(s))
	before := scale.Format(float64(c.Before))
	if c.N == 0 {
		before = "–"
	}
	return []string{historyName(r, s), historyUnit(s), before, scale.Format(float64(c.After)), GateChange(r, c), c.Outcome}
}

// maxGates is the maximum number of failed gates that FailedGates names.
const maxGates = 8

// FailedGates describes the gates that the newest commit fails and, if strict, those that are
// undecided; "" if there are none.
func FailedGates(r *history.Report, strict bool) string {
	var failed layout.Facts
	for i := range r.Gate {
		c := &r.Gate[i]
		s := &r.Series[c.Series]
		failed.If(c.Outcome == history.Fails, "%s of %s is %s, not %s", s.Unit, s.Benchmark, GateChange(r, c), c.Gate)
		failed.If(c.Outcome == history.Undecided && strict, "%s of %s is undecided: %s", s.Unit, s.Benchmark, c.Reason)
	}
	if more := len(failed) - maxGates; more > 0 {
		failed = append(failed[:maxGates], fmt.Sprintf("%d more", more))
	}
	return layout.Clean(strings.Join(failed, "; "))
}

// GateChange formats the difference at the newest commit that a gate checks, with its interval.
func GateChange(r *history.Report, c *history.GateResult) string {
	if c.N == 0 {
		return ""
	}
	change, low, high := float64(c.Change), float64(c.Low), float64(c.High)
	if strings.HasSuffix(c.Gate, "%") {
		if low == high && change == low {
			return changePercent(change)
		}
		return strings.TrimSpace(changePercent(change) + " " + percentInterval(low, high))
	}
	class := benchunit.ClassOf(r.Series[c.Series].Unit)
	sign := func(v float64) string {
		switch {
		case v == 0:
			return "+0"
		case v > 0:
			return "+" + benchunit.Scale(v, class)
		}
		return benchunit.Scale(v, class)
	}
	out := sign(change)
	if low != high && IsFinite(low) && IsFinite(high) && !math.IsNaN(change) {
		out += " (" + sign(low) + " to " + sign(high) + ")"
	}
	return out
}
