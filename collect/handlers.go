package collect

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Handlers are the pprof handlers of a running server. They read what its runtime counts, without
// recording it. They are safe for concurrent use.
type Handlers struct{ c *client }

// FindHandlers looks for pprof handlers at addresses, each host:port or a URL, and returns the
// first it finds. The error is that of the last address and has a hint.
func FindHandlers(ctx context.Context, addresses []string) (*Handlers, error) {
	err := errors.New("whet found no listening address")
	for _, addr := range addresses {
		var c *client
		if c, _, err = try(ctx, Options{}, addr); err == nil {
			return &Handlers{c}, nil
		}
	}
	return nil, err
}

// OpenHandlers finds the pprof handlers of opt.URL, with opt's credentials and paths.
func OpenHandlers(ctx context.Context, opt Options) (*Handlers, error) {
	c, err := newClient(&opt)
	if err != nil {
		return nil, err
	}
	if _, err := c.discover(ctx, opt.PprofPath); err != nil {
		c.close()
		return nil, err
	}
	return &Handlers{c}, nil
}

// try looks for handlers at host:port or a URL, with opt's credentials.
func try(ctx context.Context, opt Options, addr string) (*client, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var first error
	for _, scheme := range []string{"http://", "https://"} {
		opt.URL = scheme + addr
		if strings.Contains(addr, "://") {
			opt.URL = addr
		}
		c, err := newClient(&opt)
		if err != nil {
			return nil, nil, err
		}
		offered, err := c.discover(ctx, opt.PprofPath)
		if err == nil {
			return c, offered, nil
		}
		c.close()
		if first == nil {
			first = err
		}
		if msg := err.Error(); !strings.Contains(msg, "malformed HTTP response") && !strings.Contains(msg, "HTTPS server") {
			break
		}
	}
	return nil, nil, first
}

// Address returns the handlers' directory, without credentials.
func (h *Handlers) Address() string { return public(h.c.base) }

// Close closes the connections.
func (h *Handlers) Close() { h.c.close() }

// Allocated is what a Go program has allocated since it started, including what was freed again:
// Mallocs and TotalAlloc of runtime.MemStats.
type Allocated struct {
	Objects int64
	Bytes   int64
}

// Allocated returns the allocations so far. The query itself allocates a little and stops the
// program for some microseconds. It does not trigger a garbage collection.
func (h *Handlers) Allocated(ctx context.Context) (Allocated, error) {
	stats, err := h.c.memStats(ctx)
	if err != nil {
		return Allocated{}, err
	}
	a := Allocated{Objects: memStat(stats, "Mallocs"), Bytes: memStat(stats, "TotalAlloc")}
	if a.Objects < 0 || a.Bytes < 0 {
		return Allocated{}, errors.New("the memory statistics have no Mallocs or TotalAlloc")
	}
	return a, nil
}

// CPU returns the CPU time that the process has used so far, as the whet agent reports it, if that
// is among the handlers.
func (h *Handlers) CPU(ctx context.Context) (time.Duration, error) {
	var info struct {
		CPU time.Duration `json:"cpu_ns"`
	}
	if err := h.json(ctx, "whet", nil, &info, maxTextBody); err != nil {
		return 0, err
	}
	if info.CPU <= 0 {
		return 0, errors.New("the target's agent does not report its CPU time")
	}
	return info.CPU, nil
}
