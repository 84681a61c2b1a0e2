package benchmarks

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// abTables returns the tables of a comparison, one for each unit.
func abTables(r *ab.Result) []blocks.Table {
	var units []string
	for _, c := range r.Subjects {
		for _, u := range c.Units {
			if !slices.Contains(units, u.Unit) {
				units = append(units, u.Unit)
			}
		}
	}
	slices.Sort(units)
	if i := slices.Index(units, r.Unit); i > 0 { // the deciding unit comes first
		units = slices.Concat(units[i:i+1], units[:i], units[i+1:])
	}
	var tables []blocks.Table
	for _, name := range units {
		t := blocks.Table{Table: layout.Table{
			Head: []string{name, "A", "B", "change", "±", "q", "n", "verdict"}, Align: "lrrrrrrl", Least: 12,
			HeadColor: layout.Bold,
		}}
		for _, c := range r.Subjects {
			if i := slices.IndexFunc(c.Units, func(u ab.Unit) bool { return u.Unit == name }); i >= 0 {
				u := &c.Units[i]
				t.Rows = append(t.Rows, ABRowOf(c.Name, len(u.Rounds[ab.A]), u))
				t.Marks = append(t.Marks, VerdictMark(u.Verdict))
			}
		}
		for _, g := range r.Geomean {
			if g.Unit == name {
				t.Rows = append(t.Rows, []string{
					"geomean", "", "", FormatChange(float64(g.Ratio)), halfOf(float64(g.Low), float64(g.High)), "", "", "",
				})
			}
		}
		tables = append(tables, t)
	}
	return tables
}

// VerdictMark returns the mark of a row with a verdict.
func VerdictMark(v ab.Verdict) blocks.Mark {
	return map[ab.Verdict]blocks.Mark{ab.Better: blocks.Good, ab.Worse: blocks.Bad}[v]
}

// ABRowOf returns the row of a unit: benchmark, A, B, change, half width, q, pairs, verdict.
func ABRowOf(name string, pairs int, u *ab.Unit) []string {
	a, b := Medians(u)
	change, half := FormatChange(float64(u.Ratio)), halfOf(float64(u.Low), float64(u.High))
	if math.IsNaN(float64(u.Ratio)) && u.A.Median > 0 && u.B.Median == 0 {
		change, half = FormatChange(0), ""
	}
	return []string{name, a, b, change, half, fmt.Sprintf("%.3f", u.Q), strconv.Itoa(pairs), Verdict(u)}
}

// Medians formats the medians of A and B with one prefix.
func Medians(u *ab.Unit) (a, b string) {
	scale := benchunit.CommonScale([]float64{float64(u.A.Median), float64(u.B.Median)}, benchunit.ClassOf(u.Unit))
	return scale.Format(float64(u.A.Median)), scale.Format(float64(u.B.Median))
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

// halfWidth returns the half width of a ratio's interval as a share of the middle.
func halfWidth(low, high float64) float64 { return math.Expm1((math.Log(high) - math.Log(low)) / 2) }

// halfOf formats the half width of a ratio's interval in percent of the middle.
func halfOf(low, high float64) string {
	half := halfWidth(low, high)
	switch {
	case !IsFinite(half):
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
	text := layout.Facts{fmt.Sprintf("too few pairs: %d", pairs)}
	text.If(pairs < ab.LeastPairs, " of %d", ab.LeastPairs)
	return text.String()
}

// farther returns the largest relative difference within the interval.
func farther(u *ab.Unit) float64 {
	return max(math.Abs(float64(u.Low)-1), math.Abs(float64(u.High)-1))
}

// Builds returns the report of a comparison of builds, and the benchmarks that only one of them has.
func Builds(r *builds.Result) *blocks.Document {
	var about blocks.List
	for i, name := range r.Sides {
		about = append(about, blocks.Text{blocks.Dim(fmt.Sprintf("%v: %s", ab.Side(i), name))})
	}
	about = append(about, blocks.Items(strings.Join(MachineLines(r.Machine), ", "), abPlan(&r.Result))...)
	d := &blocks.Document{Blocks: []blocks.Block{about}}
	for _, table := range abTables(&r.Result) {
		d.Blocks = append(d.Blocks, blocks.Group{table})
	}
	lines := layout.Facts(ABSummary(&r.Result))
	for side, only := range [][]string{r.OnlyA, r.OnlyB} {
		lines.If(len(only) > 0, "only in %v: %s", ab.Side(side), strings.Join(only, ", "))
	}
	d.Blocks = append(d.Blocks, blocks.Group{blocks.Items(lines...)})
	return d
}

// abPlan describes how the rounds were run and which ways were tried.
func abPlan(r *ab.Result) string {
	text := layout.Facts{r.Plan.String()}
	if i := slices.IndexFunc(r.Tried, func(t ab.Trial) bool { return t.Plan == r.Plan }); i >= 0 {
		text.Add("; noise, A against A: %.2g%% per pair", float64(r.Tried[i].Spread)*100)
		text.If(len(r.Tried) > 1, " (the best of %d settings tried)", len(r.Tried))
	}
	return text.String()
}

// ABSummary describes in sentences what a comparison found, how long it took, and what could not be
// measured.
func ABSummary(r *ab.Result) []string {
	var lines, took layout.Facts
	for _, unit := range abDeciding(r) {
		verdicts := abVerdicts(r, unit)
		lines.If(verdicts != "", "%s: %s.", unit, verdicts)
	}
	took.Add("%s, %s of it in benchmarks", unit.Duration(r.Elapsed),
		layout.ShortPercent(int64(r.Inside), int64(r.Elapsed)))
	took.If(r.Interrupted, "; interrupted")
	lines.Add("%s.", took)
	lines.Add("± is a %v%% confidence interval that is valid whenever the measurement stops; q is p adjusted for "+
		"the number of benchmarks, and verdicts use it (q <= %v).", percentOf(r.Confidence), r.Alpha)
	var unpinned, varied []string
	for _, c := range r.Subjects {
		if c.Unpinned {
			unpinned = append(unpinned, layout.Clean(c.Name))
		}
		if c.VariedLayout {
			varied = append(varied, layout.Clean(c.Name))
		}
	}
	switch {
	case len(varied) > 0 && len(varied) == len(r.Subjects):
		lines.Add("Each pair was linked with the functions in another order.")
	case len(varied) > 0:
		lines.Add("each pair linked with the functions in another order: %s", strings.Join(varied, ", "))
	}
	lines.If(len(unpinned) > 0, "on all CPUs, since they use several: %s", strings.Join(unpinned, ", "))
	for _, c := range r.Subjects {
		lines.If(c.Error != "", "not fully measured: %s: %s", layout.Clean(c.Name), layout.Clean(c.Error))
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

// abVerdicts counts the verdicts on subjects that a unit decides about; "" if there are none.
func abVerdicts(r *ab.Result, unit string) string {
	count := map[ab.Verdict]int{}
	none, noise, few, share := 0.0, 0.0, 0, false
	for _, c := range r.Subjects {
		if len(c.Units) == 0 || c.Units[0].Unit != unit {
			continue
		}
		u := &c.Units[0]
		half := halfWidth(float64(u.Low), float64(u.High))
		switch {
		case u.Verdict == ab.Same:
			none = max(none, farther(u))
		case u.Verdict == ab.Undecided && !IsFinite(half):
			few++
			continue
		case u.Verdict == ab.Undecided:
			noise = max(noise, half)
			share = share || c.CanShare && !r.Plan.Shared
		}
		count[u.Verdict]++
	}
	var parts layout.Facts
	for _, v := range []ab.Verdict{ab.Better, ab.Worse} {
		parts.If(count[v] > 0, "%d %s", count[v], v)
	}
	parts.If(count[ab.Same] > 0, "%d with no difference larger than %.2g%%", count[ab.Same], none*100)
	quieter := ""
	if share {
		quieter = " (--pairs shared compares CPU time, with less noise)"
	}
	parts.If(count[ab.Undecided] > 0, "%d undecided: noise is %.2g%%%s", count[ab.Undecided], noise*100, quieter)
	parts.If(few > 0, "%d undecided: too few pairs (%d that agree are needed; raise --max-time)", few, ab.LeastPairs)
	return strings.Join(parts, "; ")
}

// MachineLines describes a machine, one line for each known property.
func MachineLines(m ab.Machine) []string {
	lines := layout.Facts{
		layout.Clean(m.CPU), fmt.Sprintf("%d CPUs", m.Processors),
		layout.Clean(strings.TrimSpace(m.GOOS + "/" + m.GOARCH + " " + m.Kernel)),
	}
	lines.If(m.Governor != "", "governor %s", layout.Clean(m.Governor))
	lines.If(m.Load != "", "load %s", layout.Clean(m.Load))
	lines.If(m.GOMAXPROCS != "", "GOMAXPROCS %s", layout.Clean(m.GOMAXPROCS))
	lines.If(m.GOGC != "", "GOGC %s", layout.Clean(m.GOGC))
	lines.If(m.GODEBUG != "", "GODEBUG %s", layout.Clean(m.GODEBUG))
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}
