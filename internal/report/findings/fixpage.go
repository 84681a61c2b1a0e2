package findings

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
)

// WriteFixPage writes the outcome of findings as an HTML page without scripts or network requests.
func WriteFixPage(w io.Writer, r *fix.Result) error {
	t, err := template.New("fix").Funcs(template.FuncMap{
		"headline": fixHeadline, "notes": fixNotes, "totals": fixTotals,
		"kept": keptFixes, "dropped": droppedFixes, "needing": needingFixes,
		"all":     func(m *fix.Measured) []fixPageRow { return fixPageRows(m, true) },
		"decided": func(m *fix.Measured) []fixPageRow { return fixPageRows(m, false) },
		"saving":  savingText, "proof": proofLines, "verdict": settingVerdict, "alike": answersText,
		"place": untriedPlace, "words": untriedWords, "lines": layout.DiffForPage,
		"inc": func(i int) int { return i + 1 },
	}).Parse(fixTemplate)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return pages.WriteTemplate(w, t, r)
}

// A fixPageRow is a unit of a benchmark before and after.
type fixPageRow struct {
	Name, Unit, Before, After, Change, Interval, Is string
	Class                                           string // better, worse, or ""
	Left                                            string // percent of the cost that remains; "" if unknown
}

func fixPageRows(m *fix.Measured, all bool) []fixPageRow {
	var rows []fixPageRow
	if m == nil || m.AB == nil {
		return nil
	}
	for _, s := range m.AB.Subjects {
		for i := range s.Units {
			u := &s.Units[i]
			decided := u.Verdict == ab.Better || u.Verdict == ab.Worse
			if i > 0 && !decided && !(all && (u.Unit == "B/op" || u.Unit == "allocs/op")) {
				continue
			}
			text := benchmarks.ABRowOf("", len(u.Rounds[ab.A]), u)
			row := fixPageRow{
				Name: layout.Clean(s.Name), Unit: layout.Clean(u.Unit), Before: text[1], After: text[2],
				Change: text[3], Interval: intervalText(u), Is: text[7],
			}
			if times := timesLess(u); times != "" {
				row.Is += ", " + times
			}
			if decided {
				row.Class = string(u.Verdict)
			}
			if left := float64(u.Ratio); benchmarks.IsFinite(left) && u.Better != bench.Higher {
				row.Left = fmt.Sprintf("%.1f", 100*math.Min(1, left))
			}
			rows = append(rows, row)
		}
		if s.Error != "" {
			rows = append(rows, fixPageRow{Name: layout.Clean(s.Name), Is: layout.Clean("not fully measured: " + s.Error)})
		}
	}
	return rows
}

// intervalText formats the interval of a ratio as changes: "-52.10% to -47.35%".
func intervalText(u *ab.Unit) string {
	low, high := float64(u.Low), float64(u.High)
	if !benchmarks.IsFinite(low) || !benchmarks.IsFinite(high) {
		return ""
	}
	return strings.Join([]string{benchmarks.FormatChange(low), benchmarks.FormatChange(high)}, " to ")
}

const fixTemplate = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{headline .}} in {{.Module}}</title>
<style>
:root { --ink: #1d2430; --dim: #5b6676; --line: #d9dee6; --paper: #fff; --soft: #f4f6f9; --good: #1a7f37; --bad: #b3261e; --add: #e3f6e8; --del: #fde7e7 }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --dim: #9aa6b5; --line: #313a47; --paper: #12161c; --soft: #1a2029; --good: #57c776; --bad: #ff8a80; --add: #143021; --del: #3a1a1c } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.2rem; margin: 2rem 0 .25rem } h3 { font-size: 1.05rem; margin: 0 }
section { border-top: 1px solid var(--line); padding: 1rem 0 } h2 + section { border-top: 0; padding-top: .5rem }
.dim { color: var(--dim) } code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; border-radius: 4px; margin: .5rem 0; tab-size: 4 }
pre.said { white-space: pre-wrap } pre span { display: block; min-width: max-content } .add { background: var(--add) } .del { background: var(--del) } .at, .file { color: var(--dim) }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: normal; color: var(--dim); font-size: .875rem } td:nth-child(2) { white-space: nowrap } th, td { padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); vertical-align: top }
tr:first-child th { border-top: 0 } .n { text-align: right; white-space: nowrap } .better { color: var(--good) } .worse { color: var(--bad) }
.bar { display: inline-block; width: 6rem; height: 8px; background: var(--line); border-radius: 4px; vertical-align: middle } .bar i { display: block; height: 100%; min-width: 2px; background: var(--good); border-radius: 4px } .worse .bar i { background: var(--bad) }
summary { cursor: pointer } p { margin: .4rem 0 } ul { margin: .4rem 0; padding-left: 1.25rem } li { margin: .2rem 0 }
</style>
</head>
<body>
<h1>{{headline .}}</h1>
<p class="dim">in {{.Module}}</p>
{{range notes .}}<p>{{.}}</p>
{{end}}{{range totals .}}<h2>{{.Title}}</h2>
{{template "table" all .Measured}}
{{end}}{{with kept .}}<h2>Kept</h2>
{{range $i, $a := .}}<section id="k{{inc $i}}">
<h3>{{inc $i}}. {{.Finding.Title}}</h3>
<p><code>{{.Finding.Where}}</code> <span class="dim">{{.Finding.Function}}</span></p>
<p>{{.Finding.Why}}.</p>
<ul>{{range proof .}}<li>{{.}}</li>{{end}}</ul>
{{template "table" decided .Measured}}
<pre tabindex="0">{{range lines .Diff}}<span{{with .Kind}} class="{{.}}"{{end}}>{{.Text}}
</span>{{end}}</pre>
</section>
{{end}}{{end}}{{with dropped .}}<h2>Dropped</h2>
{{range $i, $a := .}}<section id="d{{inc $i}}">
<h3>{{.Finding.Title}}</h3>
<p><code>{{.Finding.Where}}</code> <span class="dim">{{.Finding.Function}}</span></p>
<p>Dropped at “{{.Stage}}”:</p>
<pre class="said" tabindex="0">{{.Reason}}</pre>{{with .Hint}}<p class="dim">Hint: {{.}}.</p>{{end}}{{range .Aside}}<p class="dim">Slower: {{.}}.</p>{{end}}
{{template "table" decided .Measured}}
{{with .Diff}}<details><summary>The rewrite</summary><pre tabindex="0">{{range lines .}}<span{{with .Kind}} class="{{.}}"{{end}}>{{.Text}}
</span>{{end}}</pre></details>{{end}}
</section>
{{end}}{{end}}{{with .Settings}}<h2>Settings of build and run</h2>
{{range .}}<section>
<h3>{{verdict .}}</h3>
<p>{{.Finding.Title}}: {{.Finding.Why}}.</p>
{{with .Answers}}{{if .Functions}}<p>{{alike .}}.</p>{{end}}{{end}}{{if .Kept}}<p class="dim">Nothing was changed: set it yourself. <code>whet rules {{.Finding.Rule}}</code> lists the caveats.</p>{{else}}<p>Dropped at “{{.Stage}}”:</p><pre class="said" tabindex="0">{{.Reason}}</pre>{{with .Hint}}<p class="dim">Hint: {{.}}.</p>{{end}}{{range .Aside}}<p class="dim">Slower: {{.}}.</p>{{end}}{{end}}
{{template "table" decided .Measured}}
</section>
{{end}}{{end}}{{with needing .}}<h2>Not tried: needs a manual step</h2>
<ul>{{range .}}<li><code>{{.Finding.Where}}</code> <span class="dim">{{.Finding.Function}}</span><br>{{.Finding.Title}}: {{.Reason}}</li>{{end}}</ul>
{{end}}{{with .Untried}}<h2>Without a rewrite</h2>
<ul>{{range .}}<li><code>{{place .}}</code> <span class="dim">{{.Function}}</span><br>{{words .}}</li>{{end}}</ul>
{{end}}</body>
</html>
{{define "table"}}{{with .}}<div class="scroll" tabindex="0"><table><tr><th>benchmark<th>unit<th class="n">before<th class="n">after<th class="n">change<th class="n">95% interval<th>verdict<th>remaining</tr>
{{range .}}<tr{{with .Class}} class="{{.}}"{{end}}><td>{{.Name}}<td>{{.Unit}}<td class="n">{{.Before}}<td class="n">{{.After}}<td class="n">{{.Change}}<td class="n">{{.Interval}}<td>{{.Is}}<td>{{with .Left}}<span class="bar" role="img" aria-label="{{.}} % is left"><i style="width:{{.}}%"></i></span>{{end}}</tr>
{{end}}</table></div>{{end}}{{end}}`
