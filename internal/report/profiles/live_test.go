package profiles

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/report/layout"
)

func liveState() *live.State {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	second := int64(time.Second)
	return &live.State{
		Target: "http://localhost:6060", Profiled: 4 * second, CPU: 4 * second, OwnCPU: second, Alloc: 64 << 20, OwnAlloc: 1,
		Windows: []live.Window{
			{Start: at, Length: 2 * second, CPU: 2 * second, OwnCPU: 0, Alloc: 0},
			{Start: at.Add(2 * time.Second), Length: 2 * second, CPU: 2 * second, OwnCPU: second, Alloc: 64 << 20},
		},
		Lines: []live.Line{
			{
				Function: "example.com/m/pad.(*Pad).Write", Path: "pad/pad.go", Line: 12, CPU: []int64{0, second},
				Alloc: []int64{0, 32 << 20}, CPUSum: second, AllocSum: 32 << 20,
			},
			{Function: "main.\x1b[31mred", Path: "main.go", Line: 3, CPU: []int64{0, 0}, Alloc: []int64{0, 0}, AllocSum: 1},
		},
	}
}

// TestWriteLive writes as many lines as asked for, whatever there is to show.
func TestWriteLive(t *testing.T) {
	failed := liveState()
	failed.Windows[1] = live.Window{
		Start: failed.Windows[1].Start, Error: "fetch http://localhost:6060: connection refused\x1b[31m",
	}
	empty := liveState()
	empty.Lines, empty.NoOwn = nil, true
	for name, c := range map[string]struct {
		state *live.State
		want  []string
	}{
		"lines": {liveState(), []string{
			"1.00 CPUs, 50.00% from own lines · 32MB/s allocated", "50.00%  16MB/s", "▁█", "pad.go:12",
		}},
		"failed": {failed, []string{"no profile: fetch http://localhost:6060: connection refused"}},
		"empty":  {empty, []string{"no own code found"}},
		"start":  {&live.State{Target: "x"}, nil},
	} {
		for _, width := range []int{64, 100} {
			var b strings.Builder
			if err := WriteLive(&b, layout.Style{Width: width}, c.state, 5); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			if len(lines) != LiveHead+5 || strings.Contains(b.String(), "\x1b") {
				t.Errorf("%s: %d lines:\n%s", name, len(lines), b.String())
			}
			for _, line := range lines {
				if layout.Columns(line) > width {
					t.Errorf("%s: more than %d columns: %s", name, width, line)
				}
			}
			words := strings.Join(strings.Fields(b.String()), " ")
			for _, want := range c.want {
				if !strings.Contains(words, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("%s: no %q in\n%s", name, want, b.String())
				}
			}
		}
	}
}

// TestWriteLiveSum has the most expensive lines first, and says what failed.
func TestWriteLiveSum(t *testing.T) {
	s := liveState()
	s.Windows[0].Error = "gone"
	var b strings.Builder
	if err := WriteLiveSum(&b, layout.Style{Width: 100}, s, 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"4s of profiles, 4s CPU time, 25.00% from own lines; 64MB allocated", "1 window of the last 2 failed",
		"25.00%    1s   32MB  pad/pad.go:12  pad.(*Pad).Write", "1 more line",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []int64
		n      int
		want   string
	}{{nil, 3, ""}, {[]int64{0, 0}, 3, "▁▁"}, {[]int64{9, 0, 4, 8}, 3, "▁▅█"}, {[]int64{-1, 5}, 3, "▁█"}} {
		if got := Sparkline(c.values, c.n); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}
