package layout

import (
	"slices"
	"strconv"
	"strings"
)

// A DiffLine is a line of a unified diff.
type DiffLine struct {
	Kind string // add, del, at for the head of a hunk, file for the name of a file, or ""
	Text string
}

// DiffLines returns the lines of a unified diff without the headers of the tool. It counts the
// lines of hunks, so that a removed line that begins with two dashes is not taken for the name of a
// file.
func DiffLines(diff string) []DiffLine {
	var lines []DiffLine
	left := [2]int{} // lines of the hunk that remain, in the old and the new file
	for text := range strings.Lines(diff) {
		text = strings.TrimRight(text, "\n")
		kind := ""
		switch inHunk := left[0] > 0 || left[1] > 0; {
		case inHunk && strings.HasPrefix(text, "+"):
			kind = "add"
			left[1]--
		case inHunk && strings.HasPrefix(text, "-"):
			kind = "del"
			left[0]--
		case inHunk && !strings.HasPrefix(text, `\`):
			left[0]--
			left[1]--
		case strings.HasPrefix(text, "diff "):
			continue
		case strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "):
			kind = "file"
		case strings.HasPrefix(text, "@@"):
			kind = "at"
			left = hunkSizes(text)
		}
		lines = append(lines, DiffLine{kind, text})
	}
	return lines
}

// hunkSizes returns the number of lines of the old and the new file in a hunk with the head @@ -1,2
// +1 @@.
func hunkSizes(head string) (sizes [2]int) {
	for i, field := range strings.Fields(head) {
		if i == 0 || i > 2 {
			continue
		}
		_, count, ok := strings.Cut(field, ",")
		if !ok {
			count = "1"
		}
		sizes[i-1], _ = strconv.Atoi(count) // 0 for a malformed head
	}
	return sizes
}

// WriteDiff writes a unified diff for a terminal.
func WriteDiff(t *Writer, s Style, diff string, indent int) {
	for _, line := range DiffLines(diff) {
		color := map[string]Color{"add": Cyan, "del": Red, "at": Dim, "file": Bold}[line.Kind]
		t.Line(Spaces(indent), s.Paint(color, CleanSource(line.Text)))
	}
}

// DiffForPage returns the lines of a diff for a page: each file by its name alone.
func DiffForPage(diff string) []DiffLine {
	lines := slices.DeleteFunc(DiffLines(diff), func(l DiffLine) bool {
		return l.Kind == "file" && strings.HasPrefix(l.Text, "+++ ")
	})
	for i := range lines {
		if lines[i].Kind == "file" {
			name := strings.Replace(lines[i].Text, `--- "a/`, `--- a/"`, 1)
			lines[i].Text = strings.TrimSuffix(strings.TrimPrefix(name, "--- a/"), "\t")
		}
		lines[i].Text = CleanSource(lines[i].Text)
	}
	return lines
}

// WriteFence writes text as a block of code in Markdown. Tabs stay, so that a diff can be copied.
func WriteFence(t *Writer, language, text string) {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	t.Line(mark, language)
	for line := range strings.Lines(text) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\t")
		for i, part := range parts {
			parts[i] = Clean(part)
		}
		t.Line(strings.Join(parts, "\t"))
	}
	t.Line(mark)
}

// CodeSpan returns text as code in Markdown, with as many backquotes as it needs.
func CodeSpan(text string) string {
	text = Clean(text)
	mark := "`"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	if len(mark) > 1 {
		return mark + " " + text + " " + mark
	}
	return mark + text + mark
}
