package load

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// Defaults for zero fields of [Options].
const (
	DefaultConnections = 8
	DefaultDuration    = 10 * time.Second
	DefaultTimeout     = 10 * time.Second
)

// A Model determines when requests are sent.
type Model string

// The models.
const (
	// ModelClosed sends the next request of a connection when the previous one is answered, and so
	// as fast as the server answers.
	ModelClosed Model = "closed"
	// ModelOpen sends requests at times that do not depend on the answers, and measures latency
	// from those times.
	ModelOpen Model = "open"
)

// Arrivals is the distribution of the sending times of the open model.
type Arrivals string

// Distributions of arrivals.
const (
	Constant Arrivals = "constant" // equal gaps
	Poisson  Arrivals = "poisson"  // exponentially distributed gaps, as from many independent callers
)

// A Protocol is a version of HTTP.
type Protocol string

// The protocols.
const (
	HTTP1 Protocol = "http/1.1"
	HTTP2 Protocol = "http/2" // for http addresses with prior knowledge (h2c)
)

// An Engine is the implementation that sends and receives.
type Engine string

// Engines. The first two exist on Linux only.
const (
	IOUring Engine = "io_uring" // batched system calls, one event loop per worker
	Epoll   Engine = "epoll"    // readiness events, one event loop per worker
	NetHTTP Engine = "net/http" // Go's own client, one goroutine per connection
)

// A Target is a request to send.
type Target struct {
	// Name identifies the target in results and objectives. Targets with the same name share a row
	// in the table of targets. Empty means no name.
	Name string
	// Method is the HTTP method; empty means Options.Method.
	Method string
	// URL is an absolute http or https address, with its query. User information becomes Basic
	// authentication.
	URL string
	// Header is sent after Options.Header; entries of the same name replace those of
	// Options.Header. A Host entry sets the request's host.
	Header http.Header
	// Body is sent with the request; nil means Options.Body, empty means none.
	Body []byte
	// Weight is the share of this target among all: a target of weight 3 is sent three times as
	// often as one of weight 1. 0 means 1.
	Weight int
}

// Variables are values that replace {{name}} in requests: in the path and query of addresses
// (escaped as required), in header values and in bodies. Each request takes the next row, and the
// first row follows the last.
type Variables struct {
	Names []string
	Rows  [][]string // each as long as Names
}

// Options configure Run: what to send, where and for how long. Only URL or Targets is required.
type Options struct {
	// URL is the address to request: http or https, with its query.
	URL string
	// Targets are requests to send in turn, by weight, on each connection; URL, if set, comes
	// before them. All must have one host and scheme when Protocol is HTTP2 or Socket is set;
	// otherwise each connection serves one host, and connections are spread over the hosts by
	// weight.
	Targets []Target
	// Variables fill in placeholders of targets; nil means that {{ is ordinary text.
	Variables *Variables
	// Method is the HTTP method; empty means GET.
	Method string
	// Header is sent with every request. A Host entry sets the request's host.
	Header http.Header
	// Body is sent with every request; nil means none.
	Body []byte

	// Connections is the number of connections; 0 means [DefaultConnections]. Without Streams it is
	// also the number of requests in flight.
	Connections int
	// Streams is the number of requests in flight on each HTTP2 connection; 0 means 1. It must be 0
	// or 1 for HTTP1.
	Streams int
	// Duration bounds the measured part of the run. 0 means no bound when Requests is set, and
	// [DefaultDuration] otherwise.
	Duration time.Duration
	// Requests is the number of measured requests to send, failed ones included; 0 means as many as
	// Duration allows.
	Requests int64
	// Warmup is the time before the measured part. Its requests are sent but not counted.
	Warmup time.Duration
	// Timeout bounds one request, from its first byte sent to the last byte of its answer,
	// connecting included; 0 means [DefaultTimeout].
	Timeout time.Duration

	// Rate is the number of requests per second in the open model; 0 means the closed model.
	Rate float64
	// RampTo, if not 0, is the rate at the end of Ramp and after it; during Ramp the rate changes
	// linearly.
	RampTo float64
	// Ramp is the time in which the rate goes from Rate to RampTo; 0 means all of Duration.
	Ramp time.Duration
	// Arrivals is the distribution of sending times in the open model; empty means [Constant].
	Arrivals Arrivals
	// Seed makes Poisson arrivals repeatable; 0 means a new seed for each run.
	Seed uint64

	// Protocol is the version of HTTP; empty means [HTTP1].
	Protocol Protocol
	// NoKeepAlive opens a connection for each request. HTTP1 only.
	NoKeepAlive bool
	// Socket is the path of a Unix socket for all connections; the host of an address is then only
	// sent in requests. Empty means TCP.
	Socket string
	// Resolve maps "host:port" of an address to the "address:port" to dial; requests and
	// certificates keep the host. nil means none.
	Resolve map[string]string
	// TLS configures https connections; nil means the system's roots. It is cloned.
	TLS *tls.Config
	// AllowHosts are the hosts, as written in the addresses without their ports, that may be loaded
	// although they are not on the loopback interface. By default only loopback hosts may be
	// loaded, so that a typo never loads a third party's server.
	AllowHosts []string

	// TargetCPU, if set, returns the CPU time that the target has used so far; it is called at both
	// ends of the measured part. nil means the local process that listens at the address, if it can
	// be found.
	TargetCPU func(context.Context) (time.Duration, error)

	// Engine selects the engine. Empty means the best one here: in the closed model, io_uring and
	// epoll are compared on the run's own requests for about a quarter of a second soon after the
	// start, and [EngineChoice] reports the outcome. Otherwise it is io_uring, or else the first of
	// [Epoll] and [NetHTTP] that works.
	Engine Engine
	// Workers is the number of event loops; 0 means as many as help without taking CPUs from the
	// target: one, or a quarter of the CPUs. It does not apply to [NetHTTP].
	Workers int
	// OneByOne reads every answer as it comes. Otherwise the closed model on [IOUring] may read
	// several at once if that saves CPU time or raises the rate. It measures that during the run,
	// so two short runs may differ because of it.
	OneByOne bool

	// Progress, if set, is called about once a second during the measured part, and once for the
	// remainder at its end, from the goroutine that called Run. It must not block for long.
	Progress func(Progress)
}

// A Progress is the state of a run in progress.
type Progress struct {
	Second                 // the second that has just ended
	Elapsed  time.Duration // since the start of the measured part
	Latency  Latency       // of all answers so far
	Errors   Errors        // so far
	Requests int64         // so far
	// Bars is the distribution of the latencies so far in equal logarithmic steps, for drawing;
	// empty without answers.
	Bars []Bar
}

// A Bar counts the answers with a latency of at most Upper and above the Upper of the previous bar.
type Bar struct {
	Upper time.Duration `json:"upper_ns"`
	Count int64         `json:"count"`
}

// An Error reports a load that could not be run, or that got no answer at all. Its Hint is what to
// do next.
type Error = diag.Error

// ErrRemote is wrapped by Run's error if a target is not on the loopback interface and
// [Options.AllowHosts] does not list it.
var ErrRemote = errors.New("not a loopback address")

// Name returns a short name of the load, without passwords: the first address and the number of
// others.
func (o Options) Name() string {
	first, n := o.URL, len(o.Targets)
	if first == "" && n > 0 {
		first, n = o.Targets[0].URL, n-1
	}
	if u, err := url.Parse(first); err == nil {
		first = u.Redacted()
	} else {
		first = "the target"
	}
	if n > 0 {
		first += fmt.Sprintf(" and %d more", n)
	}
	return first
}
