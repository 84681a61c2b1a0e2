package scratch

import (
	"slices"
	"strings"
	"testing"
)

// FuzzGoOutput reads any output of the go command without a panic, and makes no more of it than
// there is.
func FuzzGoOutput(f *testing.F) {
	f.Add("ok  \texample.com/a\t0.1s\n--- FAIL: TestX (0.00s)\n    x_test.go:1: " +
		"no\nFAIL\nFAIL\texample.com/b\t0.2s\nFAIL\texample.com/c [build failed]\n")
	f.Add("# example.com/a\n./a.go:3:2: unreachable code\nvet: a.go:1: x\n")
	f.Add("FAIL \n\nFAIL\t\t\n\xff")
	f.Fuzz(func(t *testing.T, out string) {
		pkgs := failing(out)
		if !slices.IsSorted(pkgs) || len(slices.Compact(slices.Clone(pkgs))) != len(pkgs) {
			t.Errorf("failing %q", pkgs)
		}
		for _, p := range pkgs {
			if p == "" || !strings.Contains(out, p) {
				t.Errorf("%q is not in %q", p, out)
			}
		}
		// A line that is there without a change is not new with it.
		lines := vetLines(out)
		if len(lines) > strings.Count(out, "\n")+1 {
			t.Errorf("vet says %v", lines)
		}
		more := vetLines("a.go:1:1: another\n" + out)
		for line := range lines {
			if !more[line] {
				t.Errorf("%q is lost", line)
			}
		}
		if last := LastLines(out); strings.Count(last, "\n") > 12 || len(last) > len(out) {
			t.Errorf("last lines %q of %q", last, out)
		}
	})
}
