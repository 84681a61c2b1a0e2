package service

import (
	"fmt"
	"slices"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

// maxDifferences is the number of different responses that are listed.
const maxDifferences = 5

// The kinds of warnings, in addition to those of package load.
const (
	// EndedEarly: a service failed during the measurement.
	EndedEarly = "ended_early"
	// RequestsFailed: requests to one side failed.
	RequestsFailed = "requests_failed"
	// AnswersDiffer: A and B answer a request differently.
	AnswersDiffer = "answers_differ"
	// AnswersVary: A answers a request differently each time, so that bodies were not compared.
	AnswersVary = "answers_vary"
	// NoCPU and NoAllocs: the CPU time or the allocations of one side could not be measured.
	NoCPU    = "no_cpu"
	NoAllocs = "no_allocs"
)

// warnings returns the reasons to distrust the figures, the most serious first.
func (r *Result) warnings(sides [2]*side) load.Warnings {
	var out load.Warnings
	add := func(kind, where, format string, args ...any) {
		out = append(out, load.Warning{Kind: kind, Where: where, Text: fmt.Sprintf(format, args...)})
	}
	if e := r.AB.Subjects[0].Error; e != "" {
		add(EndedEarly, "", "the measurement ended early: %s", e)
	}
	for i := range r.Sides {
		side := &r.Sides[i]
		if failed := side.Seen.Failed(); failed > 0 {
			add(RequestsFailed, ab.Side(i).String(), "%d of %s failed (%s), in %d of %s",
				failed, plural(int(side.Seen.Requests), "request", "requests"),
				side.Seen.Failures(), side.Seen.Failing, plural(side.Seen.Slices, "slice", "slices"))
		}
	}
	if a := r.Answers; a != nil {
		for _, d := range a.Differences[:min(len(a.Differences), maxDifferences)] {
			add(AnswersDiffer, d.Request, "answers differ: %s", d.What)
		}
		if more := len(a.Differences) - maxDifferences; more > 0 {
			add(AnswersDiffer, "", "%d more of %d requests are answered differently", more, a.Requests)
		}
		if a.Unstable > 0 {
			add(AnswersVary, "", "%d of %s changes from one answer to the next in A too; their bodies were not compared",
				a.Unstable, plural(a.Requests, "request", "requests"))
		}
	}
	out = append(out, loadWarnings(sides)...)
	for _, s := range sides {
		if s.noCPU != nil {
			out = append(out, load.Warning{
				Kind: NoCPU, Where: s.name, Text: "no " + UnitName(UnitCPU) + ": " + reason(s.noCPU),
				Hint: "on this system the whet agent reports it: import github.com/whet-go/whet/agent in the service",
			})
		}
		if s.noAlloc != nil {
			out = append(out, load.Warning{
				Kind: NoAllocs, Where: s.name, Text: "no " + UnitName(UnitAllocs) + ": " + reason(s.noAlloc),
				Hint: diag.Hint(s.noAlloc),
			})
		}
	}
	return out
}

// loadWarnings returns the warnings about the load of the slices, one of each kind. Where names the
// sides, and how many of their slices have the warning: "A in 3 slices, B in 1 slice".
func loadWarnings(sides [2]*side) load.Warnings {
	var out load.Warnings
	for _, s := range sides {
		all := slices.Clone(s.warnings)
		if w := tooFew(s.answers); w != nil {
			all = append(all, repeated{*w, len(s.answers)})
		}
		for _, w := range all {
			where := fmt.Sprintf("%s in %s", s.name, plural(w.slices, "slice", "slices"))
			if i := slices.IndexFunc(out, func(o load.Warning) bool { return o.Kind == w.Kind }); i >= 0 {
				out[i].Where += ", " + where
				continue
			}
			w.Where = where
			out = append(out, w.Warning)
		}
	}
	return out
}

// Units returns the units of a comparison, in display order.
func Units() []string {
	return []string{UnitCPU, UnitAllocs, UnitBytes, UnitP50, UnitP90, UnitP99, UnitRate}
}

// UnitName returns a unit in the form shown to users: "cpu/req".
func UnitName(u string) string {
	switch u {
	case UnitCPU:
		return "cpu/req"
	case UnitAllocs:
		return "allocs/req"
	case UnitBytes:
		return "bytes/req"
	case UnitP50:
		return "p50"
	case UnitP90:
		return "p90"
	case UnitP99:
		return "p99"
	case UnitRate:
		return "req/s"
	}
	return u
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}
