package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// TestComparisonWithoutTerminal checks that a log has the progress of a comparison, and the
// remaining time.
func TestComparisonWithoutTerminal(t *testing.T) {
	var out strings.Builder
	v := NewComparison(NewLine(&out, Options{}), "benchmarks")
	v.Stage("build A: ./x")
	v.Show(ab.Progress{Trying: true, Left: -1})
	for range 3 {
		v.begin = v.begin.Add(-7 * time.Second)
		v.Show(ab.Progress{Subject: "Encode", Pairs: 9, Done: 1, Of: 4, Low: 0.98, High: 1.02, Left: time.Minute})
	}
	v.End()
	line := func(at string) string {
		return "whet: " + at + "  1 of 4 benchmarks, Encode: 9 pairs, B/A 0.980 to 1.020\n"
	}
	want := "whet: build A: ./x\nwhet: measure the noise: A against A\n" +
		line("7s of 1m7s") + line("14s of 1m14s") + line("21s of 1m21s")
	if got := out.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
