package main

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
)

//go:embed page.md
var pageText string

// A tally counts findings by verdict.
type tally struct {
	Findings, Right, Wrong, Open int
	Rewrites, Read               int // with a rewrite that may be tried; judged by a reviewer
	By                           map[outcome]int
}

func (t *tally) add(o tally) {
	t.Findings, t.Right, t.Wrong, t.Open = t.Findings+o.Findings, t.Right+o.Right, t.Wrong+o.Wrong, t.Open+o.Open
	t.Rewrites, t.Read = t.Rewrites+o.Rewrites, t.Read+o.Read
	if t.By == nil {
		t.By = map[outcome]int{}
	}
	for k, n := range o.By {
		t.By[k] += n
	}
}

// WrongOfAll returns the share of findings that are wrong, WrongOfDecided that of those with a
// verdict.
func (t tally) WrongOfAll() string     { return percent(t.Wrong, t.Findings) }
func (t tally) WrongOfDecided() string { return percent(t.Wrong, t.Wrong+t.Right) }

// Kept returns the number of proven rewrites.
func (t tally) Kept() int { return t.By[kept] }

// percent formats a part of a whole; "" if the whole is 0.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return share(float64(part) / float64(whole))
}

// share formats a share as a percentage, with one decimal below ten.
func share(x float64) string {
	if p := 100 * x; p != 0 && math.Abs(p) < 9.95 {
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// tally returns the tally of a module.
func (r *measurement) tally(by map[[2]string]judgment) tally {
	t := tally{Findings: len(r.Findings), By: map[outcome]int{}}
	for i := range r.Findings {
		x := &r.Findings[i]
		v, _, read := judge(by, r.Name, x)
		switch v {
		case right:
			t.Right++
		case wrong:
			t.Wrong++
		case open:
			t.Open++
		}
		if read {
			t.Read++
		}
		if x.Outcome != none && x.Outcome != needs {
			t.Rewrites++
		}
		t.By[x.Outcome]++
	}
	return t
}

// page renders docs/measured/precision.md.
func page(r *results, judged []byte) ([]byte, error) {
	by, err := judgments(judged)
	if err != nil {
		return nil, err
	}
	p := &pageData{r: r, by: by}
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"modules": p.modules, "verdicts": p.verdicts, "findings": p.findings, "recall": p.recall,
		"unexplained": p.unexplained, "measured": p.measured,
		"later": p.later,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := t.Execute(&out, p.sums()); err != nil {
		return nil, err
	}
	return []byte(layout.WrapMarkdown(out.String(), 100)), nil
}

type pageData struct {
	r  *results
	by map[[2]string]judgment
}

// sums are the tallies of the groups, and of all.
type sums struct {
	Groups [groups]groupTally
	All    tally
}

type groupTally struct {
	Name string
	tally
}

func (p *pageData) sums() sums {
	var s sums
	for g := range s.Groups {
		s.Groups[g].Name = group(g).String()
	}
	for i := range p.r.Modules {
		t := p.r.Modules[i].tally(p.by)
		if m := known(p.r.Modules[i].Name); m != nil {
			s.Groups[m.group].add(t)
		}
		s.All.add(t)
	}
	return s
}

// known returns a module by name, or nil.
func known(name string) *module {
	all := modules()
	i := slices.IndexFunc(all, func(m module) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// table formats rows in Markdown; the first is the head.
func table(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		for j, cell := range row {
			row[j] = strings.ReplaceAll(cell, "|", `\|`)
		}
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			out.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return out.String()
}

// code formats a text as code in a table.
func code(text string) string {
	if text == "" {
		return ""
	}
	const most = 90
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	fence := "`"
	if strings.Contains(text, "`") {
		fence = "``"
	}
	return fence + text + fence
}

// modules lists the modules of a group.
func (p *pageData) modules(of int) string {
	rows := [][]string{{"module", "version", "lines", "what it is", "benchmarks of"}}
	for _, m := range modules() {
		if m.group != group(of) {
			continue
		}
		lines := "not measured"
		if i := slices.IndexFunc(p.r.Modules, func(x measurement) bool { return x.Name == m.name }); i >= 0 {
			lines = fmt.Sprint(p.r.Modules[i].Lines)
		}
		rows = append(rows, []string{"[" + strings.TrimPrefix(m.path, "github.com/") + "](https://pkg.go.dev/" + m.path +
			"@" + m.version + ")", m.version, lines, m.about, code(strings.Join(m.packages, " "))})
	}
	return table(rows)
}

// verdicts returns the main table.
func (p *pageData) verdicts() string {
	rows := [][]string{{
		"module", "findings", "right", "wrong", "open", "with a rewrite", "kept", "no gain", "slower",
		"differs", "fails", "undecided", "other",
	}}
	row := func(name string, t tally) {
		cells := []any{
			t.Findings, t.Right, t.Wrong, t.Open, t.Rewrites, t.By[kept], t.By[noGain], t.By[slower],
			t.By[differs], t.By[fails], t.By[undecided], t.By[overlaps] + t.By[unmeasured] + t.By[untried],
		}
		texts := []string{name}
		for _, c := range cells {
			texts = append(texts, fmt.Sprint(c))
		}
		rows = append(rows, texts)
	}
	for i := range p.r.Modules {
		row(p.r.Modules[i].Name, p.r.Modules[i].tally(p.by))
	}
	s := p.sums()
	for _, g := range s.Groups {
		row("**"+g.Name+"**", g.tally)
	}
	row("**all**", s.All)
	return table(rows)
}

// findings lists each finding with its verdict, the wrong ones first.
func (p *pageData) findings() string {
	rows := [][]string{{"verdict", "module", "place", "finding", "CPU", "bytes", "outcome", "reason"}}
	for _, v := range []verdict{wrong, open, right} {
		for i := range p.r.Modules {
			m := &p.r.Modules[i]
			for j := range m.Findings {
				x := &m.Findings[j]
				got, why, read := judge(p.by, m.Name, x)
				if got != v {
					continue
				}
				label := string(got)
				if got == wrong {
					label = "**wrong**"
				}
				if read {
					label += ", read"
				}
				became := string(x.Outcome)
				if x.Outcome == needs {
					became = "needs a " + string(x.Needs)
				}
				if x.Outcome == none {
					became = "no rewrite"
				}
				rows = append(rows, []string{
					label, m.Name, code(x.Place), x.Title, share(x.CPU), share(x.Alloc),
					became, because(x, why),
				})
			}
		}
	}
	if len(rows) == 1 {
		return "None.\n"
	}
	return table(rows)
}

// because explains a finding's verdict in one line.
func because(x *finding, why string) string {
	why, _, _ = strings.Cut(strings.TrimSpace(why), "\n")
	if gain := bestGain(x.Units); x.Outcome == kept && gain != "" {
		why = gain
	}
	if x.Outcome == kept && x.Inputs > 0 {
		why += fmt.Sprintf("; same results on %d inputs", x.Inputs)
	}
	if x.Outcome == kept && len(x.Uncompared) > 0 {
		why += "; its results could not be compared"
	}
	return strings.TrimPrefix(why, "; ")
}

// bestGain returns the largest gain of a rewrite.
func bestGain(units []unit) string {
	best := -1
	for i, u := range units {
		if u.Verdict == ab.Better && u.Ratio > 0 && (best < 0 || u.Ratio < units[best].Ratio) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	u := units[best]
	return fmt.Sprintf("%s: %+.1f%% %s", u.Benchmark, 100*(u.Ratio-1), u.Unit)
}

// later lists findings that appeared only after rewrites.
func (p *pageData) later() string {
	rows := [][]string{{"module", "place", "finding", "outcome"}}
	for i := range p.r.Modules {
		for j := range p.r.Modules[i].Later {
			x := &p.r.Modules[i].Later[j]
			rows = append(rows, []string{p.r.Modules[i].Name, code(x.Place), x.Title, string(x.Outcome)})
		}
	}
	if len(rows) == 1 {
		return "None.\n"
	}
	return table(rows)
}

// recall shows how much of the cost of hot lines findings cover.
func (p *pageData) recall() string {
	rows := [][]string{{
		"module", "CPU below own lines", "hot lines", "without a finding", "CPU of hot lines",
		"without a finding", "bytes of hot lines", "without a finding", "hot lines of tests",
	}}
	var hot, without, tests int
	for i := range p.r.Modules {
		m := &p.r.Modules[i]
		x := m.Recall
		rows = append(rows, []string{
			m.Name, share(m.OwnCPU), fmt.Sprint(x.Hot), fmt.Sprintf("%d (%s)", x.Without, percent(x.Without, x.Hot)),
			share(x.CPU), share(x.CPUWithout), share(x.Alloc), share(x.AllocWithout), fmt.Sprint(x.Tests),
		})
		hot, without, tests = hot+x.Hot, without+x.Without, tests+x.Tests
	}
	rows = append(rows, []string{
		"**all**", "", fmt.Sprint(hot), fmt.Sprintf("%d (%s)", without, percent(without, hot)),
		"", "", "", "", fmt.Sprint(tests),
	})
	return table(rows)
}

// unexplained lists the hottest lines without a finding, by module.
func (p *pageData) unexplained() string {
	var out strings.Builder
	for i := range p.r.Modules {
		m := &p.r.Modules[i]
		if len(m.Unexplained) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s:\n\n", m.Name)
		rows := [][]string{{"CPU", "bytes", "place", "code", "calls most"}}
		for _, x := range m.Unexplained {
			rows = append(rows, []string{share(x.CPU), share(x.Alloc), code(x.Place), code(x.Code), code(x.Calls)})
		}
		out.WriteString(table(rows) + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// measured describes the machine, the settings and the time taken.
func (p *pageData) measured() string {
	var machines []string
	seconds := 0.0
	var times []string
	for i := range p.r.Modules {
		m := &p.r.Modules[i]
		if m.Machine != "" && !slices.Contains(machines, m.Machine) {
			machines = append(machines, m.Machine)
		}
		seconds += m.Elapsed.Seconds()
		if t := m.RewriteTime.String(); !slices.Contains(times, t) {
			times = append(times, t)
		}
	}
	if len(p.r.Modules) == 0 {
		return "Not measured yet.\n"
	}
	text := fmt.Sprintf("Measured in %.0f minutes, with an average of %s per rewrite", math.Ceil(seconds/60),
		strings.Join(times, ", "))
	if len(times) > 1 {
		text += ", depending on the module"
	}
	if len(machines) > 0 {
		text += ", on " + strings.Join(machines, "; ")
	}
	return text + ".\n"
}
