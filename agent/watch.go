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
	// slowKept is how many slow requests are kept for callers.
	slowKept = 64
	// slowForget is how long after a query ends its limit still applies.
	slowForget = time.Minute
	// slowWait is how long a query waits for an answer by default.
	slowWait = 30 * time.Second
	// maxSlowWait is the longest wait that a query may ask for.
	maxSlowWait = 5 * time.Minute
	// maxSlowName bounds the length of a request's path that is kept, in bytes.
	maxSlowName = 200
)

// Slow is the answer at PREFIX/slow: the requests that took longer than the query's limit.
type Slow struct {
	Schema string `json:"schema"` // always [SlowSchema]
	// Next is the value of after for the next query, to get only later requests.
	Next     uint64        `json:"next"`
	Requests []SlowRequest `json:"requests"` // in the order in which they ended
}

// A SlowRequest is one slow request.
type SlowRequest struct {
	Number uint64 `json:"number"` // counts from 1
	// Name is the request's method and the pattern that an [http.ServeMux] found for it, or else
	// its path, without the query.
	Name    string        `json:"name"`
	Begin   time.Time     `json:"begin"`
	End     time.Time     `json:"end"`
	Latency time.Duration `json:"latency_ns"`
	// Mark is the message of a runtime/trace log, of category [MarkCategory], that the request's
	// goroutine wrote when the request ended. It is unique, so it finds this request in a trace. It
	// is "" when no trace was being written.
	Mark string `json:"mark,omitempty"`
}

// MarkCategory is the category of the logs that mark slow requests in execution traces.
const MarkCategory = "whet.slow"

// slowRequests are the recent slow requests. Queries set what counts as slow; while there are none,
// a request costs two readings of the clock.
type slowRequests struct {
	watched atomic.Bool   // there is a watched handler
	than    atomic.Int64  // nanoseconds: the lowest limit of any query
	marks   atomic.Uint64 // how many marks were given
	prefix  string        // of marks: differs between agents and processes

	mu     sync.Mutex
	kept   []SlowRequest               // a ring
	last   uint64                      // number of the last one
	limits map[time.Duration]time.Time // of queries, with the time of the last one
	signal chan struct{}               // closed, and replaced, when another one is added
}

func newSlowRequests() *slowRequests {
	s := &slowRequests{limits: map[time.Duration]time.Time{}, signal: make(chan struct{}), prefix: rand.Text()[:12] + "-"}
	s.than.Store(math.MaxInt64)
	return s
}

// Watch returns a handler that calls next and reports to the agent how long each request takes, so
// that `whet watch` can record the seconds in which one was slow. It passes the
// [http.ResponseWriter] to next unchanged. A request costs two readings of the clock.
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

// mark marks in the execution trace, if one is being written, that the calling goroutine's request
// ends now. The log belongs to no task, so that it does not change what the trace shows of the
// user's tasks.
func (s *slowRequests) mark() string {
	if !trace.IsEnabled() {
		return ""
	}
	mark := s.prefix + strconv.FormatUint(s.marks.Add(1), 10)
	trace.Log(context.Background(), MarkCategory, mark)
	return mark
}

// add adds a slow request.
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
		return // the caller has disconnected
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

// ask registers a query for requests slower than the given limit.
func (s *slowRequests) ask(than time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	// A caller with ever new limits must not displace those of others.
	if _, known := s.limits[than]; known || len(s.limits) < slowKept {
		s.limits[than] = now
	}
	s.forget(now)
}

// forget drops limits that were not queried again, and finds the lowest of the rest. s.mu is held.
func (s *slowRequests) forget(now time.Time) {
	least := time.Duration(math.MaxInt64)
	for than, at := range s.limits {
		if now.Sub(at) > slowForget+maxSlowWait {
			delete(s.limits, than)
			continue
		}
		least = min(least, than)
	}
	s.than.Store(int64(least))
}

// after returns the requests after number that took at least than, and the channel that is closed
// when another one is added.
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

// serve answers ?than=500ms&after=NUMBER&seconds=30 as soon as a request is that slow, or with none
// after that many seconds. Without after, only requests that end from now on count.
func (s *slowRequests) serve(w http.ResponseWriter, r *http.Request) {
	if !s.watched.Load() {
		serveError(w, http.StatusNotFound, "no handler is watched: wrap one with Agent.Watch")
		return
	}
	than, err := time.ParseDuration(cmp.Or(r.FormValue("than"), "1s"))
	if err != nil || than <= 0 {
		serveError(w, http.StatusBadRequest, "invalid than (want a duration above zero, such as 500ms)")
		return
	}
	wait := slowWait
	if r.FormValue("seconds") != "" {
		if wait, err = window(r, slowWait); err != nil || wait > maxSlowWait {
			serveError(w, http.StatusBadRequest,
				"invalid seconds (want a number above 0 and at most "+strconv.Itoa(int(maxSlowWait.Seconds())))
			return
		}
	}
	s.ask(than)
	answer, _ := s.after(math.MaxUint64, than)
	number := answer.Next
	if text := r.FormValue("after"); text != "" {
		if number, err = strconv.ParseUint(text, 10, 64); err != nil {
			serveError(w, http.StatusBadRequest, "invalid after (want the number that the last answer had as next)")
			return
		}
		if number > answer.Next {
			number = 0 // the number is from another process: this one was started later
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
			over = true // closed: answer with what there is
		}
	}
}
