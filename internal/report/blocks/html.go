package blocks

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/terminal"
)

// WritePage writes the document as an HTML page without scripts or network requests.
func (d *Document) WritePage(w io.Writer) error {
	h := &htmlWriter{}
	h.markup(pageHead)
	h.text(d.Title.String())
	h.markup("</title>\n<style>")
	h.markup(pageStyle)
	h.markup("</style>\n</head>\n<body>\n<h1>")
	h.inline(d.Title)
	h.markup("</h1>\n")
	h.blocks(d.Blocks, 2)
	h.markup("</body>\n</html>\n")
	if _, err := io.WriteString(w, h.b.String()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>`

const pageStyle = `
:root { --ink: #1d2430; --dim: #5b6676; --line: #d9dee6; --paper: #fff; --soft: #f4f6f9; --bar: #e8590c; --good: #1a7f37; --bad: #b3261e; --add: #e3f6e8; --del: #fde7e7 }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --dim: #9aa6b5; --line: #313a47; --paper: #12161c; --soft: #1a2029; --bar: #ff8a3d; --good: #57c776; --bad: #ff8a80; --add: #143021; --del: #3a1a1c } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 0 } h3 { font-size: 1rem; margin: 0 }
section { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 1rem }
.dim { color: var(--dim) } code, pre { font: .875rem/1.45 ui-monospace, monospace } h1 code, h2 code, h3 code { font-size: .9em }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; border-radius: 4px; margin: .5rem 0; tab-size: 4 } .output { white-space: pre-wrap }
pre span { display: block; min-width: max-content } .add { background: var(--add) } .del { background: var(--del) } .at, .file { color: var(--dim) }
.badge { font-size: .8rem; border: 1px solid var(--line); border-radius: 3px; padding: 0 .4rem; margin-left: .5rem; font-weight: normal }
.bar { height: 6px; background: var(--soft); border-radius: 3px; margin: .5rem 0 } .bar i { display: block; height: 100%; min-width: 2px; background: var(--bar); border-radius: 3px }
.scroll { overflow-x: auto; margin: .5rem 0 } .scroll :is(th, td) { overflow-wrap: break-word; max-width: 24rem } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: normal; color: var(--dim); font-size: .875rem } th, td { padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); vertical-align: top } tr:first-child > * { border-top: 0 }
.n { text-align: right; white-space: nowrap } .entries { margin: .5rem 0 } .entries .n { width: 1% } .good { color: var(--good) } .bad { color: var(--bad) }
td .bar { width: 6rem; height: 8px; margin: .5rem 0; background: var(--line) } td .bar i { background: var(--dim) } .good .bar i { background: var(--good) } .bad .bar i { background: var(--bad) }
summary { cursor: pointer } p { margin: .4rem 0 } ul { margin: .4rem 0; padding-left: 1.25rem } li { margin: .2rem 0 } li::marker { color: var(--dim) }
`

// Markup is part of a page as it is. Only constants of this package become markup.
type markup string

// An htmlWriter writes blocks as HTML.
type htmlWriter struct{ b strings.Builder }

func (h *htmlWriter) markup(parts ...markup) {
	for _, part := range parts {
		h.b.WriteString(string(part))
	}
}

// text writes foreign text, for an element or for an attribute in double quotes.
func (h *htmlWriter) text(s string) {
	h.b.WriteString(template.HTMLEscapeString(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && terminal.Unsafe(r) {
			return utf8.RuneError
		}
		return r
	}, s)))
}

// element writes foreign text within a tag.
func (h *htmlWriter) element(open markup, text string, end markup) {
	h.markup(open)
	h.text(text)
	h.markup(end)
}

func (h *htmlWriter) inline(t Text) {
	for _, span := range t {
		open, end := span.tag()
		h.element(open, span.raw(), end)
	}
}

func (s Plain) tag() (open, end markup)   { return "", "" }
func (s Strong) tag() (open, end markup)  { return "<b>", "</b>" }
func (s Dim) tag() (open, end markup)     { return `<span class="dim">`, "</span>" }
func (s Name) tag() (open, end markup)    { return "<code>", "</code>" }
func (s Command) tag() (open, end markup) { return "<code>", "</code>" }
func (Break) tag() (open, end markup)     { return "", "" }

func (h *htmlWriter) blocks(list []Block, level int) {
	for _, b := range list {
		b.html(h, level)
		h.markup("\n")
	}
}

func (b Section) html(h *htmlWriter, level int) {
	if b.Fold {
		h.markup("<details><summary>")
		h.inline(b.Title)
		h.markup("</summary>\n")
		h.blocks(b.Blocks, level)
		h.markup("</details>")
		return
	}
	h.markup("<section")
	if b.ID != "" {
		h.element(` id="`, b.ID, `"`)
	}
	heading := [...]markup{"h2", "h3", "h4"}[min(level-2, 2)]
	h.markup("><", heading, ">")
	h.inline(b.Title)
	for _, badge := range b.Badges {
		h.element(`<span class="badge">`, badge, "</span>")
	}
	h.markup("</", heading, ">\n")
	h.blocks(b.Blocks, level+1)
	h.markup("</section>")
}

func (b Group) html(h *htmlWriter, level int) { h.blocks(b, level) }

func (b Prose) html(h *htmlWriter, _ int) {
	h.markup("<p>")
	h.inline(Text(b))
	h.markup("</p>")
}

func (b Note) html(h *htmlWriter, _ int) {
	h.markup(`<p class="dim">`)
	h.inline(Text(b))
	h.markup("</p>")
}

func (b List) html(h *htmlWriter, _ int) {
	if len(b) == 0 {
		return
	}
	h.markup("<ul>")
	for _, item := range b {
		h.markup("<li>")
		for i, line := range item.lines() {
			if i > 0 {
				h.markup("<br>")
			}
			h.inline(line)
		}
		h.markup("</li>")
	}
	h.markup("</ul>")
}

func (b Diff) html(h *htmlWriter, _ int) {
	h.markup(`<pre tabindex="0">`)
	for _, line := range pageLines(string(b)) {
		h.markup("<span")
		if line.Kind != "" {
			h.element(` class="`, line.Kind, `"`)
		}
		h.element(">", line.Text, "\n</span>")
	}
	h.markup("</pre>")
}

func (b Code) html(h *htmlWriter, _ int) {
	h.element(`<pre tabindex="0">`, string(b), "</pre>")
}

func (b Output) html(h *htmlWriter, _ int) {
	h.element(`<pre class="output" tabindex="0">`, string(b), "</pre>")
}

func (b Bar) html(h *htmlWriter, _ int) { h.bar(b, "div") }

// bar draws a share in an element.
func (h *htmlWriter) bar(b Bar, element markup) {
	h.markup("<", element, ` class="bar" role="img"`)
	h.element(` aria-label="`, b.Label, `"`)
	h.element(`><i style="width:`, fmt.Sprintf("%.2f", 100*max(0, min(1, b.Share))), `%"></i></`)
	h.markup(element, ">")
}

func (b Table) html(h *htmlWriter, level int) {
	if len(b.Rows) == 0 {
		return
	}
	h.markup(`<div class="scroll" tabindex="0"><table>`)
	if b.Head != nil {
		h.row("th", "", b.fullHead(), b.Align)
		if b.Bars != nil {
			h.element("<th>", b.BarHead, "</th>")
		}
		h.markup("</tr>\n")
	}
	for i, cells := range b.Rows {
		h.row("td", b.mark(i), cells, b.Align)
		if i < len(b.Bars) {
			h.markup("<td>")
			if share := b.Bars[i]; share >= 0 {
				h.bar(Bar{share, fmt.Sprintf("%.1f%% %s", 100*share, b.BarHead)}, "div")
			}
			h.markup("</td>")
		}
		h.markup("</tr>\n")
	}
	h.markup("</table></div>")
	b.numbered().html(h, level)
}

// row writes a row of a table up to its last cell.
func (h *htmlWriter) row(element markup, mark Mark, cells []string, align string) {
	h.markup("<tr")
	if mark != "" {
		h.element(` class="`, string(mark), `"`)
	}
	h.markup(">")
	for i, cell := range cells {
		h.markup("<", element)
		if align[i] == 'r' {
			h.markup(` class="n"`)
		}
		h.element(">", cell, "</")
		h.markup(element, ">")
	}
}

func (b Location) html(h *htmlWriter, _ int) {
	h.markup("<p>")
	h.location(b)
	h.markup("</p>")
}

func (h *htmlWriter) location(b Location) {
	h.element("<code>", b.Where, "</code>")
	if b.Function != "" {
		h.element(` <span class="dim">`, b.Function, "</span>")
	}
}

func (b Entries) html(h *htmlWriter, _ int) {
	if len(b.List) == 0 {
		return
	}
	shares := slices.ContainsFunc(b.List, func(e Entry) bool { return e.Share != "" })
	h.markup(`<table class="entries">`)
	for _, e := range b.List {
		h.markup("<tr>")
		if shares {
			h.element(`<td class="n">`, e.Share, "</td>")
		}
		h.markup("<td>")
		h.location(e.Location)
		if e.Code != "" {
			h.element("<br><code>", strings.TrimSpace(e.Code), "</code>")
		}
		if e.Text != "" {
			h.element(`<br><span class="dim">`, e.Text, "</span>")
		}
		h.markup("</td></tr>\n")
	}
	h.markup("</table>")
}
