package load

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"
)

// What zero means in [Options].
const (
	DefaultConnections = 8
	DefaultDuration    = 10 * time.Second
	DefaultTimeout     = 10 * time.Second
)

// A Model says when requests are sent.
type Model string

// The models.
const (
	// ModelClosed sends the next request of a connection when the answer to the last
	// one is there: as fast as the answers come.
	ModelClosed Model = "closed"
	// ModelOpen sends requests at times that do not depend on the answers, and
	// measures latency from these times on.
	ModelOpen Model = "open"
)

// Arrivals say how the sending times of the open model are spread.
type Arrivals string

// The kinds of arrivals.
const (
	Constant Arrivals = "constant" // equal gaps
	Poisson  Arrivals = "poisson"  // exponentially distributed gaps, as of many independent callers
)

// A Protocol is the version of HTTP that is spoken.
type Protocol string

// The protocols.
const (
	HTTP1 Protocol = "http/1.1"
	HTTP2 Protocol = "http/2" // for http addresses with prior knowledge (h2c)
)

// An Engine is what moves the bytes.
type Engine string

// The engines. The first two exist on Linux only.
const (
	IOUring Engine = "io_uring" // batched system calls, one event loop a worker
	Epoll   Engine = "epoll"    // readiness events, one event loop a worker
	NetHTTP Engine = "net/http" // Go's own client, one goroutine a connection
)

// A Target is one request that can be sent.
type Target struct {
	// Name is what the target is called in results and objectives. Targets of the same
	// name are one row of the table of targets. Empty means none.
	Name string
	// Method is the HTTP method; empty means Options.Method.
	Method string
	// URL is an absolute http or https address, with its query. User information
	// in it becomes Basic authentication.
	URL string
	// Header is sent after Options.Header; entries of the same name replace those
	// of Options.Header. A Host entry sets the request's host.
	Header http.Header
	// Body is sent with the request; nil means Options.Body, empty means none.
	Body []byte
	// Weight is the share of this target among all: a target of weight 3 is sent
	// three times as often as one of weight 1. 0 means 1.
	Weight int
}

// Variables are values that are put into requests in place of {{name}}, in the
// path and query of addresses (escaped as the place demands), in header values and
// in bodies. Each request takes the next row; after the last comes the first.
type Variables struct {
	Names []string
	Rows  [][]string // each as long as Names
}

// Options say what to send, where and for how long. Only URL or Targets are
// required.
type Options struct {
	// URL is the address that is requested: http or https, with its query.
	URL string
	// Targets are requests to send in turn, by weight, on each connection; URL, if
	// set, comes before them. All must be of one host and scheme when Protocol is
	// HTTP2 or Socket is set; otherwise each connection serves one host, and
	// connections are spread over the hosts by weight.
	Targets []Target
	// Variables fill in placeholders of targets; nil means that {{ is ordinary text.
	Variables *Variables
	// Method is the HTTP method; empty means GET.
	Method string
	// Header is sent with every request. A Host entry sets the request's host.
	Header http.Header
	// Body is sent with every request; nil means none.
	Body []byte

	// Connections is the number of connections; 0 means [DefaultConnections].
	// Without Streams it is the number of requests in flight.
	Connections int
	// Streams is the number of requests in flight on each connection of HTTP2; 0
	// means 1. It must be 0 or 1 for HTTP1.
	Streams int
	// Duration bounds the measured part of the run. 0 means no bound when
	// Requests is set, and [DefaultDuration] otherwise.
	Duration time.Duration
	// Requests is the number of measured requests to send; 0 means as many as
	// Duration allows. Failed requests count.
	Requests int64
	// Warmup is a time before the measured part whose requests are sent but
	// not counted.
	Warmup time.Duration
	// Timeout bounds one request from its first byte sent to the last byte of
	// its answer, connecting included; 0 means [DefaultTimeout].
	Timeout time.Duration

	// Rate is the number of requests a second of the open model; 0 means the
	// closed model.
	Rate float64
	// RampTo, if not 0, is the rate that is reached in even steps at the end of
	// Ramp, and kept from there on.
	RampTo float64
	// Ramp is how long it takes from Rate to RampTo; 0 means the whole Duration.
	Ramp time.Duration
	// Arrivals spread the requests of the open model; empty means [Constant].
	Arrivals Arrivals
	// Seed makes Poisson arrivals repeatable; 0 means another one each time.
	Seed uint64

	// Protocol is the version of HTTP; empty means [HTTP1].
	Protocol Protocol
	// NoKeepAlive opens a connection for each request. It is for HTTP1.
	NoKeepAlive bool
	// Socket is the path of a Unix socket to which all connections go; the host of
	// the addresses is then only a name. Empty means TCP.
	Socket string
	// Resolve maps "host:port" of an address to the "address:port" that is dialled
	// for it; the host stays what it is in requests and certificates. nil means
	// none.
	Resolve map[string]string
	// TLS configures https connections; nil means the system's roots. It is
	// cloned.
	TLS *tls.Config
	// AllowHosts are the hosts, as they stand in the addresses without their ports,
	// that may be loaded though they are not on this machine's loopback interface. A
	// closed load takes whatever a server can give, so it is never pointed at
	// somebody else's server by a slip of the hand.
	AllowHosts []string

	// TargetCPU, if set, returns the processor time that the target has used so far, and
	// is asked at both ends of the measured part. nil means that of the process of
	// this machine that listens at the address, where that can be found out.
	TargetCPU func(context.Context) (time.Duration, error)

	// Engine moves the bytes. Empty means the one that is best here: in the closed model
	// io_uring and epoll are compared on the run's own requests for about a quarter of a second,
	// soon after its start; [EngineChoice] says what came of it. Otherwise it is io_uring, or the
	// first of [Epoll] and [NetHTTP] that works.
	Engine Engine
	// Workers is the number of event loops; 0 means as many as are useful without
	// taking the target's processors: one, or a quarter of the processors. It
	// does not apply to [NetHTTP].
	Workers int
	// OneByOne has every answer read as it comes. Otherwise the closed model on [IOUring] may
	// read several at once where that saves CPU time or brings rate, which it finds out
	// while it runs: two short runs may differ by that.
	OneByOne bool

	// Progress, if set, is called about once a second of the measured part, and for what
	// is left of one at its end,
	// from the goroutine that called Run. It must not block for long.
	Progress func(Progress)
}

// Progress is the state of a run while it goes on.
type Progress struct {
	Second                 // the one that has just ended
	Elapsed  time.Duration // since the start of the measured part
	Latency  Latency       // of all answers so far
	Errors   Errors        // so far
	Requests int64         // so far
	// Bars is the distribution of the latencies so far over equal steps of their
	// logarithm, for drawing; empty without answers.
	Bars []Bar
}

// A Bar counts the answers whose latency is at most Upper and above the Upper of
// the bar before.
type Bar struct {
	Upper time.Duration `json:"upper_ns"`
	Count int64         `json:"count"`
}

// Error is a load that could not be run, or that was run and got no answer at
// all.
type Error struct {
	Op      string // what was being done
	Subject string // to which address or option
	Err     error  // why it did not work
	Advice  string // what to do next; may be empty
}

// Error returns "op subject: cause".
func (e *Error) Error() string { return e.Op + " " + e.Subject + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the next step for the person who asked for the load, or "".
func (e *Error) Hint() string { return e.Advice }

// ErrRemote is the cause when a target is not on the loopback interface and
// [Options.AllowHosts] does not name it.
var ErrRemote = errors.New("not a loopback address")

const remoteAdvice = "only loopback addresses are loaded unless the load is explicitly allowed to leave this machine; allow it only for a server you are responsible for"
