package find

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// follow brings what is charged to lines of the source as it was to the lines that took their place.
// A line that is unchanged keeps its charge, wherever it moved. What changed lines cost is shared out
// evenly over those that stand in their place, and counts as whatever a rule may ask for: nobody
// knows yet what they call. What was taken out is forgotten.
func follow(places map[place]charges, was, now *module) (map[place]charges, error) {
	files := map[string]*successors{}
	followed := map[place]charges{}
	for at, c := range places {
		s, ok := files[at.file]
		if !ok {
			before, err := was.read(at.file)
			if err != nil {
				return nil, fmt.Errorf("read %s as it was: %w", at.file, err)
			}
			after, err := now.read(at.file)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", at.file, err)
			}
			s = successorsOf(before, after)
			files[at.file] = s
		}
		lines, same := s.of(at.line)
		for _, line := range lines {
			to := place{at.file, line}
			if followed[to] == nil {
				followed[to] = charges{}
			}
			for cost, accounts := range c {
				for _, a := range accounts {
					if !same {
						a = a.part(len(lines))
					}
					followed[to][cost] = append(followed[to][cost], a)
				}
			}
		}
	}
	return followed, nil
}

// part is one of n equal parts of an account, of which nobody knows what it called.
func (a *account) part(n int) *account {
	value := a.value / int64(n)
	return &account{function: a.function, value: value, matched: map[mask]int64{{^uint64(0), ^uint64(0)}: value}}
}

// successors tell which lines of a file took the place of which.
type successors struct {
	moved   map[int]int   // unchanged lines within the diff's hunks
	changed map[int][]int // the lines in the place of a changed one; none: it was taken out
	hunks   []hunk
}

// A hunk ends where both files go on alike: line before of the old one is line after of the new one.
type hunk struct{ before, after int }

// of returns the lines that took the place of a line, and whether it is the same.
func (s *successors) of(line int) (lines []int, same bool) {
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

// successorsOf compares two texts of a file, line by line.
func successorsOf(before, after []byte) *successors {
	s := &successors{moved: map[int]int{}, changed: map[int][]int{}}
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

// hunkStart is the first line of a side of a hunk: -12,5 is 12. A side without lines begins after
// the line that is named.
func hunkStart(side string) int {
	first, count, _ := strings.Cut(side[1:], ",")
	n, _ := strconv.Atoi(first) // package diff wrote it
	if count == "0" {
		n++
	}
	return n
}
