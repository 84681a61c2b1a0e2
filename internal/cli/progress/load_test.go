package progress

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
)

// screen is a minimal terminal for a live view: lines and a cursor.
type screen struct {
	lines  []string
	row    int
	hidden bool
}

func (s *screen) write(t *testing.T, text string) {
	t.Helper()
	for text != "" {
		var n int
		switch {
		case strings.HasPrefix(text, hideCursor):
			s.hidden, text = true, text[len(hideCursor):]
		case strings.HasPrefix(text, showCursor):
			s.hidden, text = false, text[len(showCursor):]
		case strings.HasPrefix(text, "\x1b[J"):
			s.lines, text = s.lines[:s.row], text[3:]
		case strings.HasPrefix(text, "\x1b["):
			if _, err := fmt.Sscanf(text, "\x1b[%dA\r", &n); err != nil || n > s.row {
				t.Fatalf("%d lines up from line %d: %v in %q", n, s.row, err, text)
			}
			s.row -= n
			text = text[strings.IndexByte(text, '\r')+1:]
		default:
			line, rest, ok := strings.Cut(text, "\n")
			if !ok || strings.Contains(line, "\x1b") {
				t.Fatalf("unexpected %q", text)
			}
			s.lines, s.row, text = append(s.lines, line), s.row+1, rest
		}
	}
}

// TestLoad checks that a live view stays in place, leaves no lines on the screen and shows the
// cursor again.
func TestLoad(t *testing.T) {
	var out bytes.Buffer
	o := load.Options{Warmup: time.Second}
	v := NewLoad(&out, layout.Style{Width: 80}, true, "http://127.0.0.1/", o)
	v.live = true // a buffer is no terminal
	s := &screen{lines: []string{"before"}, row: 1}
	show := func() {
		s.write(t, out.String())
		out.Reset()
	}
	v.Start()
	show()
	if !s.hidden || len(s.lines) != 2 || s.lines[1] != "warming up for 1s" {
		t.Errorf("%+v", s)
	}
	for i := range 200 {
		v.Show(load.Progress{
			Second: load.Second{Elapsed: time.Second, Responses: 5}, Elapsed: time.Duration(i+1) * time.Second,
		})
		show()
		if len(s.lines) != 1+loads.LiveLines || !strings.Contains(s.lines[2], fmt.Sprintf("in %ds of 10s", i+1)) {
			t.Fatalf("%+v", s)
		}
	}
	if len(v.doc.Seconds) != maxLiveSeconds {
		t.Errorf("keeps %d seconds", len(v.doc.Seconds))
	}
	v.Stop()
	show()
	if s.hidden || len(s.lines) != 1 || s.row != 1 {
		t.Errorf("left behind: %+v", s)
	}
}

func TestCapacityLine(t *testing.T) {
	p := capacity.Progress{Step: capacity.Step{Requested: 1500, Verdict: "held"}, Remaining: 61 * time.Second}
	p.Step.Latency.P99 = 20 * time.Millisecond
	if got, want := CapacityLine(3, p), "run  3        1500/s  p99     20ms  held  (about 61s left)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Step.Requested, p.Remaining = 0, 0
	if got, want := CapacityLine(12, p), "run 12  closed model  p99     20ms  held"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
