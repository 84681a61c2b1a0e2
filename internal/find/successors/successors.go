package successors

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Lines map the lines of a file to those that took their place.
type Lines struct {
	moved   map[int]int   // unchanged lines within the diff's hunks
	changed map[int][]int // the lines that replaced a changed one; none if it was deleted
	hunks   []hunk
}

// A hunk marks where both files continue unchanged: line before of the old file is line after of
// the new one.
type hunk struct{ before, after int }

// Of returns the lines that took the place of a line, and whether it is unchanged.
func (s *Lines) Of(line int) (lines []int, same bool) {
	if to, ok := s.moved[line]; ok {
		return []int{to}, true
	}
	if to, ok := s.changed[line]; ok {
		return to, false
	}
	to := line
	for _, h := range s.hunks {
		if line >= h.before {
			to = line + h.after - h.before
		}
	}
	return []int{to}, true
}

// Of compares two versions of a file, line by line.
func Of(before, after []byte) *Lines {
	s := &Lines{moved: map[int]int{}, changed: map[int][]int{}}
	if bytes.Equal(before, after) {
		return s
	}
	old, now := 0, 0 // the next lines
	var gone, come []int
	flush := func() {
		for _, line := range gone {
			s.changed[line] = come
		}
		gone, come = nil, nil
	}
	inHunk := false
	for text := range strings.Lines(string(diff.Diff("a", before, "b", after))) {
		switch {
		case strings.HasPrefix(text, "@@ "):
			if inHunk {
				flush()
				s.hunks = append(s.hunks, hunk{old, now})
			}
			fields := strings.Fields(text)
			old, now, inHunk = hunkStart(fields[1]), hunkStart(fields[2]), true
		case !inHunk: // the header
		case text[0] == '-':
			gone = append(gone, old)
			old++
		case text[0] == '+':
			if len(strings.TrimSpace(text[1:])) > 1 { // a brace alone costs nothing
				come = append(come, now)
			}
			now++
		case text[0] == ' ':
			flush()
			s.moved[old] = now
			old, now = old+1, now+1
		}
	}
	flush()
	s.hunks = append(s.hunks, hunk{old, now})
	return s
}

// hunkStart returns the first line of one side of a hunk: 12 for -12,5. An empty side begins after
// the line that it names.
func hunkStart(side string) int {
	first, count, _ := strings.Cut(side[1:], ",")
	n, _ := strconv.Atoi(first) // written by package diff
	if count == "0" {
		n++
	}
	return n
}
