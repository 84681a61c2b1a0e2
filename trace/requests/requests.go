package requests

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Request is one, or a user task.
type Request struct {
	Goroutine uint32 // index; of a task, the one that ended it
	From, To  int64  // nanoseconds since the trace's begin
	// Times are what its own goroutine spent it on; together To - From.
	Times Times
	// Path is its critical path; nil when that was not asked for.
	Path *Path

	stays []stay // of a task, when that was not on Goroutine all the time
}

// Stays calls yield with the goroutines that the request was on, and when.
func (r *Request) Stays(yield func(goroutine uint32, from, to int64)) {
	if len(r.stays) == 0 {
		yield(r.Goroutine, r.From, r.To)
	}
	for _, s := range r.stays {
		yield(s.goroutine, s.from, s.to)
	}
}

// Latency is how long a request took.
func (r *Request) Latency() time.Duration { return time.Duration(r.To - r.From) }

// Result is what a trace tells about requests.
type Result struct {
	Classes []Class // the most time first
	Count   int     // requests
	Tasks   int     // user tasks
	Dropped int     // tasks beyond those that are followed
	// Open counts requests and tasks that had begun before the trace, or had not ended when it did:
	// they are not in Classes.
	Open int
}

// Options choose what is looked at.
type Options struct {
	From, To int64          // only requests that end within; To 0 is the trace's end
	Class    *regexp.Regexp // only classes that match; nil: all
	Slowest  int            // how many are kept of each class; 0 is 5
	Paths    int            // of how many of these the critical path is found, the slowest first
	Tasks    bool           // follow the tasks of runtime/trace too
	// Each, if it is not nil, is called with each request and its class; the request is good until it
	// returns.
	Each func(class string, r *Request)
}

// unnamed is the class of requests whose handler no stack shows: it neither waited nor was preempted.
const unnamed = "(handler not seen)"

// Find finds the requests of a trace.
func Find(x *index.Index, o Options) (*Result, error) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	f := &finder{
		x: x, o: o, result: &Result{}, servers: map[uint32]*server{}, places: newPlaces(x),
		classes: classes{all: map[string]*group{}, slowest: cmp.Or(o.Slowest, 5)},
	}
	if err := f.goroutines(); err != nil {
		return nil, err
	}
	if err := f.samples(); err != nil {
		return nil, err
	}
	tasks, err := f.follower()
	if err != nil {
		return nil, err
	}
	if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if sv := f.servers[s.Goroutine]; sv != nil {
			f.span(sv, s)
		}
		tasks.span(&s)
		return true
	}); err != nil {
		return nil, err
	}
	for _, sv := range f.servers {
		f.end(sv)
	}
	if err := f.endTasks(tasks); err != nil {
		return nil, err
	}
	f.result.Classes = f.classes.sorted()
	return f.result, f.paths()
}

// A server is a goroutine that answers requests.
type server struct {
	g     *index.Goroutine
	whole bool     // it is one request
	reads []int64  // when its background reads began, those that are still to come
	seen  []sample // of it on a processor, those that are still to come

	// The request that may have begun.
	open    bool
	from    int64
	waited  bool // it began behind a wait for the next request, and not behind an answer
	sure    bool // a background read or a handler's stack was seen
	read    bool // a background read was seen
	ran     bool
	unknown bool // it began before the trace
	handler string
	times   Times
}

// A sample is of the CPU profile.
type sample struct {
	at    int64
	stack uint32
}

type finder struct {
	x       *index.Index
	o       Options
	result  *Result
	servers map[uint32]*server
	places  places
	classes classes
}

// next is a server behind a request that ended. The next may begin at from.
func (sv *server) next(from int64) server {
	return server{g: sv.g, reads: sv.reads, seen: sv.seen, open: true, from: from}
}

// Functions that servers' goroutines run.
const (
	httpConn       = "net/http.(*conn).serve"
	backgroundRead = "net/http.(*connReader).backgroundRead"
)

// wholes are functions of goroutines that are one request each.
func isWhole(name string) bool {
	switch name {
	case "net/http.(*http2serverConn).runHandler", "golang.org/x/net/http2.(*serverConn).runHandler", "net/rpc.(*service).call":
		return true
	}
	return strings.HasPrefix(name, "google.golang.org/grpc.(*Server).serveStreams.func")
}

// goroutines finds the servers, and when their background reads began.
func (f *finder) goroutines() error {
	kinds := f.x.Kinds()
	reads := map[uint32][]int64{}
	if err := f.x.Goroutines(func(g *index.Goroutine) bool {
		name := kinds[g.Kind].Name
		switch {
		case name == httpConn:
			f.servers[g.Index] = &server{g: g, open: true, from: g.From, unknown: g.Old}
		case isWhole(name):
			f.servers[g.Index] = &server{g: g, whole: true, open: true, sure: true, from: g.From, unknown: g.Old}
		case strings.HasPrefix(name, backgroundRead) && g.Parent > 0 && !g.Old:
			reads[g.Parent-1] = append(reads[g.Parent-1], g.From)
		}
		return true
	}); err != nil {
		return err
	}
	for g, list := range reads {
		if sv := f.servers[g]; sv != nil {
			slices.Sort(list)
			sv.reads = list
		}
	}
	return nil
}

// in notes a handler that a stack shows; "" is none. One that was seen inside of a closure is closer than
// the closure, which may be around all handlers.
func (sv *server) in(handler string) {
	if handler == "" {
		return
	}
	sv.sure = true
	if sv.handler == "" || !isClosure(handler) {
		sv.handler = handler
	}
}

// maxSamples bounds the samples that are kept for the names of handlers: some 16 MB.
const maxSamples = 1 << 20

// samples finds the CPU samples of servers.
func (f *finder) samples() error {
	left := maxSamples
	return f.x.Records(index.Samples, 0, f.x.Info.Duration, func(r *index.Record) bool {
		if r.Goroutine == 0 {
			return true
		}
		if sv := f.servers[r.Goroutine-1]; sv != nil {
			sv.seen = append(sv.seen, sample{r.To, r.Stack})
			left--
		}
		return left > 0
	})
}

// span follows a server's goroutine.
func (f *finder) span(sv *server, s index.Span) {
	p := place{}
	if s.Code != index.Running && (s.Code != index.Runnable || s.With == 0) {
		p = f.places.of(s.Stack) // its own, and not that of another goroutine which woke it
	}
	waits := s.Code >= index.Waiting
	calls := s.Code == index.Syscall || s.Code == index.SyscallBlocked
	switch {
	case sv.whole:
	case waits && (p.stops || p.between && f.x.Code(s.Code) == "network"):
		f.answered(sv, s.From)
		*sv = sv.next(s.To)
		sv.waited = !p.stops && !p.handshake
		return
	case calls && p.between && sv.sure:
		// It reads the next request, which is there already.
		f.answered(sv, s.From)
		*sv = sv.next(s.From)
		sv.waited = true
	}
	for len(sv.reads) > 0 && sv.reads[0] <= s.To {
		at := sv.reads[0]
		sv.reads = sv.reads[1:]
		if at < sv.from {
			continue
		}
		if sv.read && at >= s.From {
			// A request has one background read: this is the next, which had been read with the one before.
			sv.times[causeOf(s.Code, f.x.Code(s.Code), p)] += time.Duration(at - s.From)
			f.answered(sv, at)
			*sv = sv.next(at)
			s.From = at
		}
		sv.sure, sv.read = true, true
	}
	for len(sv.seen) > 0 && sv.seen[0].at <= s.To {
		if sv.seen[0].at >= sv.from {
			sv.in(f.places.of(sv.seen[0].stack).handler)
		}
		sv.seen = sv.seen[1:]
	}
	sv.in(p.handler)
	if s.Code == index.Running {
		sv.ran = true
	}
	sv.times[causeOf(s.Code, f.x.Code(s.Code), p)] += time.Duration(s.To - s.From)
}

// answered ends the request that may be open.
func (f *finder) answered(sv *server, at int64) {
	if !sv.open || !sv.sure && !(sv.waited && sv.ran) {
		return
	}
	if sv.unknown {
		f.result.Open++
		return
	}
	name := cmp.Or(sv.handler, unnamed)
	if sv.whole && sv.handler == "" {
		name = f.x.Kinds()[sv.g.Kind].Name
	}
	if f.wanted(name, at) {
		f.result.Count++
		f.add(name, false, &Request{Goroutine: sv.g.Index, From: sv.from, To: at, Times: sv.times})
	}
}

// add counts a request or task.
func (f *finder) add(class string, task bool, r *Request) {
	f.classes.add(class, task, r)
	if f.o.Each != nil {
		f.o.Each(class, r)
	}
}

// wanted tells whether the options want a request of a class that ended at a time.
func (f *finder) wanted(name string, at int64) bool {
	return at >= f.o.From && at <= f.o.To && (f.o.Class == nil || f.o.Class.MatchString(name))
}

// end is the last of a server's goroutine.
func (f *finder) end(sv *server) {
	if !sv.open || !sv.sure {
		return // a connection that was closed, or waits
	}
	if !sv.g.Ended {
		f.result.Open++
		return
	}
	f.answered(sv, sv.g.To)
}
