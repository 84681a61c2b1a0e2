package blocks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
)

// A diffLine is a line of a unified diff.
type diffLine struct {
	Kind string // add, del, at for the head of a hunk, file for the name of a file, or ""
	Text string
}

// diffLines returns the lines of a unified diff without the headers of the tool. It counts the
// lines of hunks, so that a removed line that begins with two dashes is not taken for the name of a
// file.
func diffLines(diff string) []diffLine {
	var lines []diffLine
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
		lines = append(lines, diffLine{kind, text})
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

// pageLines returns the lines of a diff for a page: each file by its name alone.
func pageLines(diff string) []diffLine {
	lines := slices.DeleteFunc(diffLines(diff), func(l diffLine) bool {
		return l.Kind == "file" && strings.HasPrefix(l.Text, "+++ ")
	})
	for i := range lines {
		if lines[i].Kind == "file" {
			name := strings.Replace(lines[i].Text, `--- "a/`, `--- a/"`, 1)
			lines[i].Text = strings.TrimSuffix(strings.TrimPrefix(name, "--- a/"), "\t")
		}
		lines[i].Text = layout.CleanSource(lines[i].Text)
	}
	return lines
}
