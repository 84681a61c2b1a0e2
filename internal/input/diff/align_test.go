package diff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAlignLines(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       []int
	}{
		{"same", "a b c", "a b c", []int{1, 2, 3}},
		{"inserted above", "a b c", "x y a b c", []int{3, 4, 5}},
		{"edited in place", "a b c", "a B c", []int{1, 2, 3}},
		{"deleted", "a b c", "a c", []int{1, 0, 2}},
		{"replaced by more", "a b c", "a x y c", []int{1, 0, 4}},
		{"two places", "a b c d e", "a x b c D e y", []int{1, 3, 4, 5, 6}},
		{"all new", "a", "b c", []int{0}},
		{"edited at the end", "a b", "a c", []int{1, 2}},
	} {
		got := alignLines(strings.Fields(c.a), strings.Fields(c.b))[1:]
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q to %q: got %v, want %v", c.name, c.a, c.b, got, c.want)
		}
	}
}

// The pairs of commonLines are a common subsequence, as long as the one that
// the quadratic textbook algorithm finds.
func TestCommonLinesIsLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a, b := randomLines(r), randomLines(r)
		pairs := commonLines(a, b)
		px, py := -1, -1
		for _, p := range pairs {
			if p[0] <= px || p[1] <= py || a[p[0]] != b[p[1]] {
				t.Fatalf("%v and %v: %v is not a common subsequence", a, b, pairs)
			}
			px, py = p[0], p[1]
		}
		if want := lcsLength(a, b); len(pairs) != want {
			t.Fatalf("%v and %v: %d common lines, want %d", a, b, len(pairs), want)
		}
	}
}

func randomLines(r *rand.Rand) []string {
	s := make([]string, r.IntN(12))
	for i := range s {
		s[i] = string(rune('a' + r.IntN(4)))
	}
	return s
}

func lcsLength(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diag := 0
		for j := range b {
			old := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diag = old
		}
	}
	return row[len(b)]
}
