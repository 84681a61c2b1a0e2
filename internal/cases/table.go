package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
)

// subjectName returns a benchmark's name without its package.
func subjectName(name string) string {
	if i := strings.LastIndexAny(name, " ."); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimPrefix(name, "Benchmark")
}

// value formats v in a unit: times and bytes with a suitable prefix, all else with four digits.
func value(v float64, unit string) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case seconds(unit):
		return benchunit.Scale(v, benchunit.Decimal) + "s"
	case strings.HasPrefix(unit, "B/") && v >= 1e4:
		return benchunit.Scale(v, benchunit.Binary) + "B"
	case strings.HasPrefix(unit, "B/"):
		return full(v) + "B"
	default:
		return full(v)
	}
}

func seconds(unit string) bool { return strings.Contains(unit, "sec") }

// full formats v with four digits, and spaces between thousands.
func full(v float64) string {
	if v == math.Trunc(v) && v < 1e4 || v < 1000 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	scale := math.Pow(10, math.Max(0, math.Floor(math.Log10(v))-3))
	return thousands(int64(math.Round(v/scale) * scale))
}

// times formats a factor with three digits.
func times(gain float64) string {
	switch {
	case math.IsNaN(gain):
		return "–"
	case math.IsInf(gain, 1):
		return "all" // nothing remains
	}
	digits := 2
	for limit := 10.0; gain >= limit*0.9995 && digits > 0; limit *= 10 {
		digits--
	}
	if gain < 999.5 {
		return strconv.FormatFloat(gain, 'f', digits, 64) + "×"
	}
	scale := math.Pow(10, math.Floor(math.Log10(gain))-2)
	return thousands(int64(math.Round(gain/scale)*scale)) + "×"
}

// thousands formats n with spaces between thousands.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

// verdict describes whet's verdict on a unit: how many times better B is, with the interval; or
// that any difference is smaller than the interval's ends; or that noise hides any difference.
func verdict(u *ab.Unit) (gained, interval string) {
	ratio, low, high := gain(u)
	if math.IsInf(float64(u.High), 0) || math.IsNaN(ratio) {
		switch {
		case u.A.Median == u.B.Median:
			return "no difference", ""
		case u.Better == bench.Lower && u.B.Median == 0:
			return "to none", ""
		}
		return times(ratio) + undecided(u), "not known"
	}
	interval = times(low) + " – " + times(high)
	if u.Verdict == ab.Same {
		return "no difference", interval
	}
	return times(ratio) + undecided(u), interval
}

func undecided(u *ab.Unit) string {
	if u.Verdict == ab.Undecided {
		return ", not decided"
	}
	return ""
}

// quotedTimes formats how many times better the article's fast version is.
func quotedTimes(q quote, better string) string {
	if better == bench.Higher {
		return times(q.fast / q.slow)
	}
	return times(q.slow / q.fast)
}

// A grid is a Markdown table. All columns but the first are numbers, unless text is set.
type grid struct {
	head []string
	rows [][]string
	text bool
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// drop removes those columns, starting at from, that are empty in all rows.
func (g *grid) drop(from int) {
	for c := len(g.head) - 1; c >= from; c-- {
		if slices.ContainsFunc(g.rows, func(row []string) bool { return row[c] != "" }) {
			continue
		}
		g.head = slices.Delete(g.head, c, c+1)
		for i := range g.rows {
			g.rows[i] = slices.Delete(g.rows[i], c, c+1)
		}
	}
}

func (g *grid) String() string {
	var out strings.Builder
	line := func(cells []string) {
		out.WriteString("|")
		for _, cell := range cells {
			out.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`) + " |")
		}
		out.WriteString("\n")
	}
	line(g.head)
	column := "--:|"
	if g.text {
		column = "---|"
	}
	out.WriteString("|---|" + strings.Repeat(column, len(g.head)-1) + "\n")
	for _, row := range g.rows {
		line(row)
	}
	return out.String()
}

// unitTable compares one unit of all benchmarks of a step. b is the heading of the other side.
func (p *pageData) unitTable(step, b, unit string) (string, error) {
	c, ok := p.results.Comparisons[step]
	if !ok {
		return "", fmt.Errorf("no comparison %q in the results", step)
	}
	g := grid{head: []string{"benchmark", "slow", b, "gain", "95% interval", "article: slow", "fast", "gain"}}
	for _, s := range c.Result.Subjects {
		at := point{step, subjectName(s.Name), unit}
		u, err := p.results.unit(at)
		if err != nil {
			return "", err
		}
		gained, interval := verdict(u)
		row := append([]string{at.subject}, value(float64(u.A.Median), unit),
			value(float64(u.B.Median), unit), gained, interval)
		g.add(append(row, p.quoteCells(at, u)...)...)
	}
	g.drop(4)
	return g.String(), nil
}

// allocTable shows both units of allocation of all benchmarks of a step. Allocations do not depend
// on the machine, so there are no intervals.
func (p *pageData) allocTable(step, b string) (string, error) {
	c, ok := p.results.Comparisons[step]
	if !ok {
		return "", fmt.Errorf("no comparison %q in the results", step)
	}
	g := grid{head: []string{"benchmark"}}
	units := []string{"B/op", "allocs/op"}
	for _, unit := range units {
		g.head = append(g.head, unit+": slow", b)
	}
	for _, unit := range units {
		g.head = append(g.head, "article, "+unit+": slow", "fast")
	}
	for _, s := range c.Result.Subjects {
		name := subjectName(s.Name)
		row := []string{name}
		var quoted []string
		for _, unit := range units {
			at := point{step, name, unit}
			u, err := p.results.unit(at)
			if err != nil {
				return "", err
			}
			row = append(row, value(float64(u.A.Median), unit), value(float64(u.B.Median), unit))
			quoted = append(quoted, p.quoteCells(at, u)[:2]...)
		}
		g.add(append(row, quoted...)...)
	}
	g.drop(5)
	return g.String(), nil
}

// fixTable shows the outcome of whet's rewrites.
func (p *pageData) fixTable(step string) (string, error) {
	attempts, ok := p.results.Fixes[step]
	if !ok {
		return "", fmt.Errorf("no fixes %q in the results", step)
	}
	g := grid{head: []string{"line", "finding", "outcome"}, text: true}
	for _, a := range attempts {
		g.add("`"+a.Place+"`", a.Title, a.became())
	}
	return g.String(), nil
}

// serviceUnits are the units shown for a comparison of services, in this order.
var serviceUnits = [...]struct{ unit, name string }{
	{"cpu-sec/req", "CPU time per request"},
	{"allocs/req", "allocations per request"},
	{"B/req", "bytes allocated per request"},
	{"req/s", "requests per second"},
	{"p50-sec", "latency, p50"},
	{"p99-sec", "latency, p99"},
}

// serviceTable shows the units of a comparison of services. A and B are the headings of the sides.
func (p *pageData) serviceTable(step, a, b string) (string, error) {
	g := grid{head: []string{"", a, b, "gain", "95% interval", "article: slow", "fast", "gain"}}
	for _, unit := range serviceUnits {
		at := point{step, "", unit.unit}
		u, err := p.results.unit(at)
		if err != nil {
			continue // of a service that does not report it
		}
		gained, interval := verdict(u)
		row := []string{
			unit.name, value(float64(u.A.Median), unit.unit), value(float64(u.B.Median), unit.unit), gained,
			interval,
		}
		g.add(append(row, p.quoteCells(at, u)...)...)
	}
	if len(g.rows) == 0 {
		return "", fmt.Errorf("comparison %q has none of the units of a service", step)
	}
	g.drop(4)
	return g.String(), nil
}

// quoteCells returns the article's two values and the gain; empty if it has none.
func (p *pageData) quoteCells(at point, u *ab.Unit) []string {
	q, ok := p.study.quoted(at)
	if !ok {
		return []string{"", "", ""}
	}
	return []string{value(q.slow, at.unit), value(q.fast, at.unit), quotedTimes(q, u.Better)}
}
