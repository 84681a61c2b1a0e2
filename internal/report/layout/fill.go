package layout

import (
	"regexp"
	"strings"
)

// Fill breaks text at white space into lines of at most width columns. A longer word has its own
// line.
func Fill(text string, width int) []string { return fill(strings.Fields(text), width) }

// fill puts words into lines of at most width columns.
func fill(words []string, width int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case Columns(line)+1+Columns(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

var (
	markdownItem   = regexp.MustCompile(`^ *([-*+]|\d+[.)]) +`)
	markdownMarker = regexp.MustCompile(`^([-*+>|]|\d+[.)]|#+|=+|-+)$`)
)

// WrapMarkdown wraps the paragraphs and list items of Markdown in which a line is wider than width
// columns. Headings, tables, quotations, code and HTML stay as they are.
func WrapMarkdown(text string, width int) string {
	var out strings.Builder
	var paragraph []string
	flush := func() {
		for _, line := range wrapParagraph(paragraph, width) {
			out.WriteString(line + "\n")
		}
		paragraph = nil
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.TrimSpace(line)
		fence := strings.HasPrefix(words, "```")
		switch {
		case fence || fenced || words == "" || strings.ContainsAny(words[:1], "#|<>"):
			flush()
			out.WriteString(line + "\n")
			fenced = fenced != fence
		case markdownItem.MatchString(line):
			flush()
			paragraph = []string{line}
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return out.String()
}

// wrapParagraph wraps the lines of a paragraph or list item if one of them is too wide.
func wrapParagraph(lines []string, width int) []string {
	wide := false
	for _, line := range lines {
		wide = wide || Columns(line) > width
	}
	if !wide || strings.HasPrefix(lines[0], "    ") || strings.HasPrefix(lines[0], "\t") { // code
		return lines
	}
	text := strings.Join(lines, "\n")
	lead := markdownItem.FindString(text)
	var words []string
	for _, word := range strings.Fields(text[len(lead):]) {
		if len(words) > 0 && markdownMarker.MatchString(word) { // it must not begin a line
			words[len(words)-1] += " " + word
			continue
		}
		words = append(words, word)
	}
	wrapped := fill(words, width-len(lead))
	for i := range wrapped {
		if i > 0 {
			lead = strings.Repeat(" ", len(lead))
		}
		wrapped[i] = lead + wrapped[i]
	}
	return wrapped
}
