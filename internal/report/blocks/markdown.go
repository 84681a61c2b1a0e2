package blocks

import (
	"html/template"
	"io"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
)

// WriteMarkdown writes the document as GitHub's Markdown.
func (d *Document) WriteMarkdown(w io.Writer) error {
	m := &markdownWriter{Writer: layout.NewWriter(w)}
	if len(d.Title) > 0 {
		m.gap()
		m.Line("## ", d.Title.markdown())
	}
	m.blocks(d.Blocks, 3)
	return m.Result()
}

// A markdownWriter writes blocks as Markdown, each after an empty line.
type markdownWriter struct {
	*layout.Writer
	begun bool // something is written
}

// gap writes an empty line before a block, except the first.
func (m *markdownWriter) gap() {
	if m.begun {
		m.Line()
	}
	m.begun = true
}

func (m *markdownWriter) blocks(list []Block, level int) {
	for _, b := range list {
		b.markdown(m, level)
	}
}

// markdown returns a text as Markdown within a line.
func (t Text) markdown() string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.escape())
	}
	return b.String()
}

func (s Plain) escape() string   { return escaped(string(s)) }
func (s Strong) escape() string  { return "**" + escaped(string(s)) + "**" }
func (s Dim) escape() string     { return escaped(string(s)) }
func (s Name) escape() string    { return codeSpan(string(s)) }
func (s Command) escape() string { return codeSpan(string(s)) }
func (Break) escape() string     { return " " }

// escaped returns foreign text as Markdown within a line.
func escaped(s string) string { return layout.EscapeMarkdown(layout.Clean(s)) }

// paragraph returns Markdown that begins a paragraph and nothing else: a marker at the beginning
// would make it a heading, a list, a quotation, a rule or a block of HTML.
func paragraph(text string) string {
	text = strings.TrimLeft(text, " ")
	rest := strings.TrimLeft(text, "0123456789")
	number := text[:len(text)-len(rest)]
	ends := func(s string) bool { return s == "" || s[0] == ' ' }
	switch {
	case rest == "":
	case number != "" && strings.ContainsRune(".)", rune(rest[0])) && ends(rest[1:]),
		number == "" && strings.ContainsRune("#>=", rune(rest[0])),
		number == "" && strings.ContainsRune("-+", rune(rest[0])) && (ends(rest[1:]) || rest[1] == rest[0]):
		return number + `\` + rest
	}
	return text
}

// codeSpan returns text as code, with as many backquotes as it needs.
func codeSpan(text string) string {
	text = layout.Clean(text)
	if text == "" {
		return ""
	}
	mark := "`"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	if len(mark) > 1 || strings.TrimSpace(text) == "" {
		return mark + " " + text + " " + mark
	}
	return mark + text + mark
}

// fence writes text as a block of code. Tabs stay, so that a diff can be copied.
func (m *markdownWriter) fence(language, text string) {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	m.gap()
	m.Line(mark, language)
	for line := range strings.Lines(text) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\t")
		for i, part := range parts {
			parts[i] = layout.Clean(part)
		}
		m.Line(strings.Join(parts, "\t"))
	}
	m.Line(mark)
}

func (b Section) markdown(m *markdownWriter, level int) {
	m.gap()
	if b.Fold {
		m.Line("<details><summary>", template.HTMLEscapeString(layout.Clean(b.Title.String())), "</summary>")
		m.blocks(b.Blocks, level)
		m.gap()
		m.Line("</details>")
		return
	}
	title := b.Title.markdown()
	for _, badge := range b.Badges {
		title += " (" + escaped(badge) + ")"
	}
	m.Line(strings.Repeat("#", min(level, 6)), " ", title)
	m.blocks(b.Blocks, level+1)
}

func (b Group) markdown(m *markdownWriter, level int) { m.blocks(b, level) }

func (b Pair) markdown(m *markdownWriter, level int) {
	m.blocks(b.First, level)
	m.blocks(b.Second, level)
}

func (b Prose) markdown(m *markdownWriter, _ int) {
	m.gap()
	m.Line(paragraph(Text(b).markdown()))
}

func (b Note) markdown(m *markdownWriter, level int) { Prose(b).markdown(m, level) }

func (b List) markdown(m *markdownWriter, _ int) {
	for i, item := range b {
		if i == 0 {
			m.gap()
		}
		lines := item.lines()
		texts := make([]string, len(lines))
		for k, line := range lines {
			texts[k] = line.markdown()
		}
		m.Line("- ", paragraph(strings.Join(texts, "<br>")))
	}
}

func (b Diff) markdown(m *markdownWriter, _ int)   { m.fence("diff", string(b)) }
func (b Code) markdown(m *markdownWriter, _ int)   { m.fence("go", string(b)) }
func (b Output) markdown(m *markdownWriter, _ int) { m.fence("", string(b)) }

func (b Bar) markdown(*markdownWriter, int) {}

func (b Table) markdown(m *markdownWriter, _ int) {
	if len(b.Rows) > 0 {
		table := b.clean()
		table.Head = b.fullHead()
		m.gap()
		table.WriteMarkdown(m.Writer)
		b.numbered().markdown(m, 0)
	}
}

// escape returns the location as Markdown.
func (b Location) escape() string {
	if b.Function == "" {
		return codeSpan(b.Where)
	}
	return codeSpan(b.Where) + " in " + codeSpan(b.Function)
}

func (b Location) markdown(m *markdownWriter, _ int) {
	m.gap()
	m.Line(b.escape())
}

func (b Entries) markdown(m *markdownWriter, _ int) {
	for i, e := range b.List {
		if i == 0 {
			m.gap()
		}
		var line, more layout.Facts
		line.If(e.Share != "", "%s ", escaped(e.Share))
		more.If(e.Code != "", "%s", codeSpan(strings.TrimSpace(e.Code)))
		more.If(e.Text != "", "%s", escaped(e.Text))
		line = append(line, e.escape())
		line.If(len(more) > 0, ": %s", strings.Join(more, " · "))
		m.Line("- ", paragraph(line.String()))
	}
}
