package progress

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/unit"
)

// A Live shows what lines of a service cost: on a terminal as a block that is overwritten, elsewhere as one
// line for each window.
type Live struct {
	w     io.Writer
	style layout.Style
	live  bool
	lines int
	shown int // lines of the block on the terminal
}

// NewLive returns a view of n lines, or fewer if the terminal w is too low. With terminal, w is one.
func NewLive(w io.Writer, style layout.Style, terminal bool, n int) *Live {
	v := &Live{w: w, style: style, live: terminal, lines: n}
	if f, ok := w.(*os.File); ok && terminal {
		if _, height, err := term.GetSize(int(f.Fd())); err == nil {
			v.lines = min(n, height-profiles.LiveHead-1)
		}
	}
	v.live = v.live && v.lines > 0
	if v.live {
		_, _ = io.WriteString(w, hideCursor)
	}
	return v
}

// Show shows a state in place of the one before.
func (v *Live) Show(s *live.State) {
	var b bytes.Buffer
	if !v.live {
		last := s.Windows[len(s.Windows)-1]
		text := last.Error
		if text == "" {
			text = fmt.Sprintf("%s of CPU time", unit.Of(last.CPU, "nanoseconds"))
			if l, cpu := hottest(s.Lines); cpu > 0 {
				text += fmt.Sprintf(", most at %s:%d (%s)", layout.Clean(l.Path), l.Line, unit.Percent(cpu, last.CPU))
			}
		}
		fmt.Fprintf(&b, "%s  %s\n", last.Start.Format("15:04:05"), layout.Clean(text))
	} else {
		v.rewind(&b)
		_ = profiles.WriteLive(&b, v.style, s, v.lines) // a buffer does not fail
		v.shown = bytes.Count(b.Bytes(), []byte("\n"))
	}
	_, _ = v.w.Write(b.Bytes())
}

// hottest returns the line that used most CPU time in the last window, and how much.
func hottest(lines []live.Line) (most *live.Line, cpu int64) {
	for i := range lines {
		l := &lines[i]
		if last := l.CPU[len(l.CPU)-1]; last > cpu {
			most, cpu = l, last
		}
	}
	return most, cpu
}

// Stop erases the block and shows the cursor.
func (v *Live) Stop() {
	if !v.live {
		return
	}
	var b bytes.Buffer
	v.rewind(&b)
	b.WriteString(showCursor)
	_, _ = v.w.Write(b.Bytes())
}

// rewind moves the cursor to the beginning of the block and erases it.
func (v *Live) rewind(b *bytes.Buffer) {
	if v.shown > 0 {
		fmt.Fprintf(b, "\x1b[%dA\r\x1b[J", v.shown)
		v.shown = 0
	}
}
