package cli

import (
	"strings"
	"testing"

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
