package handlers

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Find looks for pprof handlers at addresses, each host:port or a URL, and returns the
// first it finds. The error is that of the last address and has a hint.
func Find(ctx context.Context, addresses []string) (*Client, error) {
	err := errors.New("whet found no listening address")
	for _, addr := range addresses {
		var c *Client
		if c, err = OpenAt(ctx, Options{}, addr); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// Open returns a client of the handlers that it finds at opt.URL.
func Open(ctx context.Context, opt Options) (*Client, error) {
	c, err := New(opt)
	if err != nil {
		return nil, err
	}
	if err := c.Discover(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// OpenAt is like Open, with addr (host:port or a URL) instead of opt.URL. It waits only briefly for
// the target's answer.
func OpenAt(ctx context.Context, opt Options, addr string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var first error
	for _, scheme := range []string{"http://", "https://"} {
		opt.URL = scheme + addr
		if strings.Contains(addr, "://") {
			opt.URL = addr
		}
		c, err := New(opt)
		if err != nil {
			return nil, err
		}
		if err = c.Discover(ctx); err == nil {
			return c, nil
		}
		c.Close()
		if first == nil {
			first = err
		}
		if msg := err.Error(); !strings.Contains(msg, "malformed HTTP response") && !strings.Contains(msg, "HTTPS server") {
			break
		}
	}
	return nil, first
}

// Allocated is what a Go program has allocated since it started, including what it has freed:
// Mallocs and TotalAlloc of runtime.MemStats.
type Allocated struct {
	Objects int64
	Bytes   int64
}

// Allocated returns the allocations so far. The query itself allocates a little and stops the
// program for some microseconds. It does not trigger a garbage collection.
func (c *Client) Allocated(ctx context.Context) (Allocated, error) {
	stats, err := c.MemStats(ctx)
	if err != nil {
		return Allocated{}, err
	}
	a := Allocated{Objects: stats.Value("Mallocs"), Bytes: stats.Value("TotalAlloc")}
	if a.Objects < 0 || a.Bytes < 0 {
		return Allocated{}, errors.New("the memory statistics have no Mallocs or TotalAlloc")
	}
	return a, nil
}

// CPU returns the CPU time that the process has used so far, as the whet agent reports it, if that
// is among the handlers.
func (c *Client) CPU(ctx context.Context) (time.Duration, error) {
	var info struct {
		CPU time.Duration `json:"cpu_ns"`
	}
	if err := c.json(ctx, "whet", nil, &info, maxTextBody); err != nil {
		return 0, err
	}
	if info.CPU <= 0 {
		return 0, errors.New("the target's agent does not report its CPU time")
	}
	return info.CPU, nil
}
