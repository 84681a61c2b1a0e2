package blocks

import (
	_ "embed" // for the style
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/ui"
)

// WritePage writes the document as an HTML page without scripts or network requests.
func (d *Document) WritePage(w io.Writer) error {
	h := &htmlWriter{editor: d.Editor, kinds: d.kinds()}
	body, contents := d.anchored()
	h.markup(pageHead)
	h.text(d.Title.String())
	h.markup("</title>\n<style>", pageTokens(), "\n", markup(pageCSS))
	for i := range h.kinds {
		n := markup(strconv.Itoa(i))
		h.markup(":root:has(#kind-", n, ":not(:checked)) .kind-", n, " { display: none }\n")
	}
	h.markup("</style>\n</head>\n<body>\n")
	h.header(contents)
	h.markup("<main id=\"content\">\n<h1>")
	h.inline(d.Title)
	h.markup("</h1>\n")
	h.filter()
	h.blocks(body, topLevel)
	h.markup("</main>\n</body>\n</html>\n")
	if _, err := io.WriteString(w, h.b.String()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// topLevel is the level of the headings of a document's sections.
const topLevel = 2

// A kind is a kind of sections, and the number of those in a document.
type kind struct {
	name  string
	count int
}

// kinds returns the kinds of a document's sections, in their order; none if there is only one.
func (d *Document) kinds() []kind {
	var list []kind
	for _, b := range d.Blocks {
		s, ok := b.(Section)
		if !ok || s.Kind == "" {
			continue
		}
		i := slices.IndexFunc(list, func(k kind) bool { return k.name == s.Kind })
		if i < 0 {
			i = len(list)
			list = append(list, kind{name: s.Kind})
		}
		list[i].count++
	}
	if len(list) < 2 { // there is nothing to choose from
		return nil
	}
	return list
}

// anchored returns the document's blocks with an ID for each section, and the sections that the contents of
// the page list; none if the page is short.
func (d *Document) anchored() (body []Block, contents []Section) {
	body = slices.Clone(d.Blocks)
	for i, b := range body {
		s, ok := b.(Section)
		if !ok || s.Fold {
			continue
		}
		if s.ID == "" {
			s.ID = "part-" + strconv.Itoa(i+1)
			body[i] = s
		}
		if slices.ContainsFunc(s.Blocks, func(b Block) bool { return !isEmpty(b) }) {
			contents = append(contents, s)
		}
	}
	if len(contents) < 2 { // there is nothing to find
		return body, nil
	}
	return body, contents
}

// kindClass writes the class of a section's kind, for the element that is open.
func (h *htmlWriter) kindClass(name string) {
	if i := slices.IndexFunc(h.kinds, func(k kind) bool { return k.name == name }); i >= 0 {
		h.markup(` class="kind-`, markup(strconv.Itoa(i)), `"`)
	}
}

// header writes the header of the page: the contents, and the choice of colors.
func (h *htmlWriter) header(contents []Section) {
	h.markup("<header class=\"top\"><a class=\"skip\" href=\"#content\">Skip to the content</a>" +
		"<span class=\"brand\">whet</span>\n" +
		"<fieldset class=\"theme\"><legend>Colors</legend>" +
		`<label><input type="radio" name="theme" id="theme-auto" checked>system</label>` +
		`<label><input type="radio" name="theme" id="theme-light">light</label>` +
		`<label><input type="radio" name="theme" id="theme-dark">dark</label>` +
		"</fieldset></header>\n")
	if len(contents) == 0 {
		return
	}
	h.markup("<nav class=\"toc\" aria-label=\"Contents\">" +
		"<label class=\"fold\"><input type=\"checkbox\">Contents</label>\n<ol>\n")
	for _, s := range contents {
		h.markup("<li")
		h.kindClass(s.Kind)
		h.element(`><a href="#`, url.PathEscape(s.ID), `">`)
		h.element("", s.Title.String(), "</a></li>\n")
	}
	h.markup("</ol></nav>\n")
}

// filter writes the choice of sections by their kinds.
func (h *htmlWriter) filter() {
	if len(h.kinds) == 0 {
		return
	}
	h.markup("<fieldset class=\"filter\"><legend>Show</legend>\n")
	for i, k := range h.kinds {
		h.markup(`<label><input type="checkbox" checked id="kind-`, markup(strconv.Itoa(i)), `">`)
		h.element("", k.name, "")
		h.markup(` <span class="dim">`, markup(strconv.Itoa(k.count)), "</span></label>\n")
	}
	h.markup("</fieldset>\n")
}

const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>`

// pageTokens returns the colors of all pages, by the theme of the system or the one that is chosen.
func pageTokens() markup {
	light, dark := ui.Tokens()
	return markup("\n:root {" + light + "}\n" +
		"@media (prefers-color-scheme: dark) { :root:not(:has(#theme-light:checked)) {" + dark + "} }\n" +
		":root:has(#theme-dark:checked) {" + dark + "}")
}

//go:embed page.css
var pageCSS string

// Markup is part of a page as it is. Only constants of this package become markup.
type markup string

// An htmlWriter writes blocks as HTML.
type htmlWriter struct {
	b      strings.Builder
	editor Editor
	kinds  []kind
}

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
		open := markup("<details><summary>")
		if b.Open {
			open = "<details open><summary>"
		}
		h.markup(open)
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
	if level == topLevel {
		h.kindClass(b.Kind)
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

func (b Pair) html(h *htmlWriter, level int) {
	h.markup("<div class=\"pair\"><div>\n")
	h.blocks(b.First, level)
	h.markup("</div><div>\n")
	h.blocks(b.Second, level)
	h.markup("</div></div>")
}

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
	lines := pageLines(string(b))
	for i, line := range lines {
		h.markup("<span")
		if line.Kind != "" {
			h.element(` class="`, line.Kind, `"`)
		}
		h.markup(">")
		if address := h.editor.hunk(lines[i:]); address != "" {
			h.element(`<a href="`, address, `">`)
			h.element("", line.Text, "</a>\n</span>")
			continue
		}
		h.element("", line.Text, "\n</span>")
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
	h.place(b.Where, h.editor.link(b.Where))
	if b.Function != "" {
		h.element(` <span class="dim">`, b.Function, "</span>")
	}
}

// place writes a place in source, which leads to the editor if it has an address.
func (h *htmlWriter) place(text, address string) {
	if address != "" {
		h.element(`<a href="`, address, `">`)
	}
	h.element("<code>", text, "</code>")
	if address != "" {
		h.markup("</a>")
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
