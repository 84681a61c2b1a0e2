package progress

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/unit"
)

// A Load shows a load while it runs: on a terminal as a block that is overwritten, elsewhere as one line a second.
type Load struct {
	w      io.Writer
	style  layout.Style
	live   bool // overwrite the block
	warmup time.Duration

	mu    sync.Mutex
	doc   loads.Live
	shown int // lines of the block on the terminal
}

// maxLiveSeconds is how much of the past a live view needs: what fits on a line.
const maxLiveSeconds = 80

const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
)

// NewLoad returns a view of the load o, which is called target. With live, w is a terminal; the block is shown if it
// is high enough.
func NewLoad(w io.Writer, style layout.Style, live bool, target string, o load.Options) *Load {
	v := &Load{w: w, style: style, live: live && highEnough(w, loads.LiveLines+1), warmup: o.Warmup}
	requested := o.Rate
	if o.RampTo > 0 {
		requested = 0 // it changes
	}
	length := o.Duration
	if length == 0 && o.Requests == 0 {
		length = load.DefaultDuration
	}
	v.doc = loads.Live{Target: target, Length: length, Total: o.Requests, Requested: requested}
	return v
}

// highEnough reports whether w is a terminal of at least that many lines: on a smaller one, the cursor cannot go
// back to the first.
func highEnough(w io.Writer, lines int) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, height, err := term.GetSize(int(f.Fd()))
	return err == nil && height >= lines
}

// Start hides the cursor and shows the warm-up.
func (v *Load) Start() {
	if !v.live {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	text := ""
	if v.warmup > 0 {
		text = "warming up for " + unit.Duration(v.warmup) + "\n"
		v.shown = 1
	}
	_, _ = io.WriteString(v.w, hideCursor+text)
}

// Stop erases the block and shows the cursor.
func (v *Load) Stop() {
	if !v.live {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var b bytes.Buffer
	v.rewind(&b)
	b.WriteString(showCursor)
	_, _ = v.w.Write(b.Bytes())
}

// rewind moves the cursor to the beginning of the block and erases it.
func (v *Load) rewind(b *bytes.Buffer) {
	if v.shown > 0 {
		fmt.Fprintf(b, "\x1b[%dA\r\x1b[J", v.shown)
		v.shown = 0
	}
}

// Show shows the second that has ended. It implements load.Options.Progress.
func (v *Load) Show(p load.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var b bytes.Buffer
	if !v.live {
		_ = loads.WriteLine(&b, p) // a buffer does not fail
		_, _ = v.w.Write(b.Bytes())
		return
	}
	if p.Elapsed <= 0 {
		p.Elapsed = p.Second.Start + p.Second.Elapsed
	}
	v.doc.Last = p
	v.doc.Seconds = append(v.doc.Seconds, p.Second)
	if n := len(v.doc.Seconds) - maxLiveSeconds; n > 0 {
		v.doc.Seconds = append(v.doc.Seconds[:0], v.doc.Seconds[n:]...)
	}
	v.rewind(&b)
	_ = loads.WriteLive(&b, v.style, v.doc)
	// One write, so that the block does not flicker.
	v.shown = loads.LiveLines
	_, _ = v.w.Write(b.Bytes())
}

// CapacityLine is the progress of a search for capacity after its nth run.
func CapacityLine(n int, p capacity.Progress) string {
	rate := "closed model"
	if p.Step.Requested > 0 {
		rate = fmt.Sprintf("%.0f/s", p.Step.Requested)
	}
	line := fmt.Sprintf("run %2d  %12s  p99 %8s  %s", n, rate, unit.Duration(p.Step.Latency.P99), p.Step.Verdict)
	if p.Remaining > 0 {
		line += fmt.Sprintf("  (about %s left)", unit.Duration(p.Remaining.Round(time.Second)))
	}
	return line
}
