package mcp

import (
	"context"
	"fmt"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/find/upstream"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/internal/mcp/brief"
	"github.com/whet-go/whet/internal/mcp/fit"
)

const defaultFindings = 10

type findInput struct {
	Recording string `json:"recording,omitempty"`
	Dir       string `json:"dir,omitempty"`
	N         int    `json:"n,omitempty"`
	Into      bool   `json:"dependencies,omitempty"`
}

type foundResult struct {
	Module   string           `json:"module"`
	Findings []finding        `json:"findings"`
	Advice   []brief.Advised  `json:"advice,omitempty"`
	Calls    []brief.Call     `json:"dependencies,omitempty"`
	Upstream []brief.Upstream `json:"upstream,omitempty"`
	// Unexplained are hot lines without a finding.
	Unexplained []hotLine `json:"unexplained"`
	Waiting     []waiting `json:"waiting,omitempty"`
	Stale       []string  `json:"stale,omitempty"`
	// Collector is the garbage collector's share of the CPU time.
	Collector float64  `json:"garbage_collection_share"`
	Warnings  []string `json:"warnings,omitempty"`
	fit.Truncated
}

type finding struct {
	workorder.Finding
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	Function string  `json:"function,omitempty"`
	Saving   float64 `json:"saving"`
	Needs    string  `json:"needs,omitempty"`
	Setting  string  `json:"setting,omitempty"`
}

type waiting struct {
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Function string  `json:"function"`
	Cause    string  `json:"cause,omitempty"`
	Share    float64 `json:"share,omitempty"`
}

func (r *foundResult) Shrink() bool {
	if brief.Shrink(&r.Upstream, 1) || fit.Drop(&r.Calls, 3) || fit.Drop(&r.Waiting, 3) ||
		fit.Drop(&r.Unexplained, 5) || fit.Drop(&r.Stale, 1) {
		return true
	}
	for i := len(r.Findings) - 1; i >= 0; i-- { // the cheapest first
		if f := &r.Findings[i]; fit.Clip(&f.Diff, 800) || fit.Clip(&f.Safe, 200) || fit.Clip(&f.Why, 300) {
			return true
		}
	}
	return fit.Drop(&r.Advice, 3) || fit.Drop(&r.Findings, 3) || brief.Shrink(&r.Upstream, 0) ||
		fit.Drop(&r.Calls, 0) || fit.Drop(&r.Unexplained, 0) ||
		fit.Drop(&r.Waiting, 0) || fit.Drop(&r.Warnings, 1)
}

// read reads a recording of a module. The caller closes the program.
func (c *call) read(ctx context.Context, name, dir string) (*recorded.Program, find.Options, error) {
	var o find.Options
	file, err := c.recordingName(name)
	if err != nil {
		return nil, o, err
	}
	if o.Dir, err = c.server.roots.Module(dir); err != nil {
		return nil, o, err
	}
	program, err := recorded.Read(ctx, c.opener("find"), []string{file},
		recorded.Options{MaxTrace: recorded.DefaultMaxTrace})
	if err != nil {
		return nil, o, err
	}
	o.Rules, o.Notes = index.Rules(), lines.CacheDir()
	o.Progress = func(what string) { c.progress(ctx, 0, what) }
	return program, o, nil
}

// find is the tool find.
func (c *call) find(ctx context.Context, in findInput) (*foundResult, string, error) {
	n, err := count(in.N, defaultFindings, maxLines)
	if err != nil {
		return nil, "", err
	}
	doc, err := c.findings(ctx, in)
	if err != nil {
		return nil, "", err
	}
	uri, err := c.keep("find", doc)
	if err != nil {
		return nil, "", err
	}
	r := &foundResult{
		Module: doc.Module, Findings: []finding{}, Unexplained: []hotLine{}, Collector: round(doc.GC),
		Warnings: fit.Texts(doc.Warnings),
	}
	for i := range doc.Findings[:min(len(doc.Findings), n)] {
		x := &doc.Findings[i]
		one := finding{
			Finding: *workorder.FindingOf(x), Function: x.Function, Saving: round(x.Saving), Needs: string(x.Needs),
		}
		if len(x.Places) > 0 {
			one.File, one.Line = x.Places[0].File, x.Places[0].Line
		}
		if x.Fix != nil && x.Fix.Setting != nil {
			one.Setting = settingText(x.Fix.Setting)
		}
		r.Findings = append(r.Findings, one)
	}
	r.Advice, r.Upstream = brief.Advice(doc.Advice, n), brief.UpstreamOf(doc.Upstream, n)
	r.Calls = brief.Calls(doc.Dependencies, n, func(string, int) bool { return true })
	for _, l := range doc.Unexplained[:min(len(doc.Unexplained), n)] {
		one := hotLine{File: l.File, Line: l.Line, Function: l.Function, Share: round(l.Saving)}
		for _, e := range l.Evidence {
			if e.Cost == find.CPU {
				for _, called := range e.Callees[:min(len(e.Callees), 3)] {
					one.Callees = append(one.Callees, callee{called.Function, round(called.Share)})
				}
			}
		}
		r.Unexplained = append(r.Unexplained, one)
	}
	for _, l := range doc.Waiting[:min(len(doc.Waiting), n)] {
		one := waiting{File: l.File, Line: l.Line, Function: l.Function}
		if len(l.Waits) > 0 {
			one.Cause, one.Share = l.Waits[0].Cause, round(l.Waits[0].Share)
		}
		r.Waiting = append(r.Waiting, one)
	}
	for _, st := range doc.Stale {
		r.Stale = append(r.Stale, fmt.Sprintf("%s: %s", st.Function, st.Reason))
	}
	return r, whole(uri) + "; or ask for fewer findings with n", nil
}

// settingText describes a setting of a build or a run.
func settingText(x *rules.Setting) string { return fmt.Sprint(x) }

// findings finds what is expensive. Sessions keep the last result: lines are explained with it.
func (c *call) findings(ctx context.Context, in findInput) (*find.Result, error) {
	program, o, err := c.read(ctx, in.Recording, in.Dir)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	r, err := program.Find(ctx, o)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, program.Warnings...)
	if in.Into {
		err = upstream.Look(ctx, program.Profiles, program.Options(o), r)
	}
	return r, err
}
