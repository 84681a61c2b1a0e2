package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// TestSteps checks that there is a line every few seconds without a terminal, even in one long
// step, with the remaining time if it is known.
func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		v := NewSteps(NewLine(&out, Options{}))
		lines := func() []string {
			synctest.Wait()
			v.line.mu.Lock()
			defer v.line.mu.Unlock()
			text := out.String()
			out.Reset()
			return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		v.Begin("test the module")
		time.Sleep(21*time.Second + time.Millisecond)
		got := lines()
		if len(got) < 3 || len(got) > 4 {
			t.Errorf("in 21 seconds: %q", got)
		}
		for _, line := range got {
			if !strings.HasPrefix(line, "whet: ") || !strings.HasSuffix(line, "test the module") ||
				strings.Contains(line, "\x1b") || strings.Contains(line, " of ") {
				t.Errorf("%q", line)
			}
		}
		v.Tried(0, 4)
		v.Begin("1 of 4: slow at a.go:1")
		v.Measure(ab.Progress{Done: 1, Of: 3, Subject: "Clean", Pairs: 7, Left: 9 * time.Second})
		time.Sleep(10 * time.Second)
		want := "1 of 4: slow at a.go:1, 1 of 3 benchmarks, Clean: 7 pairs, about 9s left"
		if got := lines(); !strings.HasSuffix(got[len(got)-1], want) {
			t.Errorf("measuring: %q", got)
		}
		v.Tried(1, 4) // 10 s each: 30 s are left
		v.Begin("2 of 4")
		time.Sleep(10 * time.Second)
		if got := lines(); !strings.Contains(got[len(got)-1], "s of 1m1s  2 of 4") {
			t.Errorf("with an estimate: %q", got)
		}
		resume := v.Pause()
		time.Sleep(time.Minute)
		if got := lines(); len(got) != 1 || got[0] != "" {
			t.Errorf("paused: %q", got)
		}
		resume()
		time.Sleep(time.Minute)
		if got := lines(); got[0] == "" {
			t.Error("nothing is shown after the pause")
		}
		v.End()
		time.Sleep(time.Minute)
		if got := lines(); got[0] != "" {
			t.Errorf("after the end: %q", got)
		}
	})
}
