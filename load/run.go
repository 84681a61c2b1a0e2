package load

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	bodyBuffer = 32 << 10
	// After a failed connect a connection waits before it tries again, longer
	// each time: a server that is gone is not worth a spinning core.
	firstPause = time.Millisecond
	lastPause  = 50 * time.Millisecond
)

// Run sends requests as o says and returns what it measured.
//
// It returns when the duration is over, the requests are used up or ctx is
// cancelled; the last is not an error: the Result then holds what was measured
// until there, and says so. When not one request was answered, the Result comes
// together with an [*Error]. When nothing could be sent, the Result is nil.
func Run(ctx context.Context, o Options) (*Result, error) {
	p, err := o.plan(ctx)
	if err != nil {
		return nil, err
	}
	g := &generator{plan: p, rec: newRecorder(min(p.Connections, 2*runtime.GOMAXPROCS(0)))}
	return g.run(ctx)
}

// generator is one run.
type generator struct {
	*plan
	rec      *recorder
	from     time.Time // start of the measured part
	sent     atomic.Int64
	connects atomic.Int64
}

func (g *generator) run(caller context.Context) (*Result, error) {
	start := time.Now()
	g.from = start.Add(g.Warmup)
	ctx, cancel := context.WithCancel(caller)
	defer cancel()
	if g.Duration > 0 {
		ctx, cancel = context.WithDeadline(ctx, g.from.Add(g.Duration))
		defer cancel()
	}

	var wg sync.WaitGroup
	for i := range g.Connections {
		wg.Go(func() { g.connection(ctx, i) })
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()

	g.waitWarmup(done)
	cpuBefore, cpuKnown := processCPU()
	g.tick(done)
	cpuAfter, _ := processCPU()

	elapsed := max(time.Since(g.from), 0)
	if g.rec.last < elapsed {
		g.rec.cut(elapsed)
	}
	r := g.result(elapsed)
	r.Interrupted = caller.Err() != nil
	if cpuKnown {
		r.CPU = cpuOf(cpuAfter-cpuBefore, r)
	}
	r.Warnings = warnings(r)
	if r.Responses == 0 && r.Errors.Total() > 0 {
		return r, g.noAnswer(r)
	}
	return r, nil
}

// waitWarmup returns when the warmup is over or the connections have ended.
func (g *generator) waitWarmup(done <-chan struct{}) {
	timer := time.NewTimer(time.Until(g.from))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	}
}

// tick cuts the run into seconds until the connections have ended.
func (g *generator) tick(done <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			second := g.rec.cut(time.Since(g.from))
			if g.Progress != nil {
				g.Progress(second)
			}
		}
	}
}

func (g *generator) result(elapsed time.Duration) *Result {
	t := &g.rec.total
	r := &Result{
		Schema:      Schema,
		Method:      g.Method,
		Connections: g.Connections,
		Started:     g.from,
		Elapsed:     elapsed,
		Warmup:      g.Warmup,
		Responses:   t.responses,
		Requests:    t.responses + t.failed(),
		Unfinished:  t.unfinished,
		Errors:      t.failures(),
		Status:      t.status,
		Bytes:       t.bytes,
		Connects:    g.connects.Load(),
		Retries:     t.retries,
		Seconds:     g.rec.seconds,
	}
	for _, req := range g.targets {
		r.Targets = append(r.Targets, req.URL.Redacted())
	}
	if elapsed > 0 {
		r.Rate = float64(t.responses) / elapsed.Seconds()
	}
	var err error
	if r.Latency, err = t.latency(); err != nil {
		r.Warnings = append(r.Warnings, err.Error())
	}
	return r
}

func cpuOf(total time.Duration, r *Result) *CPU {
	c := &CPU{Total: total}
	if r.Requests > 0 {
		c.PerRequest = total / time.Duration(r.Requests)
	}
	if r.Elapsed > 0 {
		c.Cores = total.Seconds() / r.Elapsed.Seconds()
	}
	return c
}

// warnings adds the reasons to doubt r to those it has.
func warnings(r *Result) []string {
	w := r.Warnings
	if n := float64(runtime.GOMAXPROCS(0)); r.CPU != nil && r.CPU.Cores > 0.9*n && r.Elapsed >= time.Second {
		w = append(w, fmt.Sprintf("the load generator used %.1f of %.0f cores: it, not the server, may be what limits the rate", r.CPU.Cores, n))
	}
	if failed := r.Failed(); failed > 0 {
		w = append(w, fmt.Sprintf("%d of %d answers have a status of 400 or above", failed, r.Responses))
	}
	if r.Retries > 0 || r.Connects > int64(r.Connections)+r.Errors.Total() {
		w = append(w, fmt.Sprintf("the server closes kept-alive connections: %d opened for %d in use", r.Connects, r.Connections))
	}
	return w
}

// noAnswer says why a run got no answer at all.
func (g *generator) noAnswer(r *Result) error {
	e := &Error{Op: "load", Subject: strings.Join(r.Targets, ", ")}
	for k := range kinds {
		message, ok := r.Errors.First[k.key()]
		if !ok {
			continue
		}
		e.Err = fmt.Errorf("%d requests, no answer: %s", r.Requests, message)
		if k == kindConnect {
			e.Advice = "is the server running, and is this its address?"
		} else if k == kindTimeout {
			e.Advice = "allow a longer timeout than " + g.Timeout.String()
		}
		return e
	}
	e.Err = errors.New("no answer")
	return e
}

// connection is the life of connection i.
func (g *generator) connection(ctx context.Context, i int) {
	transport := g.transport(ctx)
	defer transport.CloseIdleConnections()
	c := &connection{
		generator: g,
		transport: transport,
		target:    g.targets[i%len(g.targets)],
		shard:     g.rec.shards[i%len(g.rec.shards)],
		buf:       make([]byte, bodyBuffer),
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.gotConn.Add(1) },
	})
	pause := firstPause
	for ctx.Err() == nil {
		begin := time.Now()
		measured := !begin.Before(g.from)
		if measured && g.Requests > 0 && g.sent.Add(1) > g.Requests {
			return
		}
		switch k, failed := c.request(ctx, begin, measured); {
		case !failed:
			pause = firstPause
		case k == kindConnect:
			wait(ctx, pause)
			pause = min(2*pause, lastPause)
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// transport returns a transport that holds one connection.
func (g *generator) transport(ctx context.Context) *http.Transport {
	dialer := &net.Dialer{Timeout: g.Timeout}
	if !g.AllowRemote {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			addr, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("check address %s: %w", address, err)
			}
			return checkLoopbackIP(addr.Addr())
		}
	}
	config := &tls.Config{}
	if g.TLS != nil {
		config = g.TLS.Clone()
		config.NextProtos = nil // offers of HTTP/2 would be taken up
	}
	return &http.Transport{
		// The run's context, not the request's: the transport lets a dial
		// outlive its request, but it must not outlive the run.
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err == nil {
				g.connects.Add(1)
			}
			return conn, err
		},
		TLSClientConfig:     config, // set, so that HTTP/2 stays off
		TLSHandshakeTimeout: g.Timeout,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1,
	}
}

// connection sends one request after the other.
type connection struct {
	*generator
	transport *http.Transport
	target    *http.Request
	shard     *shard
	buf       []byte
	gotConn   atomic.Int64 // connections the current request was sent on
}

// request sends one request, reads its answer and records it if it is measured.
func (c *connection) request(run context.Context, begin time.Time, measured bool) (k kind, failed bool) {
	ctx, cancel := context.WithTimeout(run, c.Timeout)
	defer cancel()
	req := c.target.WithContext(ctx)
	if len(c.Body) > 0 {
		req.ContentLength = int64(len(c.Body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.Body)), nil }
		req.Body, _ = req.GetBody()
	}
	c.gotConn.Store(0)
	status, n, err := c.exchange(req)
	latency := time.Since(begin)
	if err != nil {
		if run.Err() != nil {
			if measured {
				c.shard.cutOff()
			}
			return 0, false
		}
		k = classify(err, c.gotConn.Load() > 0)
	}
	if !measured {
		return k, err != nil
	}
	if extra := c.gotConn.Load() - 1; extra > 0 {
		c.shard.retried(extra)
	}
	if err != nil {
		c.shard.failure(k, err)
		return k, true
	}
	c.shard.response(status, n, latency)
	return 0, false
}

// exchange sends req and reads the answer to its end.
func (c *connection) exchange(req *http.Request) (status int, n int64, err error) {
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.StatusCode, 0, nil // what follows is not a body
	}
	for {
		m, err := resp.Body.Read(c.buf)
		n += int64(m)
		if err == io.EOF {
			return resp.StatusCode, n, nil
		}
		if err != nil {
			return resp.StatusCode, n, err
		}
	}
}

// classify names the kind of a failed request. connected says whether it got
// as far as having a connection.
func classify(err error, connected bool) kind {
	var timeout interface{ Timeout() bool }
	var op *net.OpError
	switch {
	case !connected, errors.As(err, &op) && op.Op == "dial":
		return kindConnect
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return kindTimeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return kindShortBody
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, net.ErrClosed),
		// net/http does not export this one.
		strings.Contains(err.Error(), "server closed idle connection"):
		return kindReset
	}
	return kindOther
}
