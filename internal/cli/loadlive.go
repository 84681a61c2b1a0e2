package cli

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
	"github.com/whet-go/whet/unit"
)

// A loadView shows a load while it goes on: on a terminal as a block that is written
// over, elsewhere as one line a second.
type loadView struct {
	app   *app
	style layout.Style
	live  bool // write over

	warmup time.Duration

	mu    sync.Mutex
	doc   loads.Live
	shown int // lines on the terminal that are ours
}

// maxLiveSeconds is how much of the past a live view needs: what fits on a line.
const maxLiveSeconds = 80

const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
)

func newLoadView(a *app, o load.Options) *loadView {
	v := &loadView{app: a, style: styleOf(a.stderr), live: a.live && roomFor(a.stderr, loads.LiveLines+1)}
	asked := o.Rate
	if o.RampTo > 0 {
		asked = 0 // it changes
	}
	length := o.Duration
	if length == 0 && o.Requests == 0 {
		length = load.DefaultDuration
	}
	v.doc = loads.Live{Target: loadName(o), Length: length, Total: o.Requests, Asked: asked}
	v.warmup = o.Warmup
	return v
}

// roomFor tells whether w is a terminal of so many lines; without that many, going
// back to the first would not work.
func roomFor(w io.Writer, lines int) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, height, err := term.GetSize(int(f.Fd()))
	return err == nil && height >= lines
}

// start takes the terminal.
func (v *loadView) start() {
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
	_, _ = io.WriteString(v.app.stderr, hideCursor+text)
}

// stop takes away what was shown and gives the cursor back.
func (v *loadView) stop() {
	if !v.live {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var b bytes.Buffer
	v.rewind(&b)
	b.WriteString(showCursor)
	_, _ = v.app.stderr.Write(b.Bytes())
}

// rewind goes to where the block begins and erases it.
func (v *loadView) rewind(b *bytes.Buffer) {
	if v.shown > 0 {
		fmt.Fprintf(b, "\x1b[%dA\r\x1b[J", v.shown)
		v.shown = 0
	}
}

// progress shows the second that has ended.
func (v *loadView) progress(p load.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var b bytes.Buffer
	if !v.live {
		_ = loads.WriteLine(&b, p) // a buffer does not fail
		_, _ = v.app.stderr.Write(b.Bytes())
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
	_, _ = v.app.stderr.Write(b.Bytes())
}
