package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/profile"
)

// A TimelineQuery asks for the most expensive own lines over time.
type TimelineQuery struct {
	Query             // From and To are required
	SampleType string // as profile.TypeIndex reads it; "" is the default
	// Step is the width of a column; at most maxSteps fit between From and To.
	Step  time.Duration
	Lines int // number of lines; 0: 10
	// Own reports whether a function is own code; nil: all code is.
	Own func(p *profile.Profile) func(profile.Function) bool
}

// maxSteps bounds the columns of a timeline.
const maxSteps = 1000

// A LineSeries is the cost of an own line in each step.
type LineSeries struct {
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Total    int64   `json:"total"`
	Values   []int64 `json:"values"`
}

// A LineTimeline is the cost of lines over time. Values are in the unit of Type.
type LineTimeline struct {
	Type   profile.ValueType `json:"type"`
	From   time.Time         `json:"from"`
	Step   time.Duration     `json:"step_ns"`
	Totals []int64           `json:"totals"` // of all samples, per step
	Lines  []LineSeries      `json:"lines"`  // by Total, heaviest first
	Stats  Stats             `json:"stats"`
}

// Timeline merges the profiles of each step and charges their samples to own lines, as
// profile.View.Own does. Without any profiles the error is ErrNotFound.
func Timeline(ctx context.Context, r Reader, q TimelineQuery) (*LineTimeline, error) {
	if q.From.IsZero() || !q.From.Before(q.To) || q.Step <= 0 {
		return nil, errors.New("timeline: no step or no range of time")
	}
	steps := int((q.To.Sub(q.From) + q.Step - 1) / q.Step)
	if steps > maxSteps || steps <= 0 {
		return nil, fmt.Errorf("timeline: %d steps of %v (limit %d): use a longer step", steps, q.Step, maxSteps)
	}
	type place struct {
		function, file string
		line           int
	}
	out := &LineTimeline{From: q.From, Step: q.Step, Totals: make([]int64, steps)}
	lines := map[place]*LineSeries{}
	for i := range steps {
		step := q.Query
		step.From = q.From.Add(time.Duration(i) * q.Step)
		if step.To = step.From.Add(q.Step); step.To.After(q.To) {
			step.To = q.To
		}
		p, stats, err := r.Merge(ctx, step)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		typ, err := p.TypeIndex(q.SampleType)
		if err != nil {
			return nil, err
		}
		if t := p.SampleTypes[typ]; out.Stats.Profiles > 0 && t != out.Type {
			return nil, fmt.Errorf("timeline: sample type %s becomes %s at %s", out.Type.Type, t.Type,
				step.From.Format(time.RFC3339))
		}
		out.Type = p.SampleTypes[typ]
		out.Stats.add(stats)
		v, err := p.View(profile.Query{Type: typ})
		if err != nil {
			return nil, err
		}
		out.Totals[i] = v.Total()
		own := func(profile.Function) bool { return true }
		if q.Own != nil {
			own = q.Own(p)
		}
		for _, l := range v.Own(own).Lines {
			at := place{l.Function, l.File, l.Line}
			s := lines[at]
			if s == nil {
				s = &LineSeries{Function: l.Function, File: l.File, Line: l.Line, Values: make([]int64, steps)}
				lines[at] = s
			}
			s.Values[i] += l.Cost
			s.Total += l.Cost
		}
	}
	if out.Stats.Profiles == 0 {
		return nil, ErrNotFound
	}
	for _, s := range lines {
		out.Lines = append(out.Lines, *s)
	}
	slices.SortFunc(out.Lines, func(a, b LineSeries) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line))
	})
	n := q.Lines
	if n == 0 {
		n = 10
	}
	out.Lines = out.Lines[:min(n, len(out.Lines))]
	return out, nil
}

// add adds what another query read; Series is the larger number.
func (s *Stats) add(o Stats) {
	s.Profiles += o.Profiles
	s.Samples += o.Samples
	s.Series = max(s.Series, o.Series)
	if s.First.IsZero() || !o.First.IsZero() && o.First.Before(s.First) {
		s.First = o.First
	}
	if o.Last.After(s.Last) {
		s.Last = o.Last
	}
}
