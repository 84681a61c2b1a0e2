package find

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/whet-go/whet/internal/find/module"
)

// follow moves what is charged to lines of the original source to the lines that took their place.
// An unchanged line keeps its charge, wherever it moved. The cost of changed lines is divided
// evenly among the lines that replaced them, and matches every pattern, because it is not known yet
// what they call. Deleted lines are dropped.
func follow(places map[sourceLine]charges, was, now *module.Module) (map[sourceLine]charges, error) {
	files := map[string]*successors{}
	followed := map[sourceLine]charges{}
	for at, c := range places {
		s, ok := files[at.file]
		if !ok {
			before, err := was.Read(at.file)
			if err != nil {
				return nil, fmt.Errorf("read %s as it was: %w", at.file, err)
			}
			after, err := now.Read(at.file)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", at.file, err)
			}
			s = successorsOf(before, after)
			files[at.file] = s
		}
		lines, same := s.of(at.line)
		for _, line := range lines {
			to := sourceLine{at.file, line}
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

// part returns one of n equal parts of an account, with unknown callees.
func (a *account) part(n int) *account {
	value := a.value / int64(n)
	return &account{function: a.function, value: value, matched: map[mask]int64{{^uint64(0), ^uint64(0)}: value}}
}

// successors map the lines of a file to those that took their place.
type successors struct {
	moved   map[int]int   // unchanged lines within the diff's hunks
	changed map[int][]int // the lines that replaced a changed one; none if it was deleted
	hunks   []hunk
}

// A hunk marks where both files continue unchanged: line before of the old file is line after of
// the new one.
type hunk struct{ before, after int }

// of returns the lines that took the place of a line, and whether it is unchanged.
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

// successorsOf compares two versions of a file, line by line.
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
