package fast

import (
	"io"
	"log"
	"sync"
	"time"
)

const (
	logSize = 32 << 10    // maximum of pending bytes
	logWait = time.Second // maximum that a line is pending
)

// NewLog returns a logger that writes to w, many lines at a time: a line is pending
// for at most a second. closeLog writes pending lines, and returns the first error
// of all writes; it is called once. Later lines are written immediately.
func NewLog(w io.Writer) (l *log.Logger, closeLog func() error) {
	b := &lineBuffer{w: w, lines: make([]byte, 0, logSize), closed: make(chan struct{})}
	b.flusher.Go(b.flushOften)
	return log.New(b, "", log.LstdFlags), b.close
}

// A lineBuffer collects whole lines, so that another program that reads the file
// never sees a part of one.
type lineBuffer struct {
	w       io.Writer
	flusher sync.WaitGroup
	closed  chan struct{}

	mu    sync.Mutex
	lines []byte // not written yet
	off   bool   // closed: lines are written immediately
	err   error  // of the first write that failed
}

// Write adds one line. It returns no error, because log.Logger would drop it.
func (b *lineBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines)+len(line) > logSize {
		b.flush()
	}
	if b.off || len(line) > logSize {
		b.write(line)
	} else {
		b.lines = append(b.lines, line...)
	}
	return len(line), nil
}

// flush and write are called with the lock held, so that lines stay in order.
func (b *lineBuffer) flush() {
	if len(b.lines) > 0 {
		b.write(b.lines)
		b.lines = b.lines[:0]
	}
}

func (b *lineBuffer) write(p []byte) {
	if _, err := b.w.Write(p); err != nil && b.err == nil {
		b.err = err
	}
}

func (b *lineBuffer) flushOften() {
	tick := time.NewTicker(logWait)
	defer tick.Stop()
	for {
		select {
		case <-b.closed:
			return
		case <-tick.C:
			b.mu.Lock()
			b.flush()
			b.mu.Unlock()
		}
	}
}

func (b *lineBuffer) close() error {
	close(b.closed)
	b.flusher.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
	b.off = true
	return b.err
}
