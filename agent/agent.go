package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Defaults of [Options] and [Recorder].
const (
	// DefaultAddr is on the loopback interface, at the port that Go's documentation uses for
	// net/http/pprof, so that people and tools know where to look. A port chosen by the system
	// would never be taken, but would differ after each start.
	DefaultAddr = "127.0.0.1:6060"
	// DefaultPrefix is where go tool pprof and whet look.
	DefaultPrefix = "/debug/pprof"
	// DefaultBlockRate samples one event per 10 microseconds that a goroutine is blocked: longer
	// waits are all recorded, shorter ones in proportion to their length. It makes a wait about 50
	// ns slower, or 110 ns if each is recorded; see docs/agent.md.
	DefaultBlockRate = 10 * time.Microsecond
	// DefaultMutexFraction samples one of 100 contended unlocks, at a cost too small to measure. An
	// uncontended unlock costs nothing extra.
	DefaultMutexFraction = 100
)

const (
	minToken      = 16 // bytes
	closeTimeout  = 10 * time.Second
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
)

// ErrExposed is wrapped by Start's error if anyone who can reach the address would see the
// profiles.
var ErrExposed = errors.New("address is not on the loopback interface: set Options.Token, Options.TokenFile or a " +
	"TLS config that requires client certificates")

// Options configure [Start]. The zero value serves the profiles at [DefaultAddr], to this machine
// only.
type Options struct {
	// Addr is the address to listen on; empty means [DefaultAddr]. With port 0 the system chooses
	// one; see [Agent.URL]. An address that other machines can reach requires a credential: Token,
	// TokenFile or TLS.
	Addr string
	// Prefix is the path of the index; empty means [DefaultPrefix].
	Prefix string

	// Token, if set, must come with every request as "Authorization: Bearer TOKEN". It must have at
	// least 16 bytes. Without TLS it is sent unencrypted.
	Token string
	// TokenFile names a file that holds the token; surrounding white space is trimmed. It is read
	// once. An empty file is an error.
	TokenFile string
	// TLS, if set, makes the listener use TLS. With ClientAuth tls.RequireAndVerifyClientCert and
	// ClientCAs it is a credential. Start clones it.
	TLS *tls.Config

	// BlockRate is the time that goroutines are blocked, on average, per event in the block
	// profile; 0 means [DefaultBlockRate], negative leaves the program's rate unchanged.
	BlockRate time.Duration
	// MutexFraction is the number of contended unlocks per event in the mutex profile; 0 means
	// [DefaultMutexFraction], negative leaves the program's fraction unchanged.
	MutexFraction int

	// Flight, if not 0, is the minimum time for which the execution trace is kept; PREFIX/flight
	// serves it, and `whet record --flight` records the seconds before now. The cost is that of
	// continuous tracing: see docs/agent.md. A process can have one flight recorder; starting a
	// second is an error.
	Flight time.Duration
	// FlightBytes bounds the size of the trace that is kept; 0 means [DefaultFlightBytes]. It takes
	// precedence over Flight: a busy service keeps less. The runtime treats it as a hint.
	FlightBytes int64

	// ErrorLog receives the HTTP server's errors; nil means the log package's standard logger.
	ErrorLog *log.Logger
}

// Agent serves the profiles of this process until it is closed.
type Agent struct {
	listener net.Listener
	server   *http.Server
	prefix   string
	token    string
	local    bool // no credential: only requests from this machine
	rates    *rates
	flight   *flightRecorder // nil if there is none
	slow     *slowRequests
	cancel   context.CancelFunc // ends running profiles
	served   chan error
	silent   silentConns

	close    sync.Once
	closeErr error
}

// Start starts serving profiles. It returns once the listener is open, so that [Agent.URL] is
// valid; serving continues in the background until [Agent.Close].
func Start(o Options) (*Agent, error) {
	a := &Agent{prefix: strings.TrimSuffix(o.Prefix, "/"), served: make(chan error, 1), slow: newSlowRequests()}
	if a.prefix == "" {
		a.prefix = DefaultPrefix
	}
	if !strings.HasPrefix(a.prefix, "/") || strings.ContainsAny(a.prefix, "{} ") {
		return nil, fmt.Errorf("start agent: invalid prefix %q (want a path that begins with a slash, without braces "+
			"or spaces)", o.Prefix)
	}
	if err := a.credentials(o); err != nil {
		return nil, err
	}
	if err := a.listen(o); err != nil {
		return nil, err
	}
	var err error
	if a.flight, err = startFlight(o); err != nil {
		return nil, errors.Join(err, a.listener.Close())
	}
	a.rates = setRates(o.BlockRate, o.MutexFraction)

	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	a.server = &http.Server{
		Handler:           a.guard(a.routes()),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          o.ErrorLog,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState:         a.silent.track,
	}
	go func() { a.served <- a.server.Serve(a.listener) }()
	return a, nil
}

// credentials reads the token and sets whether there is a credential.
func (a *Agent) credentials(o Options) error {
	a.token = o.Token
	if o.TokenFile != "" {
		if o.Token != "" {
			return errors.New("start agent: both Token and TokenFile are set")
		}
		data, err := os.ReadFile(o.TokenFile)
		if err != nil {
			return fmt.Errorf("start agent: %w", err)
		}
		if a.token = strings.TrimSpace(string(data)); a.token == "" {
			return fmt.Errorf("start agent: token file %s is empty", o.TokenFile)
		}
	}
	if a.token != "" && len(a.token) < minToken {
		return fmt.Errorf("start agent: token has %d bytes, fewer than the minimum of %d", len(a.token), minToken)
	}
	// Without ClientCAs, any certificate signed by a public authority would be accepted.
	clientCert := o.TLS != nil && o.TLS.ClientAuth == tls.RequireAndVerifyClientCert && o.TLS.ClientCAs != nil
	a.local = a.token == "" && !clientCert
	return nil
}

func (a *Agent) listen(o Options) error {
	addr := o.Addr
	if addr == "" {
		addr = DefaultAddr
	}
	// Resolved once, so that the address checked is the address listened on.
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return fmt.Errorf("start agent: %w", err)
	}
	if a.local && !tcp.IP.IsLoopback() {
		return fmt.Errorf("start agent on %s: %w", addr, ErrExposed)
	}
	l, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return fmt.Errorf("start agent: %w", err)
	}
	a.listener = l
	if o.TLS != nil {
		a.listener = tls.NewListener(l, o.TLS.Clone())
	}
	return nil
}

// Addr returns the address that the agent listens on.
func (a *Agent) Addr() net.Addr { return a.listener.Addr() }

// URL returns the address of the index, with a trailing slash: the argument for whet record.
func (a *Agent) URL() string {
	scheme := "http"
	if _, ok := a.listener.(*net.TCPListener); !ok {
		scheme = "https"
	}
	return scheme + "://" + a.Addr().String() + a.prefix + "/"
}

// Close stops serving. Running profiles end early and are sent to their callers; Close waits for
// that, at most 10 seconds. The mutex fraction is restored; the block rate is set to 0, since the
// runtime does not report its previous value. Further calls return the first one's result.
func (a *Agent) Close() error {
	a.close.Do(func() {
		a.cancel()
		a.silent.close()
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		err := a.server.Shutdown(ctx)
		if err != nil {
			err = errors.Join(err, a.server.Close())
		}
		if serveErr := <-a.served; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}
		a.flight.stop()
		a.rates.restore()
		if err != nil {
			a.closeErr = fmt.Errorf("close agent: %w", err)
		}
	})
	return a.closeErr
}

// silentConns are the connections that have not sent anything yet. Clients open some ahead of need,
// and [http.Server.Shutdown] waits 5 seconds for them.
type silentConns struct {
	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
}

// track is an [http.Server.ConnState].
func (s *silentConns) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.closed:
		_ = c.Close()
	default:
		if s.conns == nil {
			s.conns = map[net.Conn]struct{}{}
		}
		s.conns[c] = struct{}{}
	}
}

// close closes the silent connections, and any that follow.
func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		_ = c.Close()
	}
}

// rates are the two sampling rates that exist once per process.
type rates struct {
	block    time.Duration // 0: unchanged
	fraction int           // 0: unchanged
	before   int           // the previous mutex fraction
}

func setRates(block time.Duration, fraction int) *rates {
	r := &rates{}
	if block == 0 {
		block = DefaultBlockRate
	}
	if block > 0 {
		r.block = block
		runtime.SetBlockProfileRate(int(block))
	}
	if fraction == 0 {
		fraction = DefaultMutexFraction
	}
	if fraction > 0 {
		r.fraction = fraction
		r.before = runtime.SetMutexProfileFraction(fraction)
	}
	return r
}

func (r *rates) restore() {
	if r.block > 0 {
		runtime.SetBlockProfileRate(0)
	}
	if r.fraction > 0 {
		runtime.SetMutexProfileFraction(r.before)
	}
}
