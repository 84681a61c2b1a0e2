package scratch

import (
	"strings"
	"testing"
)

// FuzzGoOutput reads any output of the go command without a panic, and without finding more than
// there is.
func FuzzGoOutput(f *testing.F) {
	f.Add(`{"Action":"run","Package":"a","Test":"T"}` + "\n" + `{"Action":"run","Package":"a","Test":"T/x"}` + "\n" +
		`{"Action":"fail","Package":"a","Test":"T/x"}` + "\n" + `{"Action":"fail","Package":"a","Test":"T"}` + "\n" +
		`{"Action":"output","Package":"a","Output":"FAIL\n"}` + "\n" + `{"Action":"fail","Package":"a"}` + "\n")
	f.Add("# a\n{\n\t\"a\": {\"printf\": [{\"posn\": \"a.go:1:2\", \"message\": \"no\"}]}\n}\n")
	f.Add("# a\n{\n\t\"a\": {\"printf\": [{\"posn\": \"a.go:1:2\", \"Message\": \"no\"}]}\n}\n") // in any case
	f.Add("ok  \texample.com/a\t0.1s\n--- FAIL: TestX (0.00s)\n    x_test.go:1: " +
		"no\nFAIL\nFAIL\texample.com/b\t0.2s\nFAIL\texample.com/c [build failed]\n")
	f.Add("# example.com/a\n./a.go:3:2: unreachable code\nvet: a.go:1: x\n")
	f.Add("FAIL \n\nFAIL\t\t\n\xff")
	f.Fuzz(func(t *testing.T, out string) {
		found := 0
		for _, c := range complaints(out) {
			if c.Message != "" {
				found++
			}
		}
		if objects := strings.Count(out, "{"); found > objects {
			t.Errorf("%d complaints in %d objects: %q", found, objects, out)
		}
		// A complaint that exists without a change is not new with it.
		if more := NewComplaints(complaints(out), complaints(out)); len(more) > 0 {
			t.Errorf("new in the same: %v", more)
		}
		r := newTestRun(strings.Clone)
		_, _ = r.Write([]byte(out))
		b := Baseline{before: r}
		var packages []string
		for _, test := range r.failures() {
			if r.outcomes[test] == passed || r.outcomes[test] == skipped {
				t.Errorf("%v did not fail", test)
			}
		}
		for test := range r.outcomes {
			packages = append(packages, test.Package)
		}
		if differing := b.differing(r, packages); len(differing) > 0 {
			t.Errorf("differs from itself: %v", differing[0])
		}
		if last := LastLines(out); strings.Count(last, "\n") > 12 || len(last) > len(out) {
			t.Errorf("last lines %q of %q", last, out)
		}
	})
}

// TestLastLines begins with a panic, whose trace may be long, and ends with the last lines otherwise.
func TestLastLines(t *testing.T) {
	t.Parallel()
	trace := strings.Repeat("frame\n", 40)
	for out, want := range map[string]string{
		"ok  \tp\nFAIL\n":                       "",
		"a_test.go:3: no\nFAIL\n":               "a_test.go:3: no",
		"before\npanic: negative\n" + trace:     "panic: negative\n" + strings.TrimSpace(strings.Repeat("frame\n", 11)),
		"fatal error: all asleep\nFAIL\tp\n":    "fatal error: all asleep\nFAIL\tp",
		trace + "the end\n":                     strings.Repeat("frame\n", 11) + "the end",
		strings.Repeat("x\n", 3) + "panic: 1\n": "x\nx\nx\npanic: 1",
	} {
		if got := LastLines(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}
