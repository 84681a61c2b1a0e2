package progress

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLine checks that the changing line takes one line, and that other lines are complete.
func TestLine(t *testing.T) {
	var out strings.Builder
	l := NewLine(&out, Options{Live: true, Width: 20})
	l.Show(Status{
		Running: []string{"benchmarks of example.com/a/long/path"},
		Note:    "one\n\x1b[31mtwo, which is longer than the terminal is wide",
	})
	l.Clear()
	want := "whet: one\n  \ufffd[31mtwo, which is longer than the terminal is wide\n" +
		eraseLine + "whet: 0s  benchmar…" + eraseLine
	if got := out.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestLinesWithoutTerminal checks that a log has a line every five seconds at first, with the time left, and
// fewer as time passes.
func TestLinesWithoutTerminal(t *testing.T) {
	var out strings.Builder
	l := NewLine(&out, Options{})
	for i := range 601 * 5 {
		at := time.Duration(i) * 200 * time.Millisecond
		p := Status{Elapsed: at, Total: 10 * time.Minute, Running: []string{fmt.Sprintf("round %d", i)}}
		if i == 30 {
			p.Note = "something happened"
		}
		l.Show(p)
	}
	lines := strings.SplitAfter(strings.TrimSpace(out.String()), "\n")
	want := "whet: 5s of 10m0s  round 25\nwhet: something happened\nwhet: 11s of 10m0s  round 55\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("%q\nwant %q…", lines[:3], want)
	}
	if n := len(lines); n < 20 || n > 45 {
		t.Errorf("%d lines in ten minutes", n)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("it erases lines where there is no terminal")
	}
}
