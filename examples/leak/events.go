package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	eventSize = 1 << 10 // bytes
	batchSize = 20      // events
)

// server has two goroutines that allocate at the same rate. One of them keeps
// what it allocates.
type server struct {
	history history
	batch   [][]byte // forward's own
	sent    atomic.Int64
}

// each calls do rate times per second, several times in a row if it is woken late,
// until ctx is done.
func each(ctx context.Context, rate int, do func(event []byte)) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	event := bytes.Repeat([]byte("."), eventSize)
	begin := time.Now()
	for n := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for due := uint64(time.Since(begin).Seconds() * float64(rate)); n < due; {
			n++
			_ = strconv.AppendUint(event[:0], n, 10) // into event itself
			do(event)
		}
	}
}

// remember stores the event.
func (s *server) remember(event []byte) {
	_ = s.history.Add(event) // it is not too long
}

// forward collects events, sends them when there are enough, and drops them.
// There is no receiver in this example.
func (s *server) forward(event []byte) {
	s.batch = append(s.batch, append(make([]byte, 0, len(event)), event...))
	if len(s.batch) == batchSize {
		s.sent.Add(batchSize)
		s.batch = nil
	}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.handleCounts)
	mux.HandleFunc("GET /last", s.handleLast)
	return mux
}

// handleCounts answers GET / with the number of events.
func (s *server) handleCounts(w http.ResponseWriter, _ *http.Request) {
	_, _ = fmt.Fprintf(w, "%d events can be requested, %d were sent on\n", s.history.Len(), s.sent.Load())
}

// handleLast answers GET /last?n=COUNT with the most recent events, one per line.
func (s *server) handleLast(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil || n < 1 || n > maxLast {
		http.Error(w, fmt.Sprintf("n %q (want a number from 1 to %d)", r.FormValue("n"), maxLast), http.StatusBadRequest)
		return
	}
	for _, event := range s.history.Last(n) {
		_, _ = w.Write(append(event, '\n'))
	}
}
