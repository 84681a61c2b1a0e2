package worker

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// An Engine is the implementation that sends and receives.
type Engine string

// Engines. The first two exist on Linux only.
const (
	IOUring Engine = "io_uring"
	Epoll   Engine = "epoll"
	NetHTTP Engine = "net/http"
)

// A Choice is the engine that a run used, and why.
type Choice struct {
	Engine Engine
	Why    Why
	Text   string // the reason in words
	// At is when the comparison was decided, counted from the start of the run; 0 when there was no
	// comparison.
	At       time.Duration
	Measured []Measurement // of each engine; empty when engines were not compared
}

// Why is the kind of reason for an engine.
type Why string

// Reasons for an engine.
const (
	Requested Why = "asked"    // by the caller
	Measured  Why = "measured" // it did better in this run
	Only      Why = "only"     // engines preferred over it do not work here
	Default   Why = "default"  // they were not compared
)

// A Measurement is what an engine did in the windows of a comparison.
type Measurement struct {
	Engine        Engine
	Windows       int
	Elapsed       time.Duration
	Rate          float64       // answers per second: the median over the windows
	RateError     float64       // standard error of Rate
	CPUPerRequest time.Duration // of the measuring thread
}

// Engines are compared on the connections of the first worker, with trialCycles windows each: long
// enough to detect a difference of a few percent on an idle machine, short enough not to affect a
// long run.
const (
	trialCycles = 16
	// trialRate is the minimum rate, in answers per second, at which engines are compared: below
	// it, both are mostly idle.
	trialRate = 2000
	// maxMoved bounds the connections that a worker moves between engines. Moving one costs some
	// microseconds.
	maxMoved = 1024
	// io_uring is used unless the rate of epoll is higher by this factor and by more than twice the
	// standard error, or epoll uses less than epollCheaper of its CPU time without being slower.
	gained       = 1.03
	epollCheaper = 0.9
)

// unmeasured returns why engines must not be compared in a run, or "".
func (g *Group) unmeasured() string {
	switch {
	case g.Arrivals != nil:
		return "the open model sends requests at fixed times"
	case g.OneByOne:
		return "the run must be comparable with others"
	case g.NoKeepAlive:
		return "connections are not kept alive"
	case g.Connections > maxMoved*g.loops():
		return "there are too many connections to move between engines"
	}
	return ""
}

// Choice returns the engine that the run used and the reason for it. It must be called after the
// workers have ended.
func (g *Group) Choice() Choice {
	c := g.chosen
	c.Engine = g.engine
	if d := g.decided.Load(); d != nil {
		c.Engine = *d
	}
	if !g.choosing {
		return c
	}
	left, n := int(g.onEpoll.Load()), len(g.workers)
	on := Epoll
	if c.Engine == Epoll {
		left, on = n-left, IOUring
	}
	if left > 0 {
		c.Text += fmt.Sprintf("; the connections of %d of %d workers were left on %s", left, n, on)
	}
	return c
}

// decide returns the better of the two measured engines, and why.
func decide(ring, ready Measurement) (Engine, string) {
	noise := 2 * math.Hypot(ring.RateError, ready.RateError)
	gain := ready.Rate/max(ring.Rate, 1) - 1
	saved := 1 - float64(ready.CPUPerRequest)/max(float64(ring.CPUPerRequest), 1)
	clear := math.Abs(ready.Rate-ring.Rate) > noise
	switch {
	case ring.Rate == 0 || ready.Rate == 0:
		return IOUring, "no answers came while one of the engines was measured"
	case clear && gain > gained-1:
		return Epoll, fmt.Sprintf("epoll answers %.0f%% more requests a second than io_uring", 100*gain)
	case clear && gain < 0:
		return IOUring, fmt.Sprintf("epoll answers %.0f%% fewer requests a second than io_uring", -100*gain)
	case saved > 1-epollCheaper && ready.Rate >= sameAs*ring.Rate:
		return Epoll, fmt.Sprintf("epoll answers as many requests a second as io_uring for %.0f%% less CPU time", 100*saved)
	case saved < 0:
		return IOUring, fmt.Sprintf("epoll answers no more requests a second than io_uring and takes %.0f%% more CPU time",
			-100*saved)
	}
	return IOUring, "epoll is not clearly better"
}

// sameAs is the share of a rate that counts as equal.
const sameAs = 0.985

// A measuring holds the windows of one engine so far.
type measuring struct {
	rates        []float64
	elapsed, cpu time.Duration
	answers      int64
}

func (m *measuring) add(answers int64, elapsed, cpu time.Duration) {
	m.rates = append(m.rates, float64(answers)/max(elapsed, 1).Seconds())
	m.elapsed, m.cpu, m.answers = m.elapsed+elapsed, m.cpu+cpu, m.answers+answers
}

// measure returns the median of the windows, with an error from their median deviation: another
// program that takes the CPU for half a second affects one window of either engine.
func (m *measuring) measure(e Engine) Measurement {
	rate := median(m.rates)
	var off []float64
	for _, r := range m.rates {
		off = append(off, math.Abs(r-rate))
	}
	// For a normal distribution, the standard deviation is 1.4826 times the median deviation, and
	// the error of a median is 1.2533 times that of the mean.
	deviation := 1.4826 * 1.2533 * median(off) / math.Sqrt(float64(len(m.rates)))
	return Measurement{
		Engine: e, Windows: len(m.rates), Elapsed: m.elapsed, Rate: rate, RateError: deviation,
		CPUPerRequest: m.cpu / time.Duration(max(m.answers, 1)),
	}
}

// median requires at least one value.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
