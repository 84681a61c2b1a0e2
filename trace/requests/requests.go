package requests

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Request is a request, or a user task.
type Request struct {
	Goroutine uint32 // index; for a task, the one that ended it
	From, To  int64  // nanoseconds since the start of the trace
	// Times is what its own goroutine spent it on; the sum is To - From.
	Times Times
	// Path is its critical path; nil if not requested.
	Path *Path

	stays []stay // of a task that was not always on Goroutine
}

// Stays calls yield with each goroutine that the request was on, and from when to when.
func (r *Request) Stays(yield func(goroutine uint32, from, to int64)) {
	if len(r.stays) == 0 {
		yield(r.Goroutine, r.From, r.To)
	}
	for _, s := range r.stays {
		yield(s.goroutine, s.from, s.to)
	}
}

// Latency returns the duration of the request.
func (r *Request) Latency() time.Duration { return time.Duration(r.To - r.From) }

// A Result has the requests of a trace.
type Result struct {
	Classes []Class // by descending time
	Count   int     // requests
	Tasks   int     // user tasks
	Dropped int     // tasks beyond the bound
	// Open counts requests and tasks that began before the trace or ended after it. They are not in
	// Classes.
	Open int
	// Profiling counts requests to the handlers of profiles, those of net/http/pprof and of whet's
	// agent. They are not in Classes, since the caller sets how long they take.
	Profiling int
}

// Options configure Find.
type Options struct {
	From, To int64          // only requests that end within; To 0 means the end of the trace
	Class    *regexp.Regexp // only classes that match; nil means all
	Slowest  int            // number kept of each class; 0 means 5
	Paths    int            // number of these to find the critical path of, slowest first
	Tasks    bool           // include the tasks of runtime/trace
	// Each, if not nil, is called with each request and its class; the request is valid until it
	// returns.
	Each func(class string, r *Request)
}

// MarkCategory is the category of the logs with which whet's agent marks the ends of slow requests,
// on their goroutines. A request that is marked, but not answered when the trace ends, ends at its
// mark.
const MarkCategory = "whet.slow"

// Unnamed is the class of requests whose handler no stack shows: they neither waited, nor were
// preempted, nor had a task, region or log of runtime/trace.
const Unnamed = "(handler not seen)"

// orCalled is the suffix of classes whose requests were seen only in a function that passes on
// requests: it may have answered itself, or a handler that it called.
const orCalled = " (or a handler it calls)"

// HandlerSeen reports whether a stack showed the requests of a class in the handler that the class
// is named after.
func HandlerSeen(class string) bool { return class != Unnamed && !strings.HasSuffix(class, orCalled) }

// Find finds the requests of a trace. Its errors are those of reading the index.
func Find(x *index.Index, o Options) (*Result, error) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	f := &requestFinder{
		x: x, o: o, result: &Result{}, servers: map[uint32]*server{}, children: map[uint32]uint32{}, sites: newPlaces(x),
		classes: classes{all: map[string]*group{}, slowest: cmp.Or(o.Slowest, 5)},
	}
	if err := f.goroutines(); err != nil {
		return nil, err
	}
	if err := f.samples(); err != nil {
		return nil, err
	}
	f.marks = newMarks(x)
	defer f.marks.stop()
	tasks, err := f.follower()
	if err != nil {
		return nil, err
	}
	if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		f.next(&s)
		tasks.span(&s)
		return true
	}); err != nil {
		return nil, err
	}
	f.marked(x.Info.Duration)
	if f.marks.err != nil {
		return nil, f.marks.err
	}
	f.late(len(f.lag.spans))
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
	whole bool     // it is a single request
	reads []int64  // when its remaining background reads began
	seen  []sample // remaining samples of it on a processor
	hints []hint   // remaining hints, nearly in the order of at

	// The request that may have begun.
	open      bool
	from      int64
	waited    bool // it began after a wait for the next request, not after an answer
	onlyRead  bool // it began with a read, and there was nothing else since: the read may have found nothing
	confirmed bool // a background read or a handler's stack was seen
	read      bool // a background read was seen
	ran       bool
	unknown   bool // it began before the trace
	switched  bool // the connection continues in another protocol
	handler   handler
	times     Times

	profiling bool // a handler of profiles was seen

	// marked is when the request ended according to whet's agent, 0 if it did not report that, and
	// markedTimes is what it was spent on until then.
	marked      int64
	markedTimes Times
}

// A sample is from the CPU profile.
type sample struct {
	at    int64
	stack uint32
}

// A hint is a stack that shows a server's handler.
type hint struct {
	at    int64 // when it is known
	since int64 // when the goroutine had it: it belongs to the request that had begun by then
	stack uint32
	mark  bool // whet's agent marks the end of the request
}

type requestFinder struct {
	x       *index.Index
	o       Options
	marks   *marks
	result  *Result
	servers map[uint32]*server
	// children are goroutines that answer a request for the one that started them.
	children map[uint32]uint32
	sites    sites
	classes  classes
	lag      lag
	hints    int // of all servers
}

// next returns the server after a request that ended. The next request may begin at from.
func (sv *server) next(from int64) server {
	return server{g: sv.g, reads: sv.reads, seen: sv.seen, hints: sv.hints, open: true, from: from}
}

// Functions that servers' goroutines run.
const (
	httpConn       = "net/http.(*conn).serve"
	streamWorker   = "google.golang.org/grpc.(*Server).serverWorker"
	backgroundRead = "net/http.(*connReader).backgroundRead"
)

// isWorker reports whether a function is that of workers, which serve requests or connections one
// after the other.
func isWorker(name string) bool {
	return name == streamWorker || strings.HasPrefix(name, "github.com/valyala/fasthttp.(*workerPool).getCh")
}

// isWhole reports whether a function is that of goroutines that are one request each.
func isWhole(name string) bool {
	switch name {
	case "net/http.(*http2serverConn).runHandler", "net/http/internal/http2.(*serverConn).runHandler",
		"golang.org/x/net/http2.(*serverConn).runHandler", "net/rpc.(*service).call":
		return true
	}
	return strings.HasPrefix(name, "google.golang.org/grpc.(*Server).serveStreams.func")
}

// goroutines finds the servers, and when their background reads began.
func (f *requestFinder) goroutines() error {
	kinds := f.x.Kinds()
	reads := map[uint32][]int64{}
	if err := f.x.Goroutines(func(g *index.Goroutine) bool {
		name := kinds[g.Kind].Name
		switch {
		case name == httpConn, isWorker(name):
			f.servers[g.Index] = &server{g: g, open: true, from: g.From, unknown: g.Old}
		case name == timeoutChild && g.Parent > 0 && !g.Old:
			f.children[g.Index] = g.Parent - 1
		case isWhole(name):
			f.servers[g.Index] = &server{g: g, whole: true, open: true, confirmed: true, from: g.From, unknown: g.Old}
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

// in adds what a stack of the request shows. The handler that was handed the request last is
// deepest; of two equally deep ones, such as those that gin calls in turn, the later one counts.
func (sv *server) in(p site) {
	sv.confirmed = sv.confirmed || p.serves || p.name != ""
	sv.switched = sv.switched || p.switched
	sv.profiling = sv.profiling || p.profiling
	if p.name != "" && p.depth >= sv.handler.depth {
		sv.handler = p.handler
	}
}

// maxSamples bounds the samples kept for the names of handlers: about 16 MB.
const maxSamples = 1 << 20

// samples finds the CPU samples of servers.
func (f *requestFinder) samples() error {
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

// A lag holds back the spans of servers. Hints from other goroutines, the stacks with which they
// started or woke a server's goroutine, come with their spans, which may end a little later.
type lag struct {
	spans []index.Span
	first int
}

// Bounds of what is held back.
const (
	maxLag   = 1 << 16
	maxHints = 1 << 20 // about 24 MB
	// maxEarlier is by how many hints a late one may be sorted back. One that is even later may be
	// lost.
	maxEarlier = 64
)

// next takes a span of any goroutine.
func (f *requestFinder) next(s *index.Span) {
	f.marked(s.To)
	woken := s.Code == index.Runnable && s.With > 0 // the stack is that of another goroutine
	if on, ok := f.serverOf(s.Goroutine); ok && s.Stack > 0 && f.servers[s.Goroutine] == nil && !woken {
		f.hint(on, hint{at: s.From, since: s.From, stack: s.Stack})
	}
	if woken && s.Stack > 0 {
		if on, ok := f.serverOf(s.With - 1); ok {
			f.hint(on, hint{at: s.From, since: s.From, stack: s.Stack})
		}
	}
	if f.servers[s.Goroutine] == nil {
		return
	}
	f.lag.spans = append(f.lag.spans, *s)
	if len(f.lag.spans)-f.lag.first < maxLag {
		return
	}
	f.late(f.lag.first + 1)
	if f.lag.first >= maxLag {
		n := copy(f.lag.spans, f.lag.spans[f.lag.first:])
		f.lag.spans, f.lag.first = f.lag.spans[:n], 0
	}
}

// late follows the held-back spans, up to one.
func (f *requestFinder) late(end int) {
	for ; f.lag.first < end; f.lag.first++ {
		s := f.lag.spans[f.lag.first]
		f.span(f.servers[s.Goroutine], s)
	}
}

// serverOf returns the server that a goroutine is, or for which it answers a request.
func (f *requestFinder) serverOf(goroutine uint32) (on *server, ok bool) {
	for range 4 { // a TimeoutHandler may be in another
		if on, ok = f.servers[goroutine]; ok {
			return on, true
		}
		if goroutine, ok = f.children[goroutine]; !ok {
			return nil, false
		}
	}
	return nil, false
}

// hint adds a stack that may show a server's handler.
func (f *requestFinder) hint(on *server, h hint) {
	if f.hints >= maxHints || f.sites.of(h.stack).name == "" && !h.mark {
		return
	}
	f.hints++
	n := len(on.hints)
	for least := n - maxEarlier; n > max(least, 0) && on.hints[n-1].at > h.at; n-- {
	}
	on.hints = slices.Insert(on.hints, n, h)
}

// marked adds the stacks of the marks that end up to a time.
func (f *requestFinder) marked(to int64) {
	f.marks.before(to, func(stream index.Stream, r *index.Record) {
		if on, ok := f.serverOf(r.Goroutine - 1); ok {
			h := hintOf(stream, r)
			h.mark = stream == index.Logs && f.x.Name(r.Name) == MarkCategory
			f.hint(on, h)
		}
	})
}

// applyHints applies the hints about a server up to the end of a span, whose time has the given
// cause and is not counted yet.
func (f *requestFinder) applyHints(sv *server, s *index.Span, cause Cause) {
	for len(sv.hints) > 0 && sv.hints[0].at <= s.To {
		h := sv.hints[0]
		if h.since >= sv.from {
			sv.in(f.sites.of(h.stack))
		}
		if h.mark && h.at >= sv.from {
			sv.confirmed, sv.marked, sv.markedTimes = true, h.at, sv.times
			sv.markedTimes[cause] += time.Duration(max(h.at-s.From, 0))
		}
		sv.hints = sv.hints[1:]
		f.hints--
	}
}

// span follows a server's goroutine.
func (f *requestFinder) span(sv *server, s index.Span) {
	p := site{}
	if s.Code != index.Running && (s.Code != index.Runnable || s.With == 0) {
		p = f.sites.of(s.Stack) // its own, not that of another goroutine that woke it
	}
	waits := s.Code >= index.Waiting
	calls := s.Code == index.Syscall || s.Code == index.SyscallBlocked
	switch {
	case sv.whole:
	case waits && (p.stops || p.idle || p.between && f.x.Code(s.Code) == "network"):
		if p.idle && f.x.Kinds()[sv.g.Kind].Name != streamWorker {
			sv.waited = false // fasthttp's worker has seen its connection end
		}
		f.answered(sv, s.From)
		*sv = sv.next(s.To)
		sv.waited = !p.stops && !p.handshake
		return
	case calls && p.between && sv.confirmed:
		// It reads the next request, which has already arrived.
		f.answered(sv, s.From)
		*sv = sv.next(s.From)
		sv.waited = !isWorker(f.x.Kinds()[sv.g.Kind].Name) // each of whose waits begins with such a call
		sv.onlyRead = true
	case calls && p.between && f.x.Kinds()[sv.g.Kind].Name == httpConn:
		sv.onlyRead = true // and has an answer to write, if it finds a request
	case waits, calls && !p.between:
		sv.onlyRead = false
	}
	for len(sv.reads) > 0 && sv.reads[0] <= s.To {
		at := sv.reads[0]
		sv.reads = sv.reads[1:]
		if at < sv.from {
			continue
		}
		if sv.read && at >= s.From {
			// A request has one background read: this one is the next request's, which had been
			// read with the previous one.
			sv.times[causeOf(s.Code, f.x.Code(s.Code), p)] += time.Duration(at - s.From)
			f.answered(sv, at)
			*sv = sv.next(at)
			s.From = at
		}
		sv.confirmed, sv.read = true, true
	}
	for len(sv.seen) > 0 && sv.seen[0].at <= s.To {
		if sv.seen[0].at >= sv.from {
			sv.in(f.sites.of(sv.seen[0].stack))
		}
		sv.seen = sv.seen[1:]
	}
	cause := causeOf(s.Code, f.x.Code(s.Code), p)
	f.applyHints(sv, &s, cause)
	sv.in(p)
	if s.Code == index.Running {
		sv.ran = true
	}
	sv.times[cause] += time.Duration(s.To - s.From)
}

// answered ends the request that may be open.
func (f *requestFinder) answered(sv *server, at int64) {
	if !sv.open || sv.switched || !sv.confirmed && !(sv.waited && sv.ran && !sv.onlyRead) {
		return
	}
	if sv.unknown {
		f.result.Open++
		return
	}
	if sv.profiling {
		f.result.Profiling++
		return
	}
	name := cmp.Or(f.sites.class(sv.handler), Unnamed)
	if f.wanted(name, at) {
		f.result.Count++
		f.add(name, false, &Request{Goroutine: sv.g.Index, From: sv.from, To: at, Times: sv.times})
	}
}

// add counts a request or task.
func (f *requestFinder) add(class string, task bool, r *Request) {
	f.classes.add(class, task, r)
	if f.o.Each != nil {
		f.o.Each(class, r)
	}
}

// wanted reports whether the options include a request of a class that ended at a time.
func (f *requestFinder) wanted(name string, at int64) bool {
	return at >= f.o.From && at <= f.o.To && (f.o.Class == nil || f.o.Class.MatchString(name))
}

// end ends a server's goroutine.
func (f *requestFinder) end(sv *server) {
	if !sv.open || !sv.confirmed || sv.switched {
		return // a connection that was closed, or waits
	}
	switch {
	case sv.g.Ended:
		f.answered(sv, sv.g.To)
	case sv.marked > 0:
		// The handler has returned, but the trace ends before the goroutine has written the answer.
		sv.times = sv.markedTimes
		f.answered(sv, sv.marked)
	default:
		f.result.Open++
	}
}
