package benchmarks

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// abRow is a row of a table of A and B as text: benchmark, A, B, change, half width, q, pairs,
// verdict.
type abRow [8]string

func abHead(unit string) abRow {
	return abRow{unit, "A", "B", "change", "±", "q", "n", "verdict"}
}

// abTables returns the tables of a comparison as text, one for each unit. The first row of each is
// its head.
func abTables(r *ab.Result) [][]abRow {
	var units []string
	for _, c := range r.Subjects {
		for _, u := range c.Units {
			if !slices.Contains(units, u.Unit) {
				units = append(units, u.Unit)
			}
		}
	}
	slices.SortStableFunc(units, func(a, b string) int {
		if (a == r.Unit) != (b == r.Unit) {
			if a == r.Unit {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var tables [][]abRow
	for _, name := range units {
		rows := []abRow{abHead(layout.Clean(name))}
		for _, c := range r.Subjects {
			if i := slices.IndexFunc(c.Units, func(u ab.Unit) bool { return u.Unit == name }); i >= 0 {
				rows = append(rows, ABRowOf(layout.Clean(c.Name), len(c.Units[i].Rounds[ab.A]), &c.Units[i]))
			}
		}
		for _, g := range r.Geomean {
			if g.Unit == name {
				rows = append(rows, abRow{
					"geomean", "", "", FormatChange(float64(g.Ratio)),
					halfOf(float64(g.Low), float64(g.High)),
				})
			}
		}
		tables = append(tables, rows)
	}
	return tables
}

// ABRowOf returns the row of a unit.
func ABRowOf(name string, pairs int, u *ab.Unit) abRow {
	scale := benchunit.CommonScale([]float64{float64(u.A.Median), float64(u.B.Median)}, benchunit.ClassOf(u.Unit))
	change, half := FormatChange(float64(u.Ratio)), halfOf(float64(u.Low), float64(u.High))
	if math.IsNaN(float64(u.Ratio)) && u.A.Median > 0 && u.B.Median == 0 {
		change, half = FormatChange(0), ""
	}
	return abRow{
		name, scale.Format(float64(u.A.Median)), scale.Format(float64(u.B.Median)),
		change, half,
		fmt.Sprintf("%.3f", u.Q), strconv.Itoa(pairs), Verdict(u),
	}
}

// FormatChange formats a ratio as a change in percent, or as a factor if it is large.
func FormatChange(ratio float64) string {
	switch {
	case math.IsNaN(ratio) || math.IsInf(ratio, 0):
		return "?"
	case ratio >= 10:
		return fmt.Sprintf("%.1fx", ratio)
	default:
		return fmt.Sprintf("%+.2f%%", (ratio-1)*100)
	}
}

// halfOf formats the half width of a ratio's interval in percent of the middle.
func halfOf(low, high float64) string {
	half := math.Expm1((math.Log(high) - math.Log(low)) / 2)
	switch {
	case math.IsNaN(half) || math.IsInf(half, 0):
		return "?"
	case half == 0:
		return "0%"
	case half >= 0.0995:
		return fmt.Sprintf("%.0f%%", half*100)
	}
	return fmt.Sprintf("%.2g%%", half*100)
}

// Verdict describes how B differs from A: "better", "worse", "same within 0.8%" if any difference
// is smaller than that, "noise 3%" if it is undecidable.
func Verdict(u *ab.Unit) string {
	switch u.Verdict {
	case ab.Same:
		if most := farther(u); most > 0 {
			return fmt.Sprintf("same within %.2g%%", most*100)
		}
		return "the same"
	case ab.Undecided:
		half := halfOf(float64(u.Low), float64(u.High))
		if n := len(u.Rounds[ab.A]); half == "?" {
			return tooFew(n)
		}
		return "noise " + half
	default:
		return string(u.Verdict)
	}
}

// tooFew describes how many pairs there are and how many a verdict needs.
func tooFew(pairs int) string {
	text := fmt.Sprintf("too few pairs: %d", pairs)
	if pairs < ab.LeastPairs {
		text += fmt.Sprintf(" of %d", ab.LeastPairs)
	}
	return text
}

// farther returns the largest relative difference within the interval.
func farther(u *ab.Unit) float64 {
	return max(math.Abs(float64(u.Low)-1), math.Abs(float64(u.High)-1))
}

// WriteAB writes a comparison of two builds as aligned text.
func WriteAB(w io.Writer, s layout.Style, r *ab.Result) error {
	t := layout.NewWriter(w)
	for i, name := range r.Sides {
		t.Line(s.Paint(layout.Dim, layout.Cut(fmt.Sprintf("%v: %s", ab.Side(i), layout.Clean(name)), s.Remaining(0, 40))))
	}
	layout.Wrap(t, s, "", strings.Join(MachineLines(r.Machine), ", "), 2)
	layout.Wrap(t, s, "", abPlan(r), 2)
	for _, rows := range abTables(r) {
		t.Line()
		abGrid(rows).Write(t, s)
	}
	t.Line()
	for _, line := range ABSummary(r) {
		layout.Wrap(t, s, "", line, 2)
	}
	return t.Result()
}

// abGrid returns the cells of one of abTables.
func abGrid(rows []abRow) *layout.Table {
	cells := make([][]string, len(rows))
	for i := range rows {
		cells[i] = rows[i][:]
	}
	return &layout.Table{
		Head: cells[0], Rows: cells[1:], Align: "lrrrrrrl", Least: 12, HeadColor: layout.Bold,
		Color: func(row int) layout.Color { return verdictColor(cells[row+1][len(abRow{})-1]) },
	}
}

// WriteBuilds writes a comparison of builds, and the benchmarks that only one of them has.
func WriteBuilds(w io.Writer, s layout.Style, r *builds.Result) error {
	if err := WriteAB(w, s, &r.Result); err != nil {
		return err
	}
	t := layout.NewWriter(w)
	for side, only := range [][]string{r.OnlyA, r.OnlyB} {
		if len(only) > 0 {
			t.Line(fmt.Sprintf("only in %v: ", ab.Side(side)), layout.Clean(strings.Join(only, ", ")))
		}
	}
	return t.Result()
}

func verdictColor(verdict string) layout.Color {
	switch verdict {
	case string(ab.Better):
		return layout.Cyan
	case string(ab.Worse):
		return layout.Red
	}
	return layout.Dim
}

// abPlan describes how the rounds were run and which ways were tried.
func abPlan(r *ab.Result) string {
	text := r.Plan.String()
	i := slices.IndexFunc(r.Tried, func(t ab.Trial) bool { return t.Plan == r.Plan })
	if i >= 0 {
		text += fmt.Sprintf("; noise, A against A: %.2g%% per pair", float64(r.Tried[i].Spread)*100)
		if others := len(r.Tried) - 1; others > 0 {
			text += fmt.Sprintf(" (the best of %d settings tried)", others+1)
		}
	}
	return text
}

// ABSummary describes in sentences what a comparison found, how long it took, and what could not be
// measured.
func ABSummary(r *ab.Result) []string {
	var lines []string
	for _, unit := range abDeciding(r) {
		if line := abVerdicts(r, unit); line != "" {
			lines = append(lines, line)
		}
	}
	took := fmt.Sprintf("%s, %s of it in benchmarks", unit.Duration(r.Elapsed),
		layout.ShortPercent(int64(r.Inside), int64(r.Elapsed)))
	if r.Interrupted {
		took += "; interrupted"
	}
	lines = append(lines, took+".")
	lines = append(lines,
		fmt.Sprintf(
			"± is a %v%% confidence interval that is valid whenever the measurement stops; q is p adjusted for the number of "+
				"benchmarks, and verdicts use it (q <= %v).", percentOf(r.Confidence), r.Alpha))
	var free []string
	for _, c := range r.Subjects {
		if c.Free {
			free = append(free, layout.Clean(c.Name))
		}
	}
	if len(free) > 0 {
		lines = append(lines, "on all CPUs, since they use several: "+strings.Join(free, ", "))
	}
	for _, c := range r.Subjects {
		if c.Error != "" {
			lines = append(lines, "not fully measured: "+layout.Clean(c.Name)+": "+layout.Clean(c.Error))
		}
	}
	return lines
}

// abDeciding returns the units that decide about subjects, the result's first.
func abDeciding(r *ab.Result) []string {
	units := []string{r.Unit}
	for _, c := range r.Subjects {
		if len(c.Units) > 0 && !slices.Contains(units, c.Units[0].Unit) {
			units = append(units, c.Units[0].Unit)
		}
	}
	return units
}

// abVerdicts counts the verdicts on subjects that a unit decides about.
func abVerdicts(r *ab.Result, unit string) string {
	count := map[ab.Verdict]int{}
	none, noise, few := 0.0, 0.0, 0
	for _, c := range r.Subjects {
		if len(c.Units) == 0 || c.Units[0].Unit != unit {
			continue
		}
		u := &c.Units[0]
		half := math.Expm1((math.Log(float64(u.High)) - math.Log(float64(u.Low))) / 2)
		known := !math.IsInf(half, 0) && !math.IsNaN(half)
		switch {
		case u.Verdict == ab.Same:
			none = max(none, farther(u))
		case u.Verdict == ab.Undecided && !known:
			few++
			continue
		case u.Verdict == ab.Undecided:
			noise = max(noise, half)
		}
		count[u.Verdict]++
	}
	var parts []string
	for _, v := range []ab.Verdict{ab.Better, ab.Worse} {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	if n := count[ab.Same]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d with no difference larger than %.2g%%", n, none*100))
	}
	if n := count[ab.Undecided]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d undecided: noise is %.2g%%", n, noise*100))
	}
	if few > 0 {
		parts = append(parts, fmt.Sprintf("%d undecided: too few pairs (%d that agree are needed; raise --max-time)",
			few, ab.LeastPairs))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s.", unit, strings.Join(parts, "; "))
}

// WriteABMarkdown writes a comparison of two builds as GitHub's Markdown.
func WriteABMarkdown(w io.Writer, r *ab.Result) error {
	t := layout.NewWriter(w)
	for i, name := range r.Sides {
		t.Line("- ", fmt.Sprint(ab.Side(i)), ": ", layout.EscapeMarkdown(layout.Clean(name)))
	}
	t.Line("- ", layout.EscapeMarkdown(strings.Join(MachineLines(r.Machine), ", ")))
	t.Line("- ", layout.EscapeMarkdown(abPlan(r)))
	for _, rows := range abTables(r) {
		t.Line()
		abGrid(rows).WriteMarkdown(t)
	}
	t.Line()
	for _, line := range ABSummary(r) {
		t.Line("- ", layout.EscapeMarkdown(line))
	}
	return t.Result()
}

// MachineLines describes a machine, one line for each known property.
func MachineLines(m ab.Machine) []string {
	lines := []string{
		layout.Clean(m.CPU), fmt.Sprintf("%d CPUs", m.Processors),
		layout.Clean(strings.TrimSpace(m.GOOS + "/" + m.GOARCH + " " + m.Kernel)),
	}
	for _, f := range []bench.Field{
		{Key: "governor", Value: m.Governor},
		{Key: "load", Value: m.Load},
		{Key: "GOMAXPROCS", Value: m.GOMAXPROCS},
		{Key: "GOGC", Value: m.GOGC},
		{Key: "GODEBUG", Value: m.GODEBUG},
	} {
		if f.Value != "" {
			lines = append(lines, f.Key+" "+layout.Clean(f.Value))
		}
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}
