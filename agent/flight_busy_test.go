package agent

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A slowWriter blocks until it is released.
type slowWriter struct {
	*httptest.ResponseRecorder
	writing, release chan struct{}
}

func (w *slowWriter) Write(data []byte) (int, error) {
	select {
	case w.writing <- struct{}{}:
	default:
	}
	<-w.release
	return w.ResponseRecorder.Write(data)
}

// TestFlightBusy checks that the recorder serves one snapshot at a time, that stop waits for it,
// and that none is served afterwards.
func TestFlightBusy(t *testing.T) {
	f, err := startFlight(Options{Flight: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	first := &slowWriter{httptest.NewRecorder(), make(chan struct{}, 1), make(chan struct{})}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		f.serve(first, nil)
	}()
	<-first.writing
	second := httptest.NewRecorder()
	f.serve(second, nil)
	if second.Code != http.StatusTooManyRequests || !strings.Contains(second.Body.String(), "in progress") {
		t.Errorf("the second: status %d: %s", second.Code, second.Body)
	}
	go func() {
		defer close(stopped)
		f.stop()
	}()
	close(first.release)
	<-done
	<-stopped
	if first.Code != http.StatusOK || !strings.HasPrefix(first.Body.String(), "go 1.") {
		t.Errorf("the first: status %d: %.20q", first.Code, first.Body)
	}
	late := httptest.NewRecorder()
	f.serve(late, nil)
	if late.Code != http.StatusServiceUnavailable {
		t.Errorf("after stop: status %d", late.Code)
	}
}

// TestSlowClose checks that a query waiting for slow requests is answered when the agent closes.
func TestSlowClose(t *testing.T) {
	s := newSlowRequests()
	s.watched.Store(true)
	closed, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.serve(w, httptest.NewRequestWithContext(closed, http.MethodGet, "/slow?than=1h&seconds=300", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"requests":[]`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestSlowForget checks that requests are no longer recorded when no client has queried for a
// while.
func TestSlowForget(t *testing.T) {
	s := newSlowRequests()
	s.ask(time.Second)
	s.ask(time.Minute)
	if than := s.than.Load(); than != int64(time.Second) {
		t.Errorf("the least is %v", time.Duration(than))
	}
	s.forget(time.Now().Add(slowForget))
	if than := s.than.Load(); than != int64(time.Second) {
		t.Errorf("a minute later the least is %v", time.Duration(than))
	}
	s.forget(time.Now().Add(slowForget + maxSlowWait + time.Second))
	if than := s.than.Load(); than != math.MaxInt64 || len(s.limits) != 0 {
		t.Errorf("later the minimum is %v of %v", time.Duration(than), s.limits)
	}
}
