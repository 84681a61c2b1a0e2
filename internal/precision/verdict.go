package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/fix"
)

// An outcome is the outcome of a finding.
type outcome string

// Outcomes. The first ones are for rewrites that were tried to the end.
const (
	kept      outcome = "kept"      // proven
	noGain    outcome = "no gain"   // the interval excludes every predicted gain
	slower    outcome = "slower"    // an interval shows a loss
	differs   outcome = "differs"   // old and new return different results
	fails     outcome = "fails"     // it does not build, vet complains, or a test fails
	undecided outcome = "undecided" // noise hides any gain, or the predicted one is too small to see

	overlaps   outcome = "overlaps"   // a kept rewrite changes the same code
	unmeasured outcome = "unmeasured" // no benchmark reaches the line
	untried    outcome = "untried"    // the time was up
	needs      outcome = "needs"      // a review, another module, a build setting
	none       outcome = "none"       // there is no rewrite
)

// outcomes returns all outcomes, in display order.
func outcomes() []outcome {
	return []outcome{kept, noGain, slower, differs, fails, undecided, overlaps, unmeasured, untried, needs, none}
}

// A verdict is the judgment on a finding.
type verdict string

// Verdicts.
const (
	right verdict = "right"
	wrong verdict = "wrong"
	open  verdict = "open" // nothing was shown
)

// A finding is a finding of whet find with its outcome.
type finding struct {
	ID      string     `json:"id"`
	Rule    string     `json:"rule"`
	Title   string     `json:"title"`
	Place   string     `json:"place"` // file:line
	Lines   []string   `json:"lines"` // of all places, file:line
	Why     string     `json:"why"`
	Needs   rules.Need `json:"needs,omitempty"`
	Rewrite bool       `json:"rewrite"`
	CPU     float64    `json:"cpu"`    // share
	Alloc   float64    `json:"alloc"`  // share of the bytes
	Share   float64    `json:"share"`  // the largest of any profile
	Saving  float64    `json:"saving"` // predicted by whet, at most
	Outcome outcome    `json:"outcome"`
	Reason  string     `json:"reason,omitempty"`
	Inputs  int64      `json:"inputs,omitempty"` // for which old and new returned the same results
	// Uncompared are changed functions that could not be called, with the reasons.
	Uncompared []string `json:"uncompared,omitempty"`
	Units      []unit   `json:"units,omitempty"` // of the proof
	Diff       string   `json:"diff,omitempty"`
}

// A unit is one benchmark's result in one unit.
type unit struct {
	Benchmark string     `json:"benchmark"`
	Unit      string     `json:"unit"`
	Ratio     float64    `json:"ratio"` // B to A; 0 when a side measured zero
	Low       float64    `json:"low"`
	High      float64    `json:"high"` // 0 if it is unbounded
	Verdict   ab.Verdict `json:"verdict"`
}

// precision is the precision requested from fix: smaller gains cannot be seen.
const precision = 0.01

// found returns a finding whose outcome is unknown.
func found(f *find.Finding) finding {
	x := finding{
		ID: f.ID, Rule: f.Rule, Title: f.Title, Why: f.Why, Needs: f.Needs, Rewrite: f.Fix != nil, Saving: f.Alone,
	}
	for _, p := range f.Places {
		x.Lines = append(x.Lines, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	if len(x.Lines) > 0 {
		x.Place = x.Lines[0]
	}
	evidence := slices.Clone(f.Evidence)
	for _, shared := range f.Shared {
		evidence = append(evidence, shared.Evidence...)
	}
	for _, e := range evidence {
		x.Share = max(x.Share, e.Share)
		switch e.Cost {
		case find.CPU:
			x.CPU += e.Share
		case find.AllocSpace:
			x.Alloc += e.Share
		case find.AllocObjects, find.Mutex, find.Block:
		}
	}
	switch {
	case f.Needs != rules.Free:
		x.Outcome = needs
	case f.Fix == nil:
		x.Outcome, x.Reason = none, f.NoFix
	default:
		x.Outcome = untried
	}
	return x
}

// tried adds the outcome from fix. Of several attempts the last one counts, but a kept one counts
// before all others.
func (x *finding) tried(a *fix.Attempt) {
	if x.Outcome == needs || x.Outcome == kept {
		return
	}
	x.Reason, x.Diff, x.Units, x.Inputs, x.Uncompared = a.Reason, a.Diff, nil, 0, nil
	if a.Answers != nil {
		x.Inputs, x.Uncompared = a.Answers.Inputs, a.Answers.NotCompared
	}
	if a.Measured != nil && a.Measured.AB != nil {
		x.Units = units(a.Measured.AB)
	}
	x.Outcome = x.outcome(a)
}

func (x *finding) outcome(a *fix.Attempt) outcome {
	has := func(v ab.Verdict) bool {
		return slices.ContainsFunc(x.Units, func(u unit) bool { return u.Verdict == v })
	}
	switch a.Stage {
	case fix.StageKept:
		return kept
	case fix.StageRewrite:
		return overlaps
	case fix.StageNeeds, fix.StageUnproven:
		return needs
	case fix.StageBuild, fix.StageVet, fix.StageTest, fix.StageRace, fix.StageConfigs, fix.StageWhole:
		return fails
	case fix.StageCompare:
		return differs
	case fix.StageCode:
		return noGain
	case fix.StageMeasure:
		break
	}
	switch {
	case strings.Contains(a.Reason, "interrupted"):
		return untried
	case has(ab.Worse):
		return slower
	case len(x.Units) == 0:
		return unmeasured
	case has(ab.Undecided) || x.Saving < precision:
		return undecided
	}
	return noGain
}

// measured returns the verdict on a tried rewrite; open if it shows nothing.
func (x *finding) measured() verdict {
	switch x.Outcome {
	case kept:
		return right
	case noGain, slower, differs, fails:
		return wrong
	case undecided, overlaps, unmeasured, untried, needs, none:
	}
	return open
}

// units returns the figures of a comparison, without its rounds.
func units(r *ab.Result) []unit {
	var list []unit
	for _, s := range r.Subjects {
		for _, u := range s.Units {
			list = append(list, unit{
				Benchmark: s.Name, Unit: u.Unit, Verdict: u.Verdict,
				Ratio: finite(float64(u.Ratio)), Low: finite(float64(u.Low)), High: finite(float64(u.High)),
			})
		}
	}
	return list
}

// A hotLine is a line without a finding.
type hotLine struct {
	Place string  `json:"place"`
	Code  string  `json:"code"`
	CPU   float64 `json:"cpu"`
	Alloc float64 `json:"alloc"`
	Share float64 `json:"share"` // the largest of any profile
	Calls string  `json:"calls,omitempty"`
	Why   string  `json:"why,omitempty"` // why rules did not analyze it
}

func unexplained(h *find.HotLine) hotLine {
	x := hotLine{Place: fmt.Sprintf("%s:%d", h.File, h.Line), Code: strings.TrimSpace(h.Code), Why: h.Why}
	for _, e := range h.Evidence {
		x.Share = max(x.Share, e.Share)
		switch e.Cost {
		case find.CPU:
			x.CPU = e.Share
			if len(e.Callees) > 0 {
				x.Calls = e.Callees[0].Function
			}
		case find.AllocSpace:
			x.Alloc = e.Share
		case find.AllocObjects, find.Mutex, find.Block:
		}
	}
	return x
}

// hottest sorts lines by cost.
func hottest(lines []hotLine) {
	slices.SortStableFunc(lines, func(a, b hotLine) int {
		return cmp.Or(cmp.Compare(max(b.CPU, b.Alloc), max(a.CPU, a.Alloc)), cmp.Compare(a.Place, b.Place))
	})
}
