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
	Goroutine uint32 // index
	Class     uint32 // number in Result.Classes
	From, To  int64  // nanoseconds since the trace's begin
	// Times are what it was spent on; together To - From.
	Times [causes]time.Duration
}

// Latency is how long a request took.
func (r *Request) Latency() time.Duration { return time.Duration(r.To - r.From) }

// Largest is what most of a request was spent on.
func (r *Request) Largest() (Cause, time.Duration) {
	most := Running
	for c, t := range r.Times {
		if t > r.Times[most] {
			most = Cause(c)
		}
	}
	return most, r.Times[most]
}

// A Class is the requests with one handler.
type Class struct {
	Name               string // of the handler's function, or the task's type
	Count              int
	P50, P90, P99, Max time.Duration
	// Middle and Slow are what requests are spent on, on average: those between the quantiles of 40 and
	// 60 %, and those from that of 99 % on.
	Middle, Slow [causes]time.Duration
	Slowest      []*Request // the slowest first, Options.Slowest of them
}

// Result is what a trace tells about requests.
type Result struct {
	Classes []Class // the most time first
	Count   int
	Dropped int // requests beyond Options.Max
	// Open counts requests that had begun before the trace, or had not ended when it did: they are not
	// in Classes.
	Open int
}

// Options choose what is looked at.
type Options struct {
	From, To int64          // only requests that end within; To 0 is the trace's end
	Class    *regexp.Regexp // only classes that match; nil: all
	Slowest  int            // how many are kept of each class; 0 is 5
	Max      int            // requests; 0 is 4 million
}

// unnamed is the class of requests whose handler no stack shows: it neither waited nor was preempted.
const unnamed = "(handler not seen)"

// Find finds the requests of a trace.
func Find(x *index.Index, o Options) (*Result, error) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	f := &finder{
		x: x, o: o, result: &Result{}, servers: map[uint32]*server{}, classes: map[string]uint32{}, places: map[uint32]place{},
		most: cmp.Or(o.Max, 4_000_000),
	}
	if err := f.goroutines(); err != nil {
		return nil, err
	}
	if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if sv := f.servers[s.Goroutine]; sv != nil {
			f.span(sv, &s)
		}
		return true
	}); err != nil {
		return nil, err
	}
	for _, sv := range f.servers {
		f.end(sv)
	}
	f.summarise(cmp.Or(o.Slowest, 5))
	return f.result, nil
}

// A server is a goroutine that answers requests.
type server struct {
	g     *index.Goroutine
	whole bool    // it is one request
	reads []int64 // when its background reads began, those that are still to come

	// The request that may have begun.
	open    bool
	from    int64
	waited  bool // it began behind a wait for the next request, and not behind an answer
	sure    bool // a background read or a handler's stack was seen
	ran     bool
	unknown bool // it began before the trace
	handler string
	times   [causes]time.Duration
}

type finder struct {
	x       *index.Index
	o       Options
	result  *Result
	servers map[uint32]*server
	places  map[uint32]place // by stack
	classes map[string]uint32
	names   []string
	all     []Request
	most    int
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

func (f *finder) place(stack uint32) place {
	p, ok := f.places[stack]
	if !ok {
		p = placeOf(f.x.Stack(stack))
		f.places[stack] = p
	}
	return p
}

// span follows a server's goroutine.
func (f *finder) span(sv *server, s *index.Span) {
	p := place{}
	if s.Code != index.Running && s.Code != index.Runnable {
		p = f.place(s.Stack)
	}
	waits := s.Code >= index.Waiting
	calls := s.Code == index.Syscall || s.Code == index.SyscallBlocked
	switch {
	case sv.whole:
	case waits && (p.stops || p.between && f.x.Code(s.Code) == "network"):
		f.answered(sv, s.From)
		*sv = server{g: sv.g, reads: sv.reads, open: true, from: s.To, waited: !p.stops}
		return
	case calls && p.between && sv.sure:
		// It reads the next request, which is there already.
		f.answered(sv, s.From)
		*sv = server{g: sv.g, reads: sv.reads, open: true, from: s.From, waited: true}
	}
	for len(sv.reads) > 0 && sv.reads[0] <= s.To {
		if sv.reads[0] >= sv.from {
			sv.sure = true
		}
		sv.reads = sv.reads[1:]
	}
	if p.handler != "" {
		sv.sure, sv.handler = true, p.handler
	}
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
	if at < f.o.From || at > f.o.To {
		return
	}
	name := cmp.Or(sv.handler, unnamed)
	if sv.whole && sv.handler == "" {
		name = f.x.Kinds()[sv.g.Kind].Name
	}
	if f.o.Class != nil && !f.o.Class.MatchString(name) {
		return
	}
	if len(f.all) >= f.most {
		f.result.Dropped++
		return
	}
	class, ok := f.classes[name]
	if !ok {
		class = uint32(len(f.names))
		f.classes[name] = class
		f.names = append(f.names, name)
	}
	f.all = append(f.all, Request{Goroutine: sv.g.Index, Class: class, From: sv.from, To: at, Times: sv.times})
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

// summarise puts requests in classes.
func (f *finder) summarise(slowest int) {
	byClass := make([][]*Request, len(f.names))
	for i := range f.all {
		r := &f.all[i]
		byClass[r.Class] = append(byClass[r.Class], r)
	}
	f.result.Count = len(f.all)
	sums := map[string]time.Duration{}
	for i, list := range byClass {
		slices.SortFunc(list, func(a, b *Request) int {
			return cmp.Or(cmp.Compare(a.Latency(), b.Latency()), cmp.Compare(a.From, b.From))
		})
		n := len(list)
		at := func(q float64) time.Duration { return list[min(int(q*float64(n)), n-1)].Latency() }
		c := Class{Name: f.names[i], Count: n, P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: list[n-1].Latency()}
		c.Middle = mean(list[n*4/10 : max(n*6/10, n*4/10+1)])
		c.Slow = mean(list[min(n*99/100, n-1):])
		for k := range min(slowest, n) {
			c.Slowest = append(c.Slowest, list[n-1-k])
		}
		for _, r := range list {
			sums[c.Name] += r.Latency()
		}
		f.result.Classes = append(f.result.Classes, c)
	}
	slices.SortStableFunc(f.result.Classes, func(a, b Class) int { return cmp.Compare(sums[b.Name], sums[a.Name]) })
	for i := range f.result.Classes {
		for _, r := range byClass[f.classes[f.result.Classes[i].Name]] {
			r.Class = uint32(i)
		}
	}
}

func mean(list []*Request) (times [causes]time.Duration) {
	for _, r := range list {
		for c, t := range r.Times {
			times[c] += t
		}
	}
	for c := range times {
		times[c] /= time.Duration(len(list))
	}
	return times
}
