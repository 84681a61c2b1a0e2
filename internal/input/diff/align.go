package diff

import (
	"path"

	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/profile"
)

// An aligner maps lines of A's source to lines of B's, so that a line that only moved is compared
// with itself. A nil aligner, and one without the text of A or B, keeps line numbers.
type aligner struct {
	before, target listing.SourceFunc
	files          map[string]string // A's file: its name in B
	lines          map[string][]int  // A's file: by line of A, the line of B or 0
}

// newAligner returns nil if there is nothing to align.
func newAligner(a, b Input, by profile.By) *aligner {
	if by != profile.ByLine || a.Source == nil || b.Source == nil {
		return nil
	}
	al := &aligner{
		before: a.Source, target: b.Source,
		files: make(map[string]string), lines: make(map[string][]int),
	}
	byName := make(map[string]string)
	for _, f := range b.View.Profile().Functions {
		byName[f.Name] = path.Clean(f.File)
	}
	for _, f := range a.View.Profile().Functions {
		file := path.Clean(f.File)
		if to, ok := byName[f.Name]; ok && path.Base(to) == path.Base(file) {
			al.files[file] = to
		}
	}
	return al
}

// after returns the number in B of line n of A's file. A line that is gone from B gets a negative
// number, which no line of B has.
func (al *aligner) after(file string, n int) int {
	if al == nil || n <= 0 {
		return n
	}
	file = path.Clean(file)
	lines, ok := al.lines[file]
	if !ok {
		lines = al.align(file)
		al.lines[file] = lines
	}
	switch {
	case lines == nil || n >= len(lines):
		return n
	case lines[n] == 0:
		return -n
	}
	return lines[n]
}

func (al *aligner) align(file string) []int {
	to, ok := al.files[file]
	if !ok {
		return nil
	}
	a, b := listing.ReadLines(al.before, file), listing.ReadLines(al.target, to)
	if a.Err != nil || b.Err != nil {
		return nil
	}
	return alignLines(a.Lines, b.Lines)
}

// alignLines returns, by line number of a (from 1), the number of the same line in b, or 0 if b
// lacks it. A changed line stays the same line if the number of lines around it did not change.
func alignLines(a, b []string) []int {
	to := make([]int, len(a)+1)
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
		to[lo] = lo
	}
	endA, endB := len(a), len(b)
	for endA > lo && endB > lo && a[endA-1] == b[endB-1] {
		to[endA] = endB
		endA--
		endB--
	}
	// Between two matches, runs of equal length are edits in place.
	nextA, nextB := lo, lo
	match := func(x, y int) {
		if x-nextA == y-nextB {
			for i := nextA; i < x; i++ {
				to[i+1] = nextB + (i - nextA) + 1
			}
		}
		if x < endA {
			to[x+1] = y + 1
		}
		nextA, nextB = x+1, y+1
	}
	for _, m := range commonLines(a[lo:endA], b[lo:endB]) {
		match(lo+m[0], lo+m[1])
	}
	match(endA, endB)
	return to
}

// maxEdits bounds commonLines, whose memory is quadratic in it.
const maxEdits = 1000

// commonLines returns the pairs of indices of a longest common subsequence of a
// and b: E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986. It
// returns nil when the two differ in more than maxEdits lines.
func commonLines(a, b []string) [][2]int {
	n, m := len(a), len(b)
	limit := min(n+m, maxEdits)
	var trace [][]int // by number of edits d: furthest x on the diagonals -d..d, before step d
	v := make([]int, 2*limit+3)
	mid := limit + 1
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v[mid-d:mid+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := v[mid+k-1] + 1
			if k == -d || (k != d && v[mid+k-1] < v[mid+k+1]) {
				x = v[mid+k+1]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[mid+k] = x
			if x >= n && x-k >= m {
				return backtrack(trace, n, m)
			}
		}
	}
	return nil
}

// backtrack walks the steps of commonLines backwards.
func backtrack(trace [][]int, x, y int) [][2]int {
	var pairs [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d] // v[k+d] is diagonal k; only -(d-1)..d-1 were reached
		at := func(k int) int {
			if k < -d || k > d {
				return -1
			}
			return v[k+d]
		}
		k := x - y
		prev := k - 1
		if k == -d || (k != d && at(k-1) < at(k+1)) {
			prev = k + 1
		}
		px := 0
		py := 0
		if d > 0 {
			px = at(prev)
			py = px - prev
		}
		for x > px && y > py {
			x--
			y--
			pairs = append(pairs, [2]int{x, y})
		}
		x, y = px, py
	}
	for i, j := 0, len(pairs)-1; i < j; i, j = i+1, j-1 {
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	return pairs
}
