package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/unit"
)

// EngineChoice says why a run had its engine.
type EngineChoice struct {
	Why EngineWhy `json:"why"`
	// Text is the reason, for people to read.
	Text string `json:"text"`
	// At is when measuring had decided, from the start of the run on, warmup included; 0 when
	// nothing was decided.
	At time.Duration `json:"at_ns,omitempty"`
	// Measured holds what each engine did in its windows; empty when they were not compared.
	// The requests in them are those of the run: none was sent for comparing alone.
	Measured []EngineMeasure `json:"measured,omitempty"`
}

// EngineWhy is the kind of reason for an engine.
type EngineWhy string

// The kinds of reasons.
const (
	EngineAsked    EngineWhy = "asked"    // by Options.Engine
	EngineMeasured EngineWhy = "measured" // it did better in this run
	EngineOnly     EngineWhy = "only"     // those before it do not work here
	EngineDefault  EngineWhy = "default"  // they were not compared
)

// EngineMeasure is what an engine did in the windows of a comparison.
type EngineMeasure struct {
	Engine        Engine        `json:"engine"`
	Windows       int           `json:"windows"`
	Elapsed       time.Duration `json:"elapsed_ns"`
	Rate          float64       `json:"rate"`               // answers a second: the windows' median
	RateError     float64       `json:"rate_error"`         // standard error of Rate
	CPUPerRequest time.Duration `json:"cpu_per_request_ns"` // of the thread that measures
}

// Engines are compared on the connections of the first worker, in windows of which
// trialCycles are of each: long enough to tell a few percent on a quiet machine, and
// short enough that the worse engine's share costs a long run nothing.
const (
	trialCycles = 16
	// trialRate is the answers a second from which on engines are compared: below, either
	// has nothing to do most of the time.
	trialRate = 2000
	// mostMoved bounds the connections that a worker moves between engines. One costs some
	// microseconds.
	mostMoved = 1024
	// io_uring stays unless epoll has gained of its rate, and more than twice the standard
	// error, or costs less than epollCheaper of its CPU time and is not slower.
	gained       = 1.03
	epollCheaper = 0.9
)

// unmeasured returns why engines are not to be compared in a run, or "".
func (g *generator) unmeasured() string {
	switch {
	case g.open != nil:
		return "requests are sent at given times"
	case g.OneByOne:
		return "the run is to be comparable with others"
	case g.NoKeepAlive:
		return "connections are not kept"
	case g.Connections > mostMoved*g.loops():
		return "there are too many connections to move between engines"
	}
	return ""
}

// choice returns the run's engine and why it has it.
func (g *generator) choice() (Engine, *EngineChoice) {
	c := g.chosen
	e := g.engine
	if d := g.decided.Load(); d != nil {
		e = *d
	}
	if !g.choosing {
		return e, &c
	}
	left, n := int(g.onEpoll.Load()), len(g.workers)
	on := Epoll
	if e == Epoll {
		left, on = n-left, IOUring
	}
	if left > 0 {
		c.Text += fmt.Sprintf("; the connections of %d of %d workers were left on %s", left, n, on)
	}
	return e, &c
}

// decide returns the better of two engines that were measured, and why it is.
func decide(ring, ready EngineMeasure) (Engine, string) {
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
		return IOUring, fmt.Sprintf("epoll answers no more requests a second than io_uring and takes %.0f%% more CPU time", -100*saved)
	}
	return IOUring, "epoll is not clearly better"
}

// sameAs is the share of a rate that counts as the same.
const sameAs = 0.985

// A measuring is the windows of one engine so far.
type measuring struct {
	rates        []float64
	elapsed, cpu time.Duration
	answers      int64
}

func (m *measuring) add(answers int64, elapsed, cpu time.Duration) {
	m.rates = append(m.rates, float64(answers)/max(elapsed, 1).Seconds())
	m.elapsed, m.cpu, m.answers = m.elapsed+elapsed, m.cpu+cpu, m.answers+answers
}

// measure sums up. A median, and an error from the median deviation, since a neighbour that takes the
// processor for half a second does so in one window, of whichever engine.
func (m *measuring) measure(e Engine) EngineMeasure {
	rate := median(m.rates)
	var off []float64
	for _, r := range m.rates {
		off = append(off, math.Abs(r-rate))
	}
	// For a normal distribution: of the deviation, 1.4826 times the median one; of the error
	// of a median, 1.2533 times that of the mean.
	deviation := 1.4826 * 1.2533 * median(off) / math.Sqrt(float64(len(m.rates)))
	return EngineMeasure{
		Engine: e, Windows: len(m.rates), Elapsed: m.elapsed, Rate: rate, RateError: deviation,
		CPUPerRequest: m.cpu / time.Duration(max(m.answers, 1)),
	}
}

// median is that of one value at least.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// String says in one line why the run had its engine, with what was measured.
func (c *EngineChoice) String() string {
	var b strings.Builder
	b.WriteString(c.Text)
	if len(c.Measured) > 0 {
		b.WriteString(" (")
		for i, m := range c.Measured {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %.0f/s at %s", m.Engine, m.Rate, unit.Duration(m.CPUPerRequest))
		}
		fmt.Fprintf(&b, ", %d windows each)", c.Measured[0].Windows)
	}
	return b.String()
}
