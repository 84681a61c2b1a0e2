package mcp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/fix/failures"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/internal/mcp/brief"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/mcp/guard"
	"github.com/whet-go/whet/internal/sandbox"
	"github.com/whet-go/whet/prove"
)

type evidenceInput struct {
	File           string `json:"file"`
	Line           int    `json:"line"`
	Recording      string `json:"recording,omitempty"`
	Dir            string `json:"dir,omitempty"`
	SkipBenchmarks bool   `json:"skip_benchmarks,omitempty"`
}

// lineEvidence is a work order for a model.
type lineEvidence struct {
	workorder.Order
	Notes    []note       `json:"compiler_notes,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	Calls    []brief.Call `json:"dependencies,omitempty"`
	fit.Truncated
}

type note struct {
	Line  int      `json:"line"`
	Texts []string `json:"notes"`
}

func (e *lineEvidence) Shrink() bool {
	for i := len(e.Failed) - 1; i >= 0; i-- { // the oldest first
		if f := &e.Failed[i]; fit.Clip(&f.Test, 600) || fit.Clip(&f.Diff, 1000) || fit.Clip(&f.Reason, 800) {
			return true
		}
	}
	for i := range e.Proposed {
		if fit.Clip(&e.Proposed[i].Diff, 1500) {
			return true
		}
	}
	switch {
	case fit.Drop(&e.Failed, 3), fit.Drop(&e.Proposed, 1), fit.Drop(&e.Notes, 5), fit.Drop(&e.Allocations, 10),
		fit.Drop(&e.Benchmarks, 10), fit.Drop(&e.Warnings, 2), fit.Drop(&e.Calls, 1):
		return true
	case e.Finding != nil && fit.Clip(&e.Finding.Diff, 1500):
		return true
	}
	return fit.Clip(&e.Source.Text, 1000) || fit.Drop(&e.Proposed, 0) || fit.Drop(&e.Failed, 1) ||
		fit.Drop(&e.Notes, 0) || fit.Drop(&e.Allocations, 0) || e.shrinkCaptured() || e.shrinkFinding() ||
		fit.Clip(&e.Source.Text, 400) || fit.Drop(&e.Callers, 2) || fit.Drop(&e.Callees, 2) ||
		fit.Drop(&e.Failed, 0) || fit.Drop(&e.Warnings, 0) || fit.Drop(&e.Calls, 0)
}

func (e *lineEvidence) shrinkCaptured() bool {
	return e.Captured != nil && fit.Drop(&e.Captured.Parameters, 0)
}

func (e *lineEvidence) shrinkFinding() bool {
	f := e.Finding
	return f != nil && (fit.Clip(&f.Safe, 200) || fit.Clip(&f.Diff, 400) || fit.Clip(&f.Why, 200))
}

// reached are the benchmarks that run a line.
type reached struct {
	names []string
	err   error
}

// lineEvidence is the tool line_evidence.
func (c *call) lineEvidence(ctx context.Context, in evidenceInput) (*lineEvidence, string, error) {
	if in.File == "" || in.Line < 1 {
		return nil, "", errors.New("file and line are not given: hot_lines and find list them")
	}
	program, o, err := c.read(ctx, in.Recording, in.Dir)
	if err != nil {
		return nil, "", err
	}
	defer program.Close()
	file, err := guard.File(o.Dir, in.File)
	if err != nil {
		return nil, "", err
	}
	o = program.Options(o)
	maker, err := workorder.New(ctx, program.Profiles, o)
	if err != nil {
		return nil, "", err
	}
	c.progress(ctx, 0, "collect the evidence")
	order, err := maker.Order(ctx, file, in.Line)
	if err != nil {
		return nil, "", err
	}
	order.Warnings = append(order.Warnings, program.Warnings...)
	order.Failed = c.failed(o.Dir, file)
	dropped, err := failures.On(c.server.o.Failures, o.Dir, file, order.Function, codeAt(&order.Source, in.Line))
	if err != nil {
		order.Warnings.Add(err)
	}
	order.Failed = append(order.Failed, dropped...)
	found, err := program.Find(ctx, o)
	if err == nil {
		order.Finding = findingAt(found, file, in.Line)
		order.Proposed = workorder.ProposedFor(found.Candidates, order.Failed, file, in.Line)
	} else if ctx.Err() != nil {
		return nil, "", ctx.Err()
	} else {
		order.Warnings.Add(err)
	}
	pkg := path.Join(order.Module, path.Dir(file))
	if order.Captured, err = workorder.CapturedIn(program.Recording, pkg, order.Function); err != nil {
		order.Warnings.Add(err)
	}
	if !in.SkipBenchmarks {
		place := find.Place{File: file, Line: in.Line, EndLine: in.Line}
		if order.Benchmarks, err = c.reaching(ctx, o.Dir, place); err != nil {
			if ctx.Err() != nil {
				return nil, "", ctx.Err()
			}
			order.Warnings.Add(fmt.Errorf("the benchmarks that reach the line are unknown: %w", err))
		}
	}
	uri, err := c.keep("line", order)
	if err != nil {
		return nil, "", err
	}
	e := &lineEvidence{Order: *order, Warnings: fit.Texts(order.Warnings)}
	if found != nil {
		e.Calls = brief.Calls(found.Dependencies, maxLines, func(f string, l int) bool { return f == file && l == in.Line })
	}
	for _, l := range order.Notes {
		n := note{Line: l.Line}
		for _, one := range l.Notes {
			n.Texts = append(n.Texts, string(one.Group)+": "+one.Message)
		}
		e.Notes = append(e.Notes, n)
	}
	e.Order.Notes, e.Order.Warnings = nil, nil
	e.Share = round(e.Share)
	for i := range e.Evidence {
		e.Evidence[i].Share = round(e.Evidence[i].Share)
	}
	for i := range e.Allocations {
		a := &e.Allocations[i]
		a.Bytes, a.Objects = round(a.Bytes), round(a.Objects)
	}
	for _, calls := range [][]workorder.Call{e.Callers, e.Callees} {
		for i := range calls {
			calls[i].Share = round(calls[i].Share)
		}
	}
	return e, whole(uri), nil
}

// codeAt returns a line of source.
func codeAt(s *workorder.Source, line int) string {
	lines := strings.Split(s.Text, "\n")
	if at := line - s.First; at >= 0 && at < len(lines) {
		return lines[at]
	}
	return ""
}

// findingAt returns the finding on a line; nil if there is none.
func findingAt(r *find.Result, file string, line int) *workorder.Finding {
	for i := range r.Findings {
		x := &r.Findings[i]
		if slices.ContainsFunc(x.Places, func(p find.Place) bool {
			return p.File == file && p.Line <= line && line <= max(p.Line, p.EndLine)
		}) {
			return workorder.FindingOf(x)
		}
	}
	return nil
}

// reachTime limits how long benchmarks run to see which ones reach a line.
const reachTime = time.Minute

// reaching returns the benchmarks that run a place, and remembers them.
func (c *call) reaching(ctx context.Context, dir string, place find.Place) ([]string, error) {
	key := fmt.Sprintf("%s\n%s:%d", dir, place.File, place.Line)
	c.mu.Lock()
	known, ok := c.benchmarks[key]
	c.mu.Unlock()
	if ok {
		return known.names, known.err
	}
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	r := reached{}
	r.names, r.err = c.runBenchmarks(limited, dir, place)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		r.err = fmt.Errorf("running them once takes longer than %v", reachTime)
	}
	c.mu.Lock()
	c.benchmarks[key] = r
	c.mu.Unlock()
	return r.names, r.err
}

// runBenchmarks runs the benchmarks that can reach a place in a copy of the module.
func (c *call) runBenchmarks(ctx context.Context, dir string, place find.Place) (names []string, err error) {
	o := prove.Options{Temp: c.server.o.Temp, Progress: func(what string) { c.progress(ctx, 0, what) }}
	if c.server.o.Sandbox {
		o.Wrap = sandbox.Command
	}
	p, err := prove.New(ctx, dir, "", o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	text, err := p.Original(place.File)
	if err != nil {
		return nil, err
	}
	if err := p.PrepareFor(ctx, prove.Changes{place.File: {Before: text, After: text}}); err != nil {
		return nil, err
	}
	if _, err := p.Cover(ctx, []find.Place{place}); err != nil {
		return nil, err
	}
	for _, b := range p.Covering([]find.Place{place}) {
		names = append(names, b.String())
	}
	return names, nil
}
