package benchmarks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
)

// Measurements that benchstat's statistics need of each side.
const (
	leastForInterval = 6 // for a 95% confidence interval of a median
	leastForTest     = 4 // for the Mann-Whitney U test to reach 5%
)

// A benchVerdictLine is the first sentence of a page, and its color.
type benchVerdictLine struct {
	Text string `json:"text"`
	Tone string `json:"tone"` // better, worse, changed, same or undecided
}

// benchUndecided is the tone of a comparison without an outcome.
const benchUndecided = "undecided"

// counted are benchmarks of one unit by what happened to them.
type counted struct {
	better, worse, changed, same, undecided, few int
	best, worst                                  float64 // relative changes: -0.3 is 30% less
}

func (c *counted) total() int {
	return c.better + c.worse + c.changed + c.same + c.undecided + c.few
}

// of is "3 of 10 benchmarks", or "the benchmark" if there is only one.
func (c *counted) of(n int) string {
	if c.total() == 1 {
		return "the benchmark"
	}
	if n == c.total() {
		return fmt.Sprintf("all %d benchmarks", n)
	}
	return fmt.Sprintf("%d of %d benchmarks", n, c.total())
}

// sentence returns the verdict on what name is compared with base in a unit. few says what is
// missing where there were too few measurements.
func (c *counted) sentence(name, base, unit, few string) (text, tone string) {
	about := fmt.Sprintf("%s against %s, %s", name, base, unit)
	extent := func(v float64) string {
		if v == 0 || !IsFinite(v) {
			return ""
		}
		return fmt.Sprintf(", by up to %.3g%%", math.Abs(v)*100)
	}
	rest := ""
	if c.few > 0 && c.few < c.total() {
		rest = fmt.Sprintf(" Too few measurements of %d others: %s.", c.few, few)
	}
	if c.undecided > 0 && c.undecided < c.total() {
		rest += fmt.Sprintf(" %d others are undecided.", c.undecided)
	}
	switch {
	case c.total() == 0:
		return "", benchUndecided
	case c.worse > 0 && c.better > 0:
		return fmt.Sprintf("%s: mixed. %s better%s; %d worse%s.%s", about, c.of(c.better), extent(c.best), c.worse,
			extent(c.worst), rest), benchChangedTo
	case c.worse > 0:
		return fmt.Sprintf("%s: worse. %s got worse%s; none got better.%s", about, capital(c.of(c.worse)), extent(c.worst),
			rest), benchWorse
	case c.better > 0:
		return fmt.Sprintf("%s: better. %s got better%s; none got worse.%s", about, capital(c.of(c.better)),
			extent(c.best), rest), benchBetter
	case c.changed > 0:
		return fmt.Sprintf("%s: changed. %s changed%s.%s", about, capital(c.of(c.changed)), extent(c.worst), rest),
			benchChangedTo
	case c.few == c.total():
		return fmt.Sprintf("%s: too few measurements for a verdict: %s.", about, few), benchUndecided
	case c.undecided == c.total():
		return fmt.Sprintf("%s: undecided. The noise is larger than any difference.", about), benchUndecided
	case c.same > 0:
		return fmt.Sprintf("%s: no change shown in %s.%s", about, c.of(c.same), rest), benchSame
	}
	return fmt.Sprintf("%s: undecided.%s", about, rest), benchUndecided
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// comparisonVerdict returns the verdicts on the first unit of a comparison of files, a sentence for
// each side but the first.
func comparisonVerdict(c *bench.Comparison) []benchVerdictLine {
	lines := []benchVerdictLine{}
	if len(c.Tables) == 0 || len(c.Tables[0].Columns) < 2 {
		return lines
	}
	unit := c.Tables[0].Unit
	for k := 1; k < len(c.Tables[0].Columns); k++ {
		var n counted
		least := math.MaxInt
		for i := range c.Tables {
			t := &c.Tables[i]
			if t.Unit != unit || k >= len(t.Columns) {
				continue
			}
			for _, r := range t.Rows {
				if cell := r.Cells[k]; cell != nil && cell.Change != nil {
					least = min(least, n.add(cell, t.Better))
				}
			}
		}
		few := fmt.Sprintf("%s; %d or more of each side can show a difference, %d an interval",
			layout.Plural(least, "run", "runs"), leastForTest, leastForInterval)
		text, tone := n.sentence(layout.Clean(c.Tables[0].Columns[k].Name), layout.Clean(c.Tables[0].Columns[0].Name),
			layout.Clean(unit), few)
		if text != "" {
			lines = append(lines, benchVerdictLine{text, tone})
		}
	}
	return lines
}

// add counts a cell, and returns the number of measurements of the side with fewer.
func (c *counted) add(cell *bench.Cell, better string) int {
	n := min(cell.N, cell.Change.BaseN)
	delta := float64(cell.Change.Delta)
	verdict, _ := benchVerdict(cell.Change, better)
	switch {
	case n < leastForTest && !cell.Change.Significant:
		c.few++
	case verdict == benchBetter:
		c.better++
		c.best = larger(c.best, delta)
	case verdict == benchWorse:
		c.worse++
		c.worst = larger(c.worst, delta)
	case verdict == benchChangedTo:
		c.changed++
		c.worst = larger(c.worst, delta)
	default:
		c.same++
	}
	return n
}

func larger(a, b float64) float64 {
	if !IsFinite(b) || math.Abs(b) <= math.Abs(a) {
		return a
	}
	return b
}

// abVerdict returns the verdict on the unit that decides about two builds.
func abVerdict(r *ab.Result) []benchVerdictLine {
	lines := []benchVerdictLine{}
	for _, unit := range abDeciding(r) {
		var n counted
		least := math.MaxInt
		for _, s := range r.Subjects {
			if len(s.Units) == 0 || s.Units[0].Unit != unit {
				continue
			}
			u := &s.Units[0]
			change := float64(u.Ratio) - 1
			switch half := halfWidth(float64(u.Low), float64(u.High)); {
			case u.Verdict == ab.Better:
				n.better++
				n.best = larger(n.best, change)
			case u.Verdict == ab.Worse:
				n.worse++
				n.worst = larger(n.worst, change)
			case u.Verdict == ab.Same:
				n.same++
			case !IsFinite(half):
				n.few++
				least = min(least, len(u.Rounds[ab.A]))
			default:
				n.undecided++
			}
		}
		few := fmt.Sprintf("%s of rounds; %d that agree are needed, so raise --max-time",
			layout.Plural(least, "pair", "pairs"), ab.LeastPairs)
		if text, tone := n.sentence("B", "A", layout.Clean(unit), few); text != "" {
			lines = append(lines, benchVerdictLine{text, tone})
		}
	}
	return lines
}

// rangeText describes the interval of a cell on a page: "±2%", or in words why there is none.
func rangeText(cell *bench.Cell) string {
	switch cell.Range {
	case noInterval:
		return "no interval" // the row's notes say how many measurements it takes
	case "?":
		return "interval includes 0"
	}
	return "±" + cell.Range
}

// noInterval is benchstat's range of a center without an interval.
const noInterval = "∞"

// shortRange is the range of a cell in a table of text.
func shortRange(cell *bench.Cell) string {
	if cell.Range == noInterval {
		return fewRuns
	}
	return cell.Range
}

// fewRuns stands for the interval of a median of too few measurements.
const fewRuns = "few"

// changeText joins a change with the half width of its interval, if it has one.
func changeText(change, half string) string {
	if slices.Contains([]string{"", "?"}, half) {
		return change
	}
	return change + " ±" + half
}
