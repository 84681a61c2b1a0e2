package findings

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
)

// WriteFindPage writes findings as an HTML page without scripts or network requests.
func WriteFindPage(w io.Writer, r *find.Result) error {
	t, err := template.New("find").Funcs(template.FuncMap{
		"percent": layout.SharePercent, "evidence": evidenceText, "callees": calleesText,
		"needs": func(n rules.Need) string { return strings.Trim(needText(n), " ()") },
		"note":  noteText, "totals": findTotals, "waits": lineWaitsText,
		"hotline": func(h find.HotLine) string { return hotLineText(&h) },
		"waited":  func(h find.HotLine) string { return waitingShare(&h) },
		"waiting": func() string { return upperFirst(waitingNote) },
		"inc":     func(i int) int { return i + 1 },
		"found":   func() string { return layout.Plural(len(r.Findings), "finding", "findings") },
		"width":   func(share float64) string { return fmt.Sprintf("%.2f", 100*min(1, share)) },
		"shared":  func(f find.Finding) string { return upperFirst(sharedText(&f, findingNumbers(r))) },
		"lines":   layout.DiffForPage,
		"setting": func(f find.Finding) bool { return f.Fix != nil && f.Fix.Setting != nil },
	}).Parse(findTemplate)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return pages.WriteTemplate(w, t, r)
}

const findTemplate = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{found}} in {{.Module}}</title>
<style>
:root { --ink: #1d2430; --dim: #5b6676; --line: #d9dee6; --paper: #fff; --soft: #f4f6f9; --bar: #e8590c; --add: #e3f6e8; --del: #fde7e7 }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --dim: #9aa6b5; --line: #313a47; --paper: #12161c; --soft: #1a2029; --bar: #ff8a3d; --add: #143021; --del: #3a1a1c } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 0 }
section, .hot { border-top: 1px solid var(--line); padding: 1rem 0 }
.dim { color: var(--dim) } code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; border-radius: 4px; margin: .5rem 0; tab-size: 4 }
pre span { display: block; min-width: max-content } .add { background: var(--add) } .del { background: var(--del) } .at, .file { color: var(--dim) }
.bar { height: 6px; background: var(--soft); border-radius: 3px; margin: .5rem 0 } .bar i { display: block; height: 100%; min-width: 2px; background: var(--bar); border-radius: 3px }
.needs { font-size: .8rem; border: 1px solid var(--line); border-radius: 3px; padding: 0 .4rem; margin-left: .5rem; font-weight: normal }
table { border-collapse: collapse; width: 100% } td { padding: .3rem .75rem .3rem 0; vertical-align: top; border-top: 1px solid var(--line) } td:first-child { text-align: right; white-space: nowrap }
summary { cursor: pointer } p { margin: .4rem 0 }
</style>
</head>
<body>
<h1>{{found}} in {{.Module}}</h1>
<p class="dim">{{totals .}}.</p>
{{range $i, $f := .Findings}}<section id="f{{inc $i}}">
<h2>{{inc $i}}. {{.Title}}{{if .Known}}<span class="needs">known</span>{{end}}{{with needs .Needs}}<span class="needs">{{.}}</span>{{end}}</h2>
<p>{{if .Places}}<code>{{.Where}}</code>{{else}}{{.Where}}{{end}} <span class="dim">{{.Function}}{{range $j, $p := .Places}}{{if $j}}, <code>{{.File}}:{{.Line}}</code>{{end}}{{end}}</span></p>
<div class="bar" role="img" aria-label="saves at most {{percent .Saving}} of the CPU time"><i style="width:{{width .Saving}}%"></i></div>
<p>Saves at most <b>{{percent .Saving}}</b> of the CPU time{{with .Evidence}}: {{evidence .}}{{end}}.{{with callees .Evidence}} Calls {{.}}.{{end}}</p>
{{with shared .}}<p class="dim">{{.}}.</p>
{{end}}{{with waits .Waits}}<p class="waits">{{.}}.</p>
{{end}}<p>{{.Why}}.</p>
{{with .Fix}}{{with .Setting}}{{with .Build}}<p>Build it with</p><pre tabindex="0">{{range .}}<span>{{.}}</span>{{end}}</pre>{{end}}{{with .Run}}<p>Run it with</p><pre tabindex="0">{{range .}}<span>{{.}}</span>{{end}}</pre>{{end}}<p>{{$f.Safe}}</p>{{else}}<pre tabindex="0">{{range lines .Diff}}<span{{with .Kind}} class="{{.}}"{{end}}>{{.Text}}
</span>{{end}}</pre>{{end}}{{else}}{{with .Places}}<pre tabindex="0">{{(index . 0).Code}}</pre>{{end}}<p class="dim">{{with .NoFix}}No rewrite: {{.}}.{{else}}No automatic rewrite is safe here.{{end}}</p>{{end}}
{{if not (setting .)}}<details><summary>Why it is safe, and the compiler's notes</summary><p>{{.Safe}}</p>{{range .Notes}}<p class="dim">line {{.Line}}: {{note .}}</p>{{end}}</details>
{{end}}</section>
{{end}}{{if .Unexplained}}<section id="hot"><h2>Hot lines without a finding</h2><table>{{range .Unexplained}}<tr><td>{{percent .Saving}}</td><td><code>{{.File}}:{{.Line}}</code><br><code>{{.Code}}</code><br><span class="dim">{{hotline .}}</span></td></tr>{{end}}</table></section>
{{end}}{{if .Waiting}}<section id="waiting"><h2>Lines that wait</h2><p>{{waiting}}.</p><table>{{range .Waiting}}<tr><td>{{waited .}}</td><td><code>{{.File}}:{{.Line}}</code><br><code>{{.Code}}</code><br><span class="dim">{{hotline .}}</span></td></tr>{{end}}</table></section>
{{end}}{{with .Against}}<section id="against"><h2>Compared with the baseline {{.Baseline}}</h2><p>{{.New}} new, {{.Known}} known.</p>{{if .Stale}}<p>No longer found:</p><ul>{{range .Stale}}<li><code>{{.}}</code></li>{{end}}</ul>{{end}}</section>
{{end}}{{if .Stale}}<section id="stale"><h2>Changed since the recording: skipped</h2><table>{{range .Stale}}<tr><td>{{percent .Share}}</td><td><code>{{.Function}}</code><br><span class="dim">{{.Reason}}</span></td></tr>{{end}}</table></section>
{{end}}</body>
</html>
`
