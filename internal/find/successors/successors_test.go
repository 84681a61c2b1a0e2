package successors

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSuccessors follows lines through random changes, for which it is known where each line went.
func TestSuccessors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var before, after []string
		to := map[int]int{} // unchanged lines, from 1 on
		for i := range 60 {
			line := "line " + strconv.Itoa(i)
			switch r.IntN(8) {
			case 0: // deleted
				before = append(before, line)
			case 1: // inserted
				after = append(after, "new "+line)
			default:
				before, after = append(before, line), append(after, line)
				to[len(before)] = len(after)
			}
		}
		s := Of([]byte(strings.Join(before, "\n")+"\n"), []byte(strings.Join(after, "\n")+"\n"))
		for line := range len(before) {
			lines, same := s.Of(line + 1)
			want, stays := to[line+1]
			if same != stays || stays && !slices.Equal(lines, []int{want}) {
				t.Fatalf("line %d: %v, same %v; want %d, %v\n%s\n\n%s", line+1, lines, same, want, stays,
					strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
			for _, line := range lines {
				if !same && !strings.HasPrefix(after[line-1], "new ") {
					t.Fatalf("%q replaces a changed line", after[line-1])
				}
			}
		}
	}
}
