package brief

import (
	"fmt"
	"math"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/internal/mcp/fit"
)

// An Advised cause is one that no single line shows.
type Advised struct {
	Kind     string   `json:"kind"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Function string   `json:"function"`
	Also     []string `json:"also,omitempty"` // file:line and its role
	Share    float64  `json:"share"`
	Of       string   `json:"of"`
	Evidence string   `json:"evidence"`
	Do       string   `json:"do"`
}

// Advice returns the first n pieces of advice.
func Advice(all []advice.Advice, n int) (list []Advised) {
	for i := range all[:min(len(all), n)] {
		a := &all[i]
		one := Advised{
			Kind: string(a.Kind), File: a.File, Line: a.Line, Function: a.Function, Share: round(a.Share), Of: a.Of,
			Evidence: a.Evidence, Do: a.Do,
		}
		for _, p := range a.Also {
			one.Also = append(one.Also, p.Where()+" "+p.What)
		}
		list = append(list, one)
	}
	return list
}

// A Call is a call of another module that costs.
type Call struct {
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Callee  string   `json:"callee"`
	Module  string   `json:"module,omitempty"`
	CPU     float64  `json:"cpu"`
	Memory  float64  `json:"alloc_space"`
	Hottest []string `json:"hottest,omitempty"` // lines of other modules, with their share
	Work    []string `json:"work,omitempty"`    // kinds of cost with their share
	Makes   []string `json:"makes,omitempty"`   // what the call opens, compiles or parses, and how often
	Others  []string `json:"others,omitempty"`  // functions of the module whose types fit the call
}

// mostParts is the number of hottest lines, kinds and other functions of a call.
const mostParts = 3

// Calls returns the first n calls that a condition holds for.
func Calls(all []dependencies.Call, n int, of func(file string, line int) bool) (list []Call) {
	for i := range all {
		c := &all[i]
		if len(list) == n || !of(c.File, c.Line) {
			continue
		}
		one := Call{
			File: c.File, Line: c.Line, Callee: c.Callee, Module: versioned(c.Module, c.Version), CPU: round(c.CPU.Share),
			Memory: round(c.Memory.Share),
		}
		for _, l := range c.Hottest[:min(len(c.Hottest), mostParts)] {
			one.Hottest = append(one.Hottest, fmt.Sprintf("%s %s:%d %s (%.1f%%)", versioned(l.Module, l.Version), l.File, l.Line,
				l.Code, 100*max(l.Share, l.Memory)))
		}
		for _, w := range c.Work[:min(len(c.Work), mostParts)] {
			one.Work = append(one.Work, fmt.Sprintf("%s (%.1f%%)", w.Kind, 100*w.Share))
		}
		for _, made := range c.Counts {
			text := fmt.Sprintf("%s: about %d", made.What, made.Times)
			if made.PerRequest > 0 {
				text += fmt.Sprintf(", %.3g per request", made.PerRequest)
			}
			one.Makes = append(one.Makes, text)
		}
		for _, a := range c.Alternatives[:min(len(c.Alternatives), mostParts)] {
			one.Others = append(one.Others, a.Name+a.Signature)
		}
		list = append(list, one)
	}
	return list
}

// An Upstream is what was found in a copy of a dependency. Its changes are for the authors of the dependency.
type Upstream struct {
	Module   string   `json:"module"`
	Changes  []Change `json:"changes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// A Change is a rewrite of a line of a dependency.
type Change struct {
	By       string  `json:"by"` // the rule or generator
	Title    string  `json:"title"`
	File     string  `json:"file"` // relative to the dependency
	Line     int     `json:"line"`
	Saving   float64 `json:"saving"`
	Unproven bool    `json:"unproven,omitempty"` // a candidate: it may behave differently
	Assumes  string  `json:"assumes,omitempty"`
	Diff     string  `json:"diff"`
}

// UpstreamOf returns the first n changes of each dependency.
func UpstreamOf(results []*find.Result, n int) (list []Upstream) {
	for _, r := range results {
		one := Upstream{Module: versioned(r.Module, r.Version), Warnings: fit.Texts(r.Warnings)}
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Fix != nil && f.Fix.Diff != "" && len(f.Places) > 0 && len(one.Changes) < n {
				one.Changes = append(one.Changes, Change{
					By: f.Rule, Title: f.Title, File: f.Places[0].File, Line: f.Places[0].Line, Saving: round(f.Saving),
					Diff: f.Fix.Diff,
				})
			}
		}
		for i := range r.Candidates[:max(min(len(r.Candidates), n-len(one.Changes)), 0)] {
			c := &r.Candidates[i]
			one.Changes = append(one.Changes, Change{
				By: c.Generator, Title: c.Title, File: c.Place.File, Line: c.Place.Line, Saving: round(c.Saving), Unproven: true,
				Assumes: c.Assumes, Diff: c.Change.Diff,
			})
		}
		list = append(list, one)
	}
	return list
}

// Shrink leaves out the last change of a dependency, or shortens the last diff, and reports whether there was one.
func Shrink(list *[]Upstream, least int) bool {
	for i := len(*list) - 1; i >= 0; i-- {
		u := &(*list)[i]
		for j := range u.Changes {
			if fit.Clip(&u.Changes[j].Diff, 800) || fit.Clip(&u.Changes[j].Assumes, 200) {
				return true
			}
		}
		if fit.Drop(&u.Changes, least) || fit.Drop(&u.Warnings, least) {
			return true
		}
	}
	return fit.Drop(list, least)
}

// versioned returns a module with its version.
func versioned(path, version string) string {
	if path == "" || version == "" {
		return path
	}
	return path + "@" + version
}

// round returns a share with four digits after the point.
func round(share float64) float64 { return math.Round(share*1e4) / 1e4 }
