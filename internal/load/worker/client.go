package worker

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/internal/load/request"
	"github.com/whet-go/whet/internal/load/workload"
)

// clients holds the connections of one host in the NetHTTP engine: Go's own client, for systems
// without an event loop.
type clients struct {
	*Group
	host *workload.Host
	at   int // index of the host

	mu       sync.Mutex
	schedule *workload.Schedule // nil means the closed model
	picker   workload.Picker
}

// bodyBuffer is the size of one read of an answer's body.
const bodyBuffer = 16 << 10

// clientShards is the number of recorder shards that connections share.
func (g *Group) clientShards() int {
	return min(g.Connections*g.Streams, 2*runtime.GOMAXPROCS(0))
}

func newClients(g *Group) []worker {
	var ws []worker
	for i, h := range g.Hosts {
		c := &clients{Group: g, host: h, at: i, picker: workload.NewPicker(h, 0, 1)}
		if g.Arrivals != nil {
			c.schedule = workload.NewSchedule(g.Arrivals, g.Warmup, g.End, g.seed(i), h.Share, 0, 1)
		}
		ws = append(ws, c)
	}
	return ws
}

// prepare does nothing: net/http connects with the first request.
func (c *clients) prepare(context.Context) {}

func (c *clients) run(ctx context.Context) {
	// Requests in flight at the end may use up their timeout, but no more.
	if end := c.End; end != workload.Never {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, c.start.Add(end+c.Timeout+lateTimeouts))
		defer cancel()
	}
	// All start together, so that the first does not send all requests before the last is ready.
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range c.host.Connections {
		g := &guard{most: maxUseless + int64(c.Streams)*maxBuffered}
		t := c.transport(ctx, g, c.rec.Shard(i%c.rec.Shards()))
		defer t.CloseIdleConnections()
		for k := range c.Streams {
			wg.Go(func() {
				s := &stream{
					clients: c, transport: t, guard: g,
					shard: c.rec.Shard((i*c.Streams + k) % c.rec.Shards()),
					buf:   make([]byte, bodyBuffer),
				}
				<-begin
				s.run(ctx)
			})
		}
	}
	close(begin)
	wg.Wait()
}

// transport returns a transport for one connection, guarded by g. Connection times are recorded in
// shard.
func (c *clients) transport(ctx context.Context, g *guard, shard *record.Shard) *http.Transport {
	dialer := &net.Dialer{Timeout: c.Timeout}
	t := &http.Transport{
		// The run's context, not the request's: the transport lets a dial outlive its request, but
		// it must not outlive the run.
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			begin := c.now()
			conn, err := dialAny(ctx, dialer, c.host.Addresses)
			if err != nil {
				return nil, err
			}
			c.connects.Add(1)
			shard.Connected(c.now() - begin)
			return &guardedConn{conn, g}, nil
		},
		TLSClientConfig:     c.TLS.Clone(),
		TLSHandshakeTimeout: c.Timeout,
		DisableCompression:  true,
		DisableKeepAlives:   c.NoKeepAlive,
		MaxIdleConnsPerHost: 1,
		MaxConnsPerHost:     1,
		Protocols:           new(http.Protocols),
		// The same limit as in the event loops.
		MaxResponseHeaderBytes: 1 << 20,
	}
	switch {
	case !c.HTTP2:
		t.Protocols.SetHTTP1(true)
	case c.host.Scheme == "https":
		t.Protocols.SetHTTP2(true)
	default:
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	return t
}

// dialAny connects to the first address that answers.
func dialAny(ctx context.Context, dialer *net.Dialer, addresses []net.Addr) (net.Conn, error) {
	var failed error
	for _, a := range addresses {
		conn, err := dialer.DialContext(ctx, a.Network(), a.String())
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

// A ticket is the right to send one request.
type ticket struct {
	intended time.Duration
	measured bool
	waited   bool // no connection was free at the intended time
	endpoint *workload.Endpoint
	row      int
}

// take returns the next ticket, in the open model before it is due; ok is false when there are none
// left.
func (c *clients) take() (t ticket, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.intended = c.now()
	if c.schedule != nil {
		due := c.schedule.Next()
		if due == workload.Never {
			return t, false
		}
		c.schedule.Advance()
		t.waited = due < t.intended
		t.intended = due
	}
	if t.measured, ok = c.admit(t.intended); ok {
		t.endpoint, t.row = c.picker.Next()
	}
	return t, ok
}

// stream sends one request after another.
type stream struct {
	*clients
	transport      *http.Transport
	guard          *guard
	shard          *record.Shard
	buf            []byte
	request        request.Request
	gotConn        atomic.Int64 // connections that the current request was sent on
	wrote          atomic.Int64 // when it was last written
	first          atomic.Int64 // when the first byte of its answer came; 0 before that
	handshakeStart atomic.Int64 // when its TLS handshake began
}

func (s *stream) run(ctx context.Context) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			s.gotConn.Add(1)
			s.wrote.Store(int64(s.now()))
		},
		GotFirstResponseByte: func() { s.first.CompareAndSwap(0, int64(s.now())) },
		TLSHandshakeStart:    func() { s.handshakeStart.Store(int64(s.now())) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err == nil {
				s.shard.Handshake(s.now() - time.Duration(s.handshakeStart.Load()))
			}
		},
	})
	pause := firstPause
	for ctx.Err() == nil {
		t, ok := s.take()
		if !ok {
			return
		}
		if !wait(ctx, t.intended-s.now()) {
			if t.measured {
				s.shard.CutOff(1)
			}
			return
		}
		switch k, failed := s.send(ctx, t); {
		case !failed:
			pause = firstPause
		case k == record.Connect && s.schedule == nil:
			wait(ctx, pause)
			pause = min(2*pause, lastPause)
		}
	}
}

// wait reports whether d elapsed before ctx was canceled.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends one request, reads its answer and records it if it is measured.
func (s *stream) send(run context.Context, t ticket) (k record.Kind, failed bool) {
	ctx, cancel := context.WithTimeout(run, s.Timeout)
	defer cancel()
	t.endpoint.Template.Expand(&s.request, t.row)
	req, err := httpRequest(ctx, &s.request)
	if err != nil {
		s.shard.Failure(t.endpoint.Row, record.Other, err)
		return record.Other, true
	}
	if s.schedule != nil && t.measured {
		s.shard.Sent(s.now()-t.intended, t.waited)
	}
	s.gotConn.Store(0)
	s.first.Store(0)
	status, n, err := s.exchange(req)
	end := s.now()
	if err != nil {
		if expired(run) {
			if t.measured {
				s.shard.CutOff(1)
			}
			return 0, false
		}
		k = classify(err, s.gotConn.Load() > 0)
	}
	if !t.measured {
		return k, err != nil
	}
	if extra := s.gotConn.Load() - 1; extra > 0 {
		s.shard.Retried(extra)
	}
	if err != nil {
		s.shard.Failure(t.endpoint.Row, k, err)
		return k, true
	}
	s.shard.Response(t.endpoint.Row, status, n, s.timing(t.intended, end))
	return 0, false
}

// timing returns when the answer to the current request came; the answer ended at end.
func (s *stream) timing(intended, end time.Duration) record.Timing {
	wrote, first := time.Duration(s.wrote.Load()), time.Duration(s.first.Load())
	if first == 0 {
		first = end
	}
	return record.Timing{Latency: end - intended, First: first - wrote, Transfer: end - first}
}

// expired reports whether ctx has ended. A dial gives its socket the context's deadline, and the
// socket's may pass first.
func expired(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// httpRequest builds a net/http request.
func httpRequest(ctx context.Context, r *request.Request) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.Scheme+"://"+r.Host+r.Path, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "") // otherwise net/http adds its own
	for _, f := range r.Header {
		if http.CanonicalHeaderKey(f.Name) == "User-Agent" {
			req.Header.Set(f.Name, f.Value)
			continue
		}
		req.Header.Add(f.Name, f.Value)
	}
	if len(r.Body) > 0 {
		body := r.Body
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody()
	}
	return req, nil
}

// exchange sends req and reads the answer to its end.
func (s *stream) exchange(req *http.Request) (status int, n int64, err error) {
	resp, err := s.transport.RoundTrip(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	s.guard.answered()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.StatusCode, 0, nil // what follows is not a body
	}
	for {
		m, err := resp.Body.Read(s.buf)
		n += int64(m)
		s.guard.got(m)
		if err == io.EOF {
			return resp.StatusCode, n, nil
		}
		if err != nil {
			return resp.StatusCode, n, err
		}
	}
}

// classify returns the kind of a failed request. connected reports whether it had a connection.
func classify(err error, connected bool) record.Kind {
	var timeout interface{ Timeout() bool }
	var op *net.OpError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, new(*floodError)):
		return record.Flood
	case errors.As(err, &header):
		return record.Malformed
	case !connected, errors.As(err, &op) && (op.Op == "dial" || op.Op == "socket"):
		return record.Connect
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return record.Timeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return record.ShortBody
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, net.ErrClosed),
		// net/http does not export these.
		strings.Contains(err.Error(), "server closed idle connection"),
		strings.HasPrefix(err.Error(), "stream error:") && strings.HasSuffix(err.Error(), "received from peer"):
		return record.Reset
	case strings.Contains(err.Error(), "malformed"):
		return record.Malformed
	}
	return record.Other
}
