package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/report/layout"
)

// Bounds of the time between two lines of progress where there is no terminal: a tenth of
// what has passed, so that an hour is not a thousand lines in a log.
const (
	leastProgress = 5 * time.Second
	mostProgress  = time.Minute
)

// A liveLine shows progress: on a terminal as one line that changes, elsewhere as a line
// every few seconds, and whatever is worth keeping as a line of its own. Other output on
// the same stream goes through print.
type liveLine struct {
	w     io.Writer
	live  bool
	width int           // of the terminal; 0 when unknown
	every time.Duration // least time between lines without a terminal; 0: no such lines

	mu    sync.Mutex
	shown bool
	told  time.Duration // Elapsed of the last line without a terminal
}

// newLine returns a line on standard error.
func (a *app) newLine() *liveLine {
	return &liveLine{w: a.stderr, live: a.live, width: styleOf(a.stderr).Width, every: leastProgress}
}

const eraseLine = "\r\x1b[K"

func (l *liveLine) progress(p collect.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Note != "" {
		l.erase()
		l.told = p.Elapsed
		for i, note := range strings.Split(p.Note, "\n") {
			lead := "whet: "
			if i > 0 {
				lead = "  "
			}
			_, _ = fmt.Fprintf(l.w, "%s%s\n", lead, layout.Clean(strings.TrimSpace(note)))
		}
	}
	switch text := "whet: " + layout.Clean(p.String()); {
	case l.live:
		runes := []rune(text)
		if l.width > 0 && len(runes) >= l.width {
			runes = append(runes[:max(l.width-2, 0)], '…') // a line that wraps cannot be erased
		}
		_, _ = fmt.Fprintf(l.w, "%s%s", eraseLine, string(runes))
		l.shown = true
	case l.every > 0 && p.Elapsed-l.told >= min(max(l.every, p.Elapsed/10), mostProgress):
		l.told = p.Elapsed
		_, _ = fmt.Fprintln(l.w, text)
	}
}

func (l *liveLine) erase() {
	if l.shown {
		_, _ = io.WriteString(l.w, eraseLine)
		l.shown = false
	}
}

// clear takes the live line away.
func (l *liveLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

// print writes whole lines.
func (l *liveLine) print(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	_, _ = l.w.Write(text)
}

// An abView shows the progress of what compares two builds in rounds: its stages, and how
// far the rounds are.
type abView struct {
	line  *liveLine
	what  string // is compared: "benchmarks"
	begin time.Time
	noise bool // the stage of the trials was shown
}

// newABView returns a view of what compares, such as "benchmarks". Its end must be called.
func (a *app) newABView(what string) *abView {
	return &abView{line: a.newLine(), what: what, begin: time.Now()}
}

// stage shows what is done besides the rounds.
func (v *abView) stage(text string) {
	p := collect.Progress{Elapsed: time.Since(v.begin), Running: []string{text}}
	if !v.line.live {
		p.Note = text // there is no line that changes
	}
	v.line.progress(p)
}

// progress shows how far the rounds are.
func (v *abView) progress(p ab.Progress) {
	if p.Trying && !v.noise {
		v.noise = true
		v.stage("measure the noise: A against A")
		return
	}
	out := collect.Progress{Elapsed: time.Since(v.begin)}
	switch {
	case p.Trying:
		out.Running = []string{"measure the noise: A against A"}
	case p.Done == p.Of:
		return
	default:
		v.noise = false // the next comparison has trials too
		out.Running = []string{fmt.Sprintf("%d of %d %s", p.Done, p.Of, v.what), fmt.Sprintf("%s: %d pairs", p.Subject, p.Pairs)}
		if p.Low > 0 {
			out.Running = append(out.Running, fmt.Sprintf("B/A %.3f to %.3f", p.Low, p.High))
		}
	}
	if p.Left > 0 {
		out.Total = out.Elapsed + p.Left
	}
	v.line.progress(out)
}

// end takes the line away.
func (v *abView) end() { v.line.clear() }
