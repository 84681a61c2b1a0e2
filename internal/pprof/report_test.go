package pprof

import (
	"bytes"
	"strings"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/hostile"
)

// optioned are some of the options that the driver defines.
func optioned(args string) *flagSet {
	f := newFlagSet(strings.Fields(args), nil)
	for _, name := range []string{"traces", "raw", "top", "tree", "callgrind", "proto", "lines"} {
		f.Bool(name, false, "")
	}
	for _, name := range []string{"list", "http", "focus"} {
		f.String(name, "", "")
	}
	return f
}

// TestReports requests reports of small profiles with large output.
func TestReports(t *testing.T) {
	t.Parallel()
	many := hostile.Gzip(hostile.Inlined(4000, 2000)) // frames
	frames := hostile.Gzip(hostile.Inlined(4000, 20_000))
	lines := hostile.Gzip(hostile.Inlined(1<<18, 1)) // lines
	for _, test := range []struct {
		data []byte
		args string
		want string // in the error; "" is none
		hint string
	}{
		{many, "-traces", "more than the 1", "`whet traces` shows the same"},
		{many, "-traces", "this report needs about 8", "-focus REGEXP"},
		{many, "-traces -focus nosuch", "", ""},
		{many, "-traces -focus main.work", "this report needs about", ""},
		{many, "-traces -max_memory 2GB", "", ""},
		{many, "-top", "", ""},
		{frames, "-top", "the stacks have 80020000 frames", "`whet top` shows the same"},
		{frames, "-list .", "the stacks have 80020000 frames", "`whet list` shows the same"},
		{frames, "-top -max_memory 1GB", "", ""},
		{frames, "-proto", "", ""},
		{many, "-list .", "", ""},
		{many, "-proto", "", ""},
		{many, "-http localhost:", "", ""},
		{lines, "-list .", "this report needs about", "`whet list` shows the same"},
		{lines, "-callgrind", "this report needs about", "-max_memory 1GB"},
		{lines, "-http localhost:", "this report needs about", "`whet flame`"},
		{lines, "-tree -lines", "this report needs about", "`whet tree`"},
		{lines, "-tree", "", ""},
		{lines, "-callgrind -max_memory 1GB", "", ""},
	} {
		f := optioned(test.args)
		limit := newMemoryLimit(f)
		if f.Parse(nil); f.err != nil {
			t.Fatal(f.err)
		}
		_, err := limit.read(bytes.NewReader(test.data), 0)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.args, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(diag.Hint(err), test.hint) || !strings.Contains(diag.Hint(err), "-max_memory")):
			t.Errorf("%s: %v, hint %q", test.args, err, diag.Hint(err))
		}
	}
}

// TestShellRefuses types commands that would take too much memory.
func TestShellRefuses(t *testing.T) {
	t.Parallel()
	limit := &memoryLimit{report: func() report { return report{graph: true} }}
	for _, data := range [][]byte{hostile.Inlined(4000, 2000), hostile.Strings("")} {
		if _, err := limit.read(bytes.NewReader(hostile.Gzip(data)), 0); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs strings.Builder
	u := newUI(Options{
		Stdin: strings.NewReader("traces\ntraces main.work > x\ntraces nosuch\ntop\n"), Stdout: &out, Stderr: &errs,
	})
	u.refuse = limit.shell.refuse
	for _, want := range []string{"traces nosuch\n", "top\n"} {
		if line, err := u.ReadLine("> "); err != nil || line != want {
			t.Errorf("%q, %v, want %q", line, err, want)
		}
	}
	if n := strings.Count(errs.String(), "this report needs about"); n != 2 ||
		!strings.Contains(errs.String(), "hint: `whet traces`") {
		t.Errorf("%d refusals: %s", n, errs.String())
	}
	if _, err := u.ReadLine("> "); err == nil {
		t.Error("no end")
	}
}

// TestCalls counts calls as the driver's graph does: each once.
func TestCalls(t *testing.T) {
	t.Parallel()
	l := []*gprofile.Location{{ID: 1}, {ID: 2}, {ID: 3, Line: make([]gprofile.Line, 5)}}
	p := &gprofile.Profile{
		Location: l, Sample: []*gprofile.Sample{
			{Location: l},
			{Location: l},
			{Location: l[1:]},
			{Location: []*gprofile.Location{l[1], l[0]}},
		},
	}
	r := report{graph: true}
	if n := r.calls(p, 1000); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
	r.lines = true
	if n := r.calls(p, 1000); n != 7 {
		t.Errorf("%d calls of lines, want 7", n)
	}
	if n := r.calls(p, 0); n < 1 {
		t.Errorf("%d calls, want what was counted until the limit", n)
	}
}

// TestReasonForLabels gives the reason why a profile that other commands read is refused.
func TestReasonForLabels(t *testing.T) {
	t.Parallel()
	limit := &memoryLimit{}
	_, err := limit.read(bytes.NewReader(hostile.Gzip(hostile.Labels(400_000))), 0)
	if err == nil || !strings.Contains(err.Error(), "google/pprof, which reads it here, takes about") ||
		!strings.Contains(diag.Hint(err), "`whet top`") {
		t.Errorf("%v, %q", err, diag.Hint(err))
	}
}
