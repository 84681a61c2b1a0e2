package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"math"
	"net/http"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// SlowSchema names the JSON form of [Slow].
const SlowSchema = "whet.agent-slow/1"

const (
	// slowKept is how many slow requests are remembered for those who ask.
	slowKept = 64
	// slowForget is how long after a question, and the longest that it may wait, requests are still
	// looked at.
	slowForget = time.Minute
	// slowWait is how long a question waits for an answer unless it says otherwise.
	slowWait = 30 * time.Second
	// maxSlowWait is how long it may wait.
	maxSlowWait = 5 * time.Minute
	// maxSlowName bounds what is kept of a request's path, in bytes.
	maxSlowName = 200
)

// Slow is what the agent answers at PREFIX/slow: the requests that took longer than was asked for.
type Slow struct {
	Schema string `json:"schema"` // always [SlowSchema]
	// Next is what to give as after next time, to get only later ones.
	Next     uint64        `json:"next"`
	Requests []SlowRequest `json:"requests"` // in the order in which they ended
}

// A SlowRequest is one.
type SlowRequest struct {
	Number uint64 `json:"number"` // counts from 1
	// Name is the request's method and the pattern that an [http.ServeMux] found for it, or else its
	// path. It has no query.
	Name    string        `json:"name"`
	Begin   time.Time     `json:"begin"`
	End     time.Time     `json:"end"`
	Latency time.Duration `json:"latency_ns"`
	// Mark is the message of a runtime/trace log, of category [MarkCategory], that the request's goroutine wrote
	// when the request ended. No other request has it: it finds this one in a trace. It is "" when nothing
	// was traced.
	Mark string `json:"mark,omitempty"`
}

// MarkCategory is the category of the logs that mark slow requests in execution traces.
const MarkCategory = "whet.slow"

// slowRequests are the slow ones of late. What is slow is said by who asks; while nobody does, a
// request costs two readings of the clock.
type slowRequests struct {
	watched atomic.Bool   // a handler is looked at
	than    atomic.Int64  // nanoseconds: the least that anybody asks for
	marks   atomic.Uint64 // how many marks were given
	prefix  string        // of marks: another agent's, or a later process's, differ

	mu     sync.Mutex
	kept   []SlowRequest // a ring
	last   uint64        // number of the last one
	asked  map[time.Duration]time.Time
	signal chan struct{} // closed, and replaced, when there is another one
}

func newSlowRequests() *slowRequests {
	s := &slowRequests{asked: map[time.Duration]time.Time{}, signal: make(chan struct{}), prefix: rand.Text()[:12] + "-"}
	s.than.Store(math.MaxInt64)
	return s
}

// Watch returns a handler that does what next does and lets the agent know how long each request takes,
// so that `whet watch` can record the seconds in which one was slow. The [http.ResponseWriter] is
// handed on as it is. A request costs two readings of the clock.
func (a *Agent) Watch(next http.Handler) http.Handler {
	a.slow.watched.Store(true)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		defer func() { // also when next panics
			if took := time.Since(begin); int64(took) >= a.slow.than.Load() {
				a.slow.add(r, begin, took, a.slow.mark())
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// mark marks in the execution trace, if one is written, that a request of the goroutine that calls it ends
// now. The log belongs to no task: it must not change what a trace says of the user's.
func (s *slowRequests) mark() string {
	if !trace.IsEnabled() {
		return ""
	}
	mark := s.prefix + strconv.FormatUint(s.marks.Add(1), 10)
	trace.Log(context.Background(), MarkCategory, mark)
	return mark
}

// add notes a slow request.
func (s *slowRequests) add(r *http.Request, begin time.Time, took time.Duration, mark string) {
	name := r.Pattern
	if name == "" {
		name = r.URL.Path
	}
	if !strings.Contains(name, " ") { // a pattern may begin with the method
		name = r.Method + " " + name
	}
	name = strings.ToValidUTF8(name[:min(len(name), maxSlowName)], "")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(time.Now())
	if int64(took) < s.than.Load() {
		return // whoever asked has gone
	}
	s.last++
	if len(s.kept) == slowKept {
		s.kept = slices.Delete(s.kept, 0, 1)
	}
	s.kept = append(s.kept, SlowRequest{
		Number: s.last, Name: name, Begin: begin.UTC().Round(0), End: begin.Add(took).UTC().Round(0),
		Latency: took, Mark: mark,
	})
	close(s.signal)
	s.signal = make(chan struct{})
}

// ask notes that somebody wants to know of requests that take so long.
func (s *slowRequests) ask(than time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if _, known := s.asked[than]; known || len(s.asked) < slowKept { // else who asks for ever new ones gets those of others
		s.asked[than] = now
	}
	s.forget(now)
}

// forget drops questions that were not repeated, and finds the least of the rest. s.mu is held.
func (s *slowRequests) forget(now time.Time) {
	least := time.Duration(math.MaxInt64)
	for than, at := range s.asked {
		if now.Sub(at) > slowForget+maxSlowWait {
			delete(s.asked, than)
			continue
		}
		least = min(least, than)
	}
	s.than.Store(int64(least))
}

// after are the requests behind number that took so long, and the channel that is closed when there is
// another one.
func (s *slowRequests) after(number uint64, than time.Duration) (Slow, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := Slow{Schema: SlowSchema, Next: s.last, Requests: []SlowRequest{}}
	for _, r := range s.kept {
		if r.Number > number && r.Latency >= than {
			answer.Requests = append(answer.Requests, r)
		}
	}
	return answer, s.signal
}

// serve answers ?than=500ms&after=NUMBER&seconds=30 as soon as a request took that long, and with
// none when the seconds are over. Without after, only those that end from now on count.
func (s *slowRequests) serve(w http.ResponseWriter, r *http.Request) {
	if !s.watched.Load() {
		serveError(w, http.StatusNotFound, "no handler is watched: wrap one with Agent.Watch")
		return
	}
	than, err := time.ParseDuration(cmp.Or(r.FormValue("than"), "1s"))
	if err != nil || than <= 0 {
		serveError(w, http.StatusBadRequest, "than: want a duration above zero, such as 500ms")
		return
	}
	wait := slowWait
	if r.FormValue("seconds") != "" {
		if wait, err = window(r, slowWait); err != nil || wait > maxSlowWait {
			serveError(w, http.StatusBadRequest,
				"seconds: want a number above 0 and at most "+strconv.Itoa(int(maxSlowWait.Seconds())))
			return
		}
	}
	s.ask(than)
	answer, _ := s.after(math.MaxUint64, than)
	number := answer.Next
	if text := r.FormValue("after"); text != "" {
		if number, err = strconv.ParseUint(text, 10, 64); err != nil {
			serveError(w, http.StatusBadRequest, "after: want the number that the last answer had as next")
			return
		}
		if number > answer.Next {
			number = 0 // it is another process's: this one was started later
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for over := false; ; {
		answer, more := s.after(number, than)
		if len(answer.Requests) > 0 || over {
			data, err := json.Marshal(answer)
			if err != nil {
				serveError(w, http.StatusInternalServerError, "encode requests: "+err.Error())
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(append(data, '\n'))
			return
		}
		select {
		case <-more:
		case <-timer.C:
			over = true
		case <-r.Context().Done():
			over = true // closed: say what there is
		}
	}
}
