package progress

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
)

// Without a terminal, a line is printed after a tenth of the elapsed time, within these bounds, so that an hour is
// not a thousand lines in a log.
const (
	minInterval = 5 * time.Second
	maxInterval = time.Minute
)

// A Status is what a command is doing at one moment.
type Status struct {
	Elapsed time.Duration // since the start
	Total   time.Duration // estimate of the whole; 0 if unknown
	Running []string      // what is going on right now
	// Note, if not empty, is printed and kept: something is done, or is missing.
	Note string
}

// String returns the status as one line, without the note.
func (s Status) String() string {
	text := s.Elapsed.Round(100 * time.Millisecond).String()
	if s.Total > 0 {
		text += " of " + s.Total.Round(time.Second).String()
	}
	if len(s.Running) > 0 {
		text += "  " + strings.Join(s.Running, ", ")
	}
	return text
}

// A Line shows the status of a command: on a terminal as one line that changes, elsewhere as a line every few
// seconds; notes are printed and kept. Other output to the same writer goes through Print. Its methods may be called
// by several goroutines.
type Line struct {
	w     io.Writer
	live  bool
	width int // of the terminal; 0 if unknown
	quiet bool

	mu      sync.Mutex
	shown   bool
	printed time.Duration // Elapsed of the last line without a terminal
}

// Options configure a Line.
type Options struct {
	Live  bool // the writer is a terminal
	Width int  // of the terminal; 0 if unknown
	Quiet bool // without a terminal, print notes only
}

// NewLine returns a Line that writes to w.
func NewLine(w io.Writer, o Options) *Line {
	return &Line{w: w, live: o.Live, width: o.Width, quiet: o.Quiet}
}

const eraseLine = "\r\x1b[K"

// Show replaces what the line shows.
func (l *Line) Show(s Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.Note != "" {
		l.erase()
		l.printed = s.Elapsed
		for i, note := range strings.Split(s.Note, "\n") {
			lead := "whet: "
			if i > 0 {
				lead = "  "
			}
			_, _ = fmt.Fprintf(l.w, "%s%s\n", lead, layout.Clean(strings.TrimSpace(note)))
		}
	}
	switch text := "whet: " + layout.Clean(s.String()); {
	case l.live:
		runes := []rune(text)
		if l.width > 0 && len(runes) >= l.width {
			runes = append(runes[:max(l.width-2, 0)], '…') // a line that wraps cannot be erased
		}
		_, _ = fmt.Fprintf(l.w, "%s%s", eraseLine, string(runes))
		l.shown = true
	case !l.quiet && s.Elapsed-l.printed >= min(max(minInterval, s.Elapsed/10), maxInterval):
		l.printed = s.Elapsed
		_, _ = fmt.Fprintln(l.w, text)
	}
}

func (l *Line) erase() {
	if l.shown {
		_, _ = io.WriteString(l.w, eraseLine)
		l.shown = false
	}
}

// Clear erases the line.
func (l *Line) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

// Print erases the line and writes whole lines of text.
func (l *Line) Print(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	_, _ = l.w.Write(text)
}

// A Prefixer is a writer that prints each line through a Line, after a prefix. It is used by one goroutine at a time.
type Prefixer struct {
	line   *Line
	prefix string
	rest   []byte
}

// Prefixer returns a writer that prints through l.
func (l *Line) Prefixer(prefix string) *Prefixer { return &Prefixer{line: l, prefix: prefix} }

const maxPrefixedLine = 64 << 10

// Write prints the lines that data completes. It never fails.
func (p *Prefixer) Write(data []byte) (int, error) {
	p.rest = append(p.rest, data...)
	for {
		i := bytes.IndexByte(p.rest, '\n')
		if i < 0 && len(p.rest) > maxPrefixedLine {
			i = len(p.rest) - 1
		}
		if i < 0 {
			return len(data), nil
		}
		p.line.Print(append([]byte(p.prefix), append(p.rest[:i:i], '\n')...))
		p.rest = p.rest[i+1:]
	}
}

// Flush prints the last line, which no newline ends.
func (p *Prefixer) Flush() {
	if len(p.rest) > 0 {
		_, _ = p.Write([]byte("\n"))
	}
}
