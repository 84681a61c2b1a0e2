package mcp

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/mcp/guard"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/requests"
)

const (
	defaultSlowest = 2
	maxSlowest     = 20
)

type traceInput struct {
	Recording string `json:"recording,omitempty"`
	Handler   string `json:"handler,omitempty"`
	Slowest   int    `json:"slowest,omitempty"`
}

type traceResult struct {
	Requests int        `json:"requests"`
	Handlers []handlers `json:"handlers"`
	Warnings []string   `json:"warnings,omitempty"`
	fit.Truncated
}

type handlers struct {
	Handler string   `json:"handler"`
	Count   int      `json:"count"`
	P50     float64  `json:"p50_ms"`
	P90     float64  `json:"p90_ms"`
	P99     float64  `json:"p99_ms"`
	Max     float64  `json:"max_ms"`
	Causes  []cause  `json:"causes"`
	Slowest []slowed `json:"slowest,omitempty"`
}

type cause struct {
	Cause   string  `json:"cause"`
	Typical float64 `json:"typical_ms"`
	Slow    float64 `json:"slowest_ms"`
}

type slowed struct {
	Request int     `json:"request"`
	Latency float64 `json:"latency_ms"`
	Worst   string  `json:"most_time"`
	Path    []step  `json:"critical_path"`
}

type step struct {
	Cause    string  `json:"cause"`
	Took     float64 `json:"ms"`
	Where    string  `json:"where,omitempty"`
	WokenBy  string  `json:"woken_by,omitempty"`
	Function string  `json:"function,omitempty"`
}

func (r *traceResult) Shrink() bool {
	shrunk := false
	for i := range r.Handlers {
		for j := range r.Handlers[i].Slowest {
			shrunk = fit.Drop(&r.Handlers[i].Slowest[j].Path, 3) || shrunk
		}
	}
	if shrunk {
		return true
	}
	for i := len(r.Handlers) - 1; i >= 0; i-- {
		if fit.Drop(&r.Handlers[i].Slowest, 1) {
			return true
		}
	}
	return fit.Drop(&r.Handlers, 3) || fit.Drop(&r.Warnings, 1)
}

// traceRequests is the tool trace_requests.
func (c *call) traceRequests(ctx context.Context, in traceInput) (*traceResult, string, error) {
	name, err := c.recordingName(in.Recording)
	if err != nil {
		return nil, "", err
	}
	if in.Slowest < 0 || in.Slowest > maxSlowest {
		return nil, "", fmt.Errorf("slowest is %d (want 1 to %d)", in.Slowest, maxSlowest)
	}
	slowest := in.Slowest
	if slowest == 0 {
		slowest = defaultSlowest
	}
	o := requests.Options{Slowest: slowest, Paths: slowest, Tasks: true}
	if in.Handler != "" {
		if err := guard.CheckRegexp("handler", in.Handler); err != nil {
			return nil, "", err
		}
		if o.Class, err = regexp.Compile(in.Handler); err != nil {
			return nil, "", err
		}
	}
	doc, err := c.traced(ctx, name, o)
	if err != nil {
		return nil, "", err
	}
	uri, err := c.keep("trace-requests", doc)
	if err != nil {
		return nil, "", err
	}
	r := &traceResult{Requests: doc.Count, Handlers: []handlers{}, Warnings: fit.Texts(doc.Warnings)}
	for i := range doc.Classes {
		r.Handlers = append(r.Handlers, handlersOf(&doc.Classes[i]))
	}
	return r, whole(uri) + "; or select requests with handler", nil
}

// traced finds the requests of a trace.
func (c *call) traced(ctx context.Context, name string, o requests.Options) (*documents.Requests, error) {
	opener := c.opener("trace_requests")
	d, err := opener.Document(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.Recording != nil && !d.Recording.Has(recording.TracePart) {
		return nil, input.MissingPart(d.Recording, d.Name, recording.TracePart, "execution trace")
	}
	x, err := opener.Trace(ctx, d, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = x.Close() }() // was only read
	until := x.Until(ctx)
	r, err := requests.Find(until, o)
	if err != nil {
		return nil, err
	}
	doc, err := documents.NewRequests(d.Name, r, until)
	if err != nil {
		return nil, err
	}
	doc.MarkOwn(input.TraceOwn(name, until, nil))
	return &doc, nil
}

func handlersOf(class *documents.RequestClass) handlers {
	h := handlers{
		Handler: class.Handler, Count: class.Count, P50: ms(class.P50), P90: ms(class.P90), P99: ms(class.P99),
		Max: ms(class.Max), Causes: []cause{},
	}
	for _, p := range class.Parts[:min(len(class.Parts), 6)] {
		h.Causes = append(h.Causes, cause{p.Cause, ms(p.Middle), ms(p.Slow)})
	}
	for i := range class.Slowest {
		one := &class.Slowest[i]
		worst, took := one.Worst()
		s := slowed{
			Request: one.Number, Latency: ms(one.Latency), Path: []step{},
			Worst: fmt.Sprintf("%s: %s %s", took.Round(time.Microsecond), worst.Cause, whereOf(&worst)),
		}
		for j := range one.Path {
			p := &one.Path[j]
			s.Path = append(s.Path, step{
				Cause: p.Cause, Took: ms(p.Took), Where: whereOf(p), Function: p.Function, WokenBy: wakerOf(p),
			})
		}
		h.Slowest = append(h.Slowest, s)
	}
	return h
}

// whereOf returns the own line of a step.
func whereOf(s *documents.Step) string {
	if s.Own == nil {
		return ""
	}
	return fmt.Sprintf("%s %s:%d", s.Own.Func, s.Own.File, s.Own.Line)
}

// wakerOf returns the function of the goroutine that ended a wait.
func wakerOf(s *documents.Step) string {
	if s.WokenBy == nil {
		return ""
	}
	if own := s.WokenBy.Own; own != nil {
		return fmt.Sprintf("%s %s:%d", own.Func, own.File, own.Line)
	}
	return s.WokenBy.Function
}
