package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/collect"
)

// TestLiveLine keeps the line that changes on one line, and what stays whole.
func TestLiveLine(t *testing.T) {
	var out strings.Builder
	l := &liveLine{w: &out, live: true, width: 20}
	l.progress(collect.Progress{Running: []string{"benchmarks of example.com/a/long/path"}, Note: "one\n\x1b[31mtwo, which is longer than the terminal is wide"})
	l.clear()
	want := "whet: one\n  \ufffd[31mtwo, which is longer than the terminal is wide\n" + eraseLine + "whet: 0s  benchmar…" + eraseLine
	if got := out.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestLinesWithoutTerminal: a log has a line every five seconds at first, with the time
// left, and fewer as time passes.
func TestLinesWithoutTerminal(t *testing.T) {
	var out strings.Builder
	l := (&app{stderr: &out}).newLine()
	for i := range 601 * 5 {
		at := time.Duration(i) * 200 * time.Millisecond
		p := collect.Progress{Elapsed: at, Total: 10 * time.Minute, Running: []string{fmt.Sprintf("round %d", i)}}
		if i == 30 {
			p.Note = "something happened"
		}
		l.progress(p)
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

// TestABViewWithoutTerminal: how far a comparison is, and how long it still takes, is in a log.
func TestABViewWithoutTerminal(t *testing.T) {
	var out strings.Builder
	v := (&app{stderr: &out}).newABView("benchmarks")
	v.stage("build A: ./x")
	v.progress(ab.Progress{Trying: true, Left: -1})
	for range 3 {
		v.begin = v.begin.Add(-7 * time.Second)
		v.progress(ab.Progress{Subject: "Encode", Pairs: 9, Done: 1, Of: 4, Low: 0.98, High: 1.02, Left: time.Minute})
	}
	v.end()
	line := func(at string) string {
		return "whet: " + at + "  1 of 4 benchmarks, Encode: 9 pairs, B/A 0.980 to 1.020\n"
	}
	want := "whet: build A: ./x\nwhet: measure the noise: A against A\n" + line("7s of 1m7s") + line("14s of 1m14s") + line("21s of 1m21s")
	if got := out.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
