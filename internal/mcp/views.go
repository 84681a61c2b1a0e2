package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/module"
	"github.com/whet-go/whet/internal/input/diff"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/work"
	"github.com/whet-go/whet/unit"
)

// opener returns what reads recordings and profiles.
func (s *session) opener(op string) *input.Opener { return &input.Opener{Op: op} }

const (
	defaultLines = 15
	maxLines     = 200
)

// count returns the number of entries to show.
func count(n, standard, most int) (int, error) {
	if n < 0 || n > most {
		return 0, fmt.Errorf("n is %d (want 1 to %d)", n, most)
	}
	if n == 0 {
		return standard, nil
	}
	return n, nil
}

type hotLinesInput struct {
	Recording string `json:"recording,omitempty"`
	Type      string `json:"type,omitempty"`
	N         int    `json:"n,omitempty"`
	Dir       string `json:"dir,omitempty"`
}

type hotLines struct {
	Program string    `json:"program,omitempty"`
	Type    string    `json:"type"`
	Total   string    `json:"total"`
	Own     float64   `json:"own_share"`
	Lines   []hotLine `json:"lines"`
	Rest    []restOf  `json:"rest,omitempty"`
	// Collector is the garbage collector's share of the CPU time.
	Collector float64  `json:"garbage_collection_share,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	fit.Truncated
}

type hotLine struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Function string   `json:"function"`
	Share    float64  `json:"share"`
	Cost     string   `json:"cost,omitempty"`
	Callees  []callee `json:"callees,omitempty"`
	// Also is the share of the other main profile.
	Also float64 `json:"also_share,omitempty"`
}

type callee struct {
	Function string  `json:"function"`
	Share    float64 `json:"share"`
}

type restOf struct {
	What  string  `json:"what"`
	Share float64 `json:"share"`
}

func (r *hotLines) Shrink() bool {
	return fit.Drop(&r.Lines, 3) || fit.Drop(&r.Rest, 0) || fit.Drop(&r.Warnings, 1)
}

// hotLines is the tool hot_lines.
func (c *call) hotLines(ctx context.Context, in hotLinesInput) (*hotLines, string, error) {
	n, err := count(in.N, defaultLines, maxLines)
	if err != nil {
		return nil, "", err
	}
	name, err := c.recordingName(in.Recording)
	if err != nil {
		return nil, "", err
	}
	opened, err := c.opener("hot_lines").Open(ctx, []string{name}, input.Options{
		Type: in.Type, Query: profile.Query{Type: -1, By: profile.ByFunction, Canceled: ctx.Err},
	})
	if err != nil {
		return nil, "", err
	}
	defer opened.Close()
	if !opened.Own.Known {
		return nil, "", &diag.Error{
			Op: "hot_lines", Subject: name, Err: errors.New("it is unknown which code is the program's own"),
			Hint: "record the program with the tool record",
		}
	}
	h := documents.NewHeader(opened, documents.HeaderOptions{})
	var second *owncode.Second
	if v, part, err := opened.Also(); err != nil {
		return nil, "", err
	} else if v != nil {
		report := v.Own(opened.Own.Match)
		second = &owncode.Second{
			Profile: part, SampleType: v.Type(), Total: v.Total(), Cost: report.Own, Report: report,
		}
	}
	doc := documents.NewOwn(h, opened.View.Own(opened.Own.Match), second, n, "")
	doc.Collector = documents.CollectorOf(opened)
	doc.Warnings = append(doc.Warnings, opened.Warnings...)
	if ctx.Err() != nil {
		return nil, "", ctx.Err() // the sums are not complete
	}
	uri, err := c.keep("top", doc)
	if err != nil {
		return nil, "", err
	}
	r := &hotLines{
		Program: h.Program, Type: h.SampleType.Type, Total: h.Write(h.Total), Own: round(doc.Own.Share), Lines: []hotLine{},
		Warnings: fit.Texts(doc.Warnings),
	}
	if doc.Collector != nil {
		r.Collector = round(doc.Collector.Share)
	}
	relative := c.relative(in.Dir)
	for _, l := range doc.Own.Lines {
		one := hotLine{
			File: relative(l.File, l.Path), Line: l.Line, Function: l.Function, Share: round(l.Share),
			Cost: h.Write(l.Cost), Also: round(l.AlsoShare),
		}
		for _, called := range l.Callees[:min(len(l.Callees), 5)] {
			one.Callees = append(one.Callees, callee{called.Function, round(called.Share)})
		}
		r.Lines = append(r.Lines, one)
	}
	for _, rest := range doc.Own.Rest {
		r.Rest = append(r.Rest, restOf{rest.What, round(rest.Share)})
	}
	return r, whole(uri) + "; or ask for fewer lines with n", nil
}

// relative returns a function that returns a file of a profile as relative to a module; other if it is not one of its
// files.
func (s *session) relative(dir string) func(file, other string) string {
	root, err := s.server.roots.Module(dir)
	if err != nil {
		return func(_, other string) string { return other }
	}
	m, err := module.Find(root)
	if err != nil {
		return func(_, other string) string { return other }
	}
	return func(file, other string) string {
		if rel, err := m.File(file); err == nil {
			return rel
		}
		return other
	}
}

// round rounds a share to a hundredth of a percent.
func round(share float64) float64 {
	return float64(int64(share*1e4+0.5)) / 1e4
}

type compareInput struct {
	Before string `json:"before"`
	After  string `json:"after,omitempty"`
	Type   string `json:"type,omitempty"`
	Lines  bool   `json:"lines,omitempty"`
	N      int    `json:"n,omitempty"`
}

type comparison struct {
	Type    string       `json:"type"`
	Total   change       `json:"total"`
	Entries []change     `json:"changes"`
	Rest    []change     `json:"rest,omitempty"`
	Load    []loadChange `json:"load,omitempty"`
	// Smallest is the smallest change of the total that these recordings can show.
	Smallest float64  `json:"smallest_visible_change"`
	Warnings []string `json:"warnings,omitempty"`
	fit.Truncated
}

type change struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Before string `json:"before"`
	After  string `json:"after"`
	// Relative is the change over before.
	Relative *float64 `json:"relative,omitempty"`
	// Noise reports whether chance alone explains the change.
	Noise bool `json:"within_noise"`
	// Request compares the cost of a request.
	Request *requestChange `json:"per_request,omitempty"`
}

type requestChange struct {
	Relative *float64 `json:"relative,omitempty"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Verdict  string   `json:"verdict"`
}

type loadChange struct {
	Metric  string   `json:"metric"`
	Change  *float64 `json:"change,omitempty"`
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Verdict string   `json:"verdict"`
}

func (r *comparison) Shrink() bool {
	return fit.Drop(&r.Rest, 0) || fit.Drop(&r.Entries, 3) || fit.Drop(&r.Load, 3) || fit.Drop(&r.Warnings, 1)
}

// compare is the tool compare.
func (c *call) compare(ctx context.Context, in compareInput) (*comparison, string, error) {
	names := []string{in.Before, in.After}
	n, err := count(in.N, defaultLines, maxLines)
	if err != nil {
		return nil, "", err
	}
	if in.Before == "" {
		return nil, "", errors.New("before is not given: name the earlier recording")
	}
	by := profile.ByFunction
	if in.Lines {
		by = profile.ByLine
	}
	sides := make([]*input.Input, 2)
	for i, name := range names {
		if names[i], err = c.recordingName(name); err != nil {
			return nil, "", err
		}
		sides[i], err = c.opener("compare").Open(ctx, names[i:i+1], input.Options{
			Type: in.Type, Query: profile.Query{Type: -1, By: by, Canceled: ctx.Err},
		})
		if err != nil {
			return nil, "", err
		}
		defer sides[i].Close()
	}
	before, after := sides[0], sides[1]
	o := diff.Options{By: by, N: n, Own: before.Own.Known && after.Own.Known}
	if work.PerRequest(after.Type.Type) {
		o.Work, o.NoWork = input.Between(ctx, before, after)
	}
	doc, err := diff.New(diff.Of(before), diff.Of(after), o)
	if err == nil {
		err = ctx.Err() // the sums are not complete then
	}
	if err != nil {
		return nil, "", err
	}
	doc.Recorded = before.Recording != nil || after.Recording != nil
	doc.Warnings = append(append(doc.Warnings, before.Warnings...), after.Warnings...)
	whatever := struct {
		Profile *diff.Result        `json:"profile"`
		Load    *compare.Comparison `json:"load,omitempty"`
	}{Profile: doc}
	if loads := loadsOf(names); loads != nil {
		if whatever.Load, err = compare.Compare(loads[0], loads[1]); err != nil {
			doc.Warnings.Add(err)
		}
	}
	uri, err := c.keep("diff", whatever)
	if err != nil {
		return nil, "", err
	}
	write := func(v int64) string { return unit.Of(v, doc.Unit).String() }
	r := &comparison{
		Type: doc.Type, Total: changeOf("total", "", 0, doc.Total, write), Entries: []change{}, Smallest: round(doc.Smallest),
		Warnings: fit.Texts(doc.Warnings),
	}
	for _, e := range append(doc.Own, doc.Entries...) {
		r.Entries = append(r.Entries, changeOf(e.Name, e.File, e.Line, valueOf(e, o.Own), write))
	}
	for _, e := range doc.Rest {
		r.Rest = append(r.Rest, changeOf(e.Name, e.File, e.Line, valueOf(e, o.Own), write))
	}
	if whatever.Load != nil {
		for _, row := range whatever.Load.Rows {
			if row.Unknown != "" {
				continue
			}
			one := loadChange{Metric: string(row.Metric), Change: row.Change, Verdict: string(row.Verdict)}
			if row.Interval != nil {
				one.Low, one.High = &row.Interval.Low, &row.Interval.High
			}
			r.Load = append(r.Load, one)
		}
	}
	return r, whole(uri), nil
}

// valueOf returns what an entry is compared by.
func valueOf(e diff.Entry, own bool) diff.Value {
	if own {
		return e.Cum // what is charged to it
	}
	return e.Flat
}

func changeOf(name, file string, line int, v diff.Value, write func(int64) string) change {
	one := change{
		Name: name, File: file, Line: line, Before: write(v.Before), After: write(v.After), Relative: v.Relative,
		Noise: v.WithinNoise,
	}
	if p := v.PerRequest; p != nil {
		one.Request = &requestChange{p.Relative, p.Low, p.High, string(p.Verdict)}
	}
	return one
}

// loadsOf returns the loads of two recordings; nil unless both have one.
func loadsOf(names []string) []compare.Input {
	var list []compare.Input
	for _, name := range names {
		r, err := loadIn(name)
		if err != nil {
			return nil
		}
		list = append(list, compare.Input{Name: name, Runs: []*load.Result{r}})
	}
	return list
}

// loadIn returns the load of a recording.
func loadIn(name string) (*load.Result, error) { return input.Load(name, nil) }

const recordingScheme = "whet://recordings/"

// Limits of the views that are resources.
const (
	viewLines = 2000 // entries
	maxView   = 8 << 20
)

// views returns the views of recordings that are resources.
func views() map[string]func(documents.Header, *input.Input) (any, error) {
	return map[string]func(documents.Header, *input.Input) (any, error){
		"top": func(h documents.Header, in *input.Input) (any, error) {
			return documents.NewOwn(h, in.View.Own(in.Own.Match), nil, viewLines, ""), nil
		},
		"functions": func(h documents.Header, in *input.Input) (any, error) {
			return documents.NewTop(h, in.View, viewLines, true, ""), nil
		},
		"tree": func(h documents.Header, in *input.Input) (any, error) {
			return documents.NewTree(h, in.View, viewLines, false), nil
		},
		"traces": func(h documents.Header, in *input.Input) (any, error) {
			return documents.NewTraces(h, in.View, viewLines/4), nil
		},
		"tags": func(h documents.Header, in *input.Input) (any, error) {
			return documents.NewTags(h, in.View, viewLines), nil
		},
		"meta": func(_ documents.Header, in *input.Input) (any, error) {
			if in.Recording == nil {
				return nil, errors.New("it is a profile, not a recording")
			}
			return struct {
				Schema string         `json:"schema"`
				Meta   recording.Meta `json:"meta"`
			}{"whet.recording/1", in.Recording.Meta()}, nil
		},
	}
}

// view returns the view of a recording that a URI names.
func (s *session) view(ctx context.Context, uri string) (*sdk.ReadResourceResult, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(uri, recordingScheme), "/")
	typ, file, _ := strings.Cut(rest, "/")
	make, ok := views()[name]
	if !ok {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	file, err := url.PathUnescape(file)
	if err != nil {
		return nil, err
	}
	if typ, err = url.PathUnescape(typ); err != nil {
		return nil, err
	}
	if file, err = s.recordingName(file); err != nil {
		return nil, fit.Explain(err)
	}
	in, err := s.opener(name).Open(ctx, []string{file}, input.Options{
		Type: typ, Query: profile.Query{Type: -1, By: profile.ByFunction, Canceled: ctx.Err},
	})
	if err != nil {
		return nil, fit.Explain(err)
	}
	defer in.Close()
	doc, err := make(documents.NewHeader(in, documents.HeaderOptions{}), in)
	if err == nil {
		err = ctx.Err() // the sums are not complete then
	}
	if err != nil {
		return nil, fit.Explain(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	if len(text) > maxView {
		return nil, fmt.Errorf("the view has %d bytes, more than the limit of %d: use whet %s on the file",
			len(text), maxView, name)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
		{URI: uri, MIMEType: "application/json", Text: string(text)},
	}}, nil
}
