package fuzzlog_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ/fuzzlog"
)

// TestTimeWasUp distinguishes go test's own failure from one that an input caused.
func TestTimeWasUp(t *testing.T) {
	t.Parallel()
	const late = "fuzz: elapsed: 5s, execs: 75809 (21257/sec), new interesting: 0 (total: 660)\n--- FAIL: " +
		"FuzzWhetDiffer1 (5.14s)\n    context deadline exceeded\nexit status 1\nFAIL\texample.com/m\t5.147s\n"
	const differs = "--- FAIL: FuzzWhetDiffer1 (0.02s)\n    --- FAIL: FuzzWhetDiffer1 (0.00s)\n        d_test.go:9: " +
		"F(nil): context deadline exceeded, was nil\n    \n    Failing input written to testdata/fuzz/FuzzWhetDiffer1/1234\n"
	for _, tt := range []struct {
		name, out string
		want      bool
	}{
		{"the time was up", late, true},
		{"an input", differs, false},
		{"an input, and then the time was up", differs + late, false},
		{"it does not build", "./a.go:3:2: undefined: x\n", false},
	} {
		if got := fuzzlog.TimeWasUp(tt.out); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestDifference checks that only the results are kept of what a fuzz target prints when it fails.
func TestDifference(t *testing.T) {
	t.Parallel()
	const results = "before:\n        returned 1\n\n        after:\n        returned 2"
	for _, test := range []struct{ out, want string }{
		{
			"fuzz: elapsed: 0s\n--- FAIL: FuzzWhetDiffer1 (0.1s)\n    --- FAIL: FuzzWhetDiffer1 (0.0s)\n" +
				"        zz_whet_compare_test.go:152: the results differ\n        " + results + "\n    \n" +
				"    Failing input written to testdata/fuzz/FuzzWhetDiffer1/12\n    To re-run:\n    go test -run=F/12\nFAIL\n",
			"        " + results,
		},
		{
			"--- FAIL: FuzzWhetDiffer1 (0.1s)\n    --- FAIL: FuzzWhetDiffer1/seed#3 (0.0s)\n" +
				"        x.go:1: the results differ\n        " + results + "\n" +
				"    --- SKIP: FuzzWhetDiffer1/seed#4 (0.0s)\nFAIL\ncoverage: 1.0% of statements\n",
			"        " + results,
		},
		{"panic: oh\n\ngoroutine 1 [running]:\n", "panic: oh\ngoroutine 1 [running]:"},
	} {
		if got := fuzzlog.Difference(test.out); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestFailedInput checks that the name of the input is found, also that of a random one.
func TestFailedInput(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"--- FAIL: FuzzWhetDiffer1 (0.1s)\n    --- FAIL: FuzzWhetDiffer1/seed#3 (0.0s)\n": "seed#3",
		"--- FAIL: FuzzWhetDiffer1 (0.1s)\n":                                              "", "ok": "",
	} {
		if got := fuzzlog.FailedInput(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

// TestLastLine prefers a panic.
func TestLastLine(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"a\nb\n": "b", "a\npanic: oh\n\ngoroutine 1 [running]:\nmain.main()\n": "panic: oh",
	} {
		if got := fuzzlog.LastLine(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

// TestBesideError checks which differences are next to an error that is the same.
func TestBesideError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		before, after string
		want          bool
	}{
		{"returned 1", "returned 2", false},
		{"called 1, 2\nreturned 1", "called 2, 1\nreturned 1", false},
		{`returned "", 11, error *p.Error "bad"`, `returned "", 12, error *p.Error "bad"`, true},
		{`returned "", 11, error *p.Error "bad"`, `returned "", 11, error *p.Error "worse"`, false},
		{`returned 11, error *p.Error "bad"`, `returned 11, nil`, false},
		{"returned 1, error *p.Error \"bad\"\nleft 3", "returned 2, error *p.Error \"bad\"\nleft 3", true},
		{"returned 1, error *p.Error \"bad\"\nleft 3", "returned 2, error *p.Error \"bad\"\nleft 4", false},
		{"returned 1\npanic bad", "returned 1", false},
		{"returned 1, error *p.Error \"bad…", "returned 2, error *p.Error \"bad…", false},
	} {
		indent := func(text string) string { return "        " + strings.ReplaceAll(text, "\n", "\n        ") }
		got := fuzzlog.BesideError(indent("before:\n"+test.before) + "\n        \n" + indent("after:\n"+test.after))
		if got != test.want {
			t.Errorf("%s, %s: %v, want %v", test.before, test.after, got, test.want)
		}
	}
	if fuzzlog.BesideError("panic: oh") {
		t.Error("a panic is next to an error")
	}
}

// TestEnded checks that the stack of the goroutine that ended a process is found, and no other one.
func TestEnded(t *testing.T) {
	t.Parallel()
	const rest = "\n\ngoroutine 1 [chan receive]:\nexample.com/m/whettwin.Other()\n\t/tmp/m.go:1 +0x1\n"
	for _, test := range []struct{ out, want string }{
		{
			"=== RUN   FuzzWhetDiffer1\nruntime: goroutine stack exceeds 1000000000-byte limit\n" +
				"fatal error: stack overflow\n\nruntime stack:\nruntime.throw({0x1, 0x2})\n\n" +
				"goroutine 7 [running]:\nexample.com/m.Deep(...)\n\t/tmp/m.go:9 +0x5" + rest,
			"7 [running]:\nexample.com/m.Deep(...)\n\t/tmp/m.go:9 +0x5",
		},
		{
			"panic: late\n\ngoroutine 9 [running]:\nexample.com/m.late()\n\t/tmp/m.go:3 +0x2" + rest,
			"9 [running]:\nexample.com/m.late()\n\t/tmp/m.go:3 +0x2",
		},
		{"--- FAIL: FuzzWhetDiffer1\n    the results differ\n    panic: in a result\n\ngoroutine 3 [running]:\n", ""},
		{"fatal error: all is lost", ""},
		{"", ""},
	} {
		if got := fuzzlog.Ended(test.out); got != test.want {
			t.Errorf("%q:\n%q, want\n%q", test.out, got, test.want)
		}
	}
}
