package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/load"
)

type loadToolInput struct {
	loadInput
	Seconds float64 `json:"seconds,omitempty"`
}

// loaded is the result of a load.
type loaded struct {
	Requests  int64            `json:"requests"`
	Failed    int64            `json:"failed"`
	Failures  string           `json:"failures,omitempty"`
	Status    map[string]int64 `json:"status,omitempty"`
	Rate      float64          `json:"rate"`
	Seconds   float64          `json:"seconds"`
	Mean      float64          `json:"mean_ms"`
	P50       float64          `json:"p50_ms"`
	P90       float64          `json:"p90_ms"`
	P99       float64          `json:"p99_ms"`
	P999      float64          `json:"p99_9_ms"`
	Max       float64          `json:"max_ms"`
	TargetCPU float64          `json:"target_cpu_ms_per_request,omitempty"`
	// Verdict is the list of reasons to distrust the figures.
	Verdict []string `json:"verdict,omitempty"`
}

// loadResult is what the tool load returns.
type loadResult struct {
	loaded
	Warnings []string `json:"warnings,omitempty"`
	fit.Truncated
}

func (r *loadResult) Shrink() bool { return fit.Drop(&r.Warnings, 0) || fit.Drop(&r.Verdict, 1) }

// load is the tool load.
func (c *call) load(ctx context.Context, in loadToolInput) (*loadResult, string, error) {
	o, warnings, err := in.options(c.server, "")
	if err != nil {
		return nil, "", err
	}
	if o.Duration, err = window(in.Seconds, load.DefaultDuration); err != nil {
		return nil, "", err
	}
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	began := time.Now()
	o.Progress = func(p load.Progress) {
		c.progress(ctx, time.Since(began).Seconds(), fmt.Sprintf("%d requests", p.Requests))
	}
	r, err := load.Run(ctx, o)
	if err != nil {
		return nil, "", err
	}
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if r.Responses == 0 {
		return nil, "", fmt.Errorf("no request was answered: %w", errors.New(r.Failures()))
	}
	r.Warnings = append(r.Warnings, warnings...)
	uri, err := c.keep("load", r)
	if err != nil {
		return nil, "", err
	}
	return &loadResult{loaded: *loadedOf(r), Warnings: fit.Texts(warnings)}, whole(uri), nil
}

// loadedOf returns the result of a load for a model.
func loadedOf(r *load.Result) *loaded {
	l := &loaded{
		Requests: r.Requests, Failed: r.Failed(), Status: map[string]int64{}, Rate: math.Round(r.Rate*10) / 10,
		Seconds: r.Elapsed.Seconds(), Mean: ms(r.Latency.Mean), P50: ms(r.Latency.P50), P90: ms(r.Latency.P90),
		P99: ms(r.Latency.P99), P999: ms(r.Latency.P999), Max: ms(r.Latency.Max), Verdict: fit.Texts(r.Verdict()),
	}
	if l.Failed > 0 {
		l.Failures = r.Failures()
	}
	for _, code := range slices.Sorted(maps.Keys(r.Status)) {
		l.Status[fmt.Sprint(code)] = r.Status[code]
	}
	if cpu := r.TargetCPU; cpu != nil {
		l.TargetCPU = ms(cpu.PerRequest)
	}
	return l
}

// ms returns milliseconds with microseconds.
func ms(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
