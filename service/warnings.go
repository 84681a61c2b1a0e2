package service

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/unit"
)

// maxDifferences is the number of different responses that are listed.
const maxDifferences = 5

// Warnings returns the reasons to distrust the figures, the most serious first, one sentence each,
// except the warnings of AB.
func (r *Result) Warnings() (warnings []string) {
	warnf := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if e := r.AB.Subjects[0].Error; e != "" {
		warnf("the measurement ended early: %s", e)
	}
	for i := range r.Sides {
		side := &r.Sides[i]
		if failed := side.Seen.Failed(); failed > 0 {
			warnf("%v failed %d of %s (%s), in %d of %s",
				ab.Side(i), failed, plural(int(side.Seen.Requests), "request", "requests"),
				side.Seen.Failures(), side.Seen.Failing, plural(side.Seen.Slices, "slice", "slices"))
		}
	}
	if a := r.Answers; a != nil {
		for _, d := range a.Differences[:min(len(a.Differences), maxDifferences)] {
			warnf("answers differ: %s: %s", d.Request, d.What)
		}
		if more := len(a.Differences) - maxDifferences; more > 0 {
			warnf("%d more of %d requests are answered differently", more, a.Asked)
		}
		if a.Unstable > 0 {
			warnf("%d of %s changes from one answer to the next in A too; their bodies were not compared",
				a.Unstable, plural(a.Asked, "request", "requests"))
		}
	}
	for i, d := range r.Verdict {
		same := func(o Warning) bool { return o.Kind == d.Kind }
		if slices.ContainsFunc(r.Verdict[:i], same) {
			continue // reported with that of the other side
		}
		text := ""
		for _, o := range r.Verdict[i:] {
			if same(o) {
				text += fmt.Sprintf("%s in %s, ", o.Side, plural(o.Slices, "slice", "slices"))
			}
		}
		text = strings.TrimSuffix(text, ", ") + ": " + d.Text
		if d.Hint != "" {
			text += "; " + d.Hint
		}
		warnf("%s", text)
	}
	for _, m := range r.Missing {
		text := fmt.Sprintf("no %s: %s: %s", UnitName(m.Unit), m.Side, m.Reason)
		if m.Hint != "" {
			text += "; " + m.Hint
		}
		warnf("%s", text)
	}
	return warnings
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
