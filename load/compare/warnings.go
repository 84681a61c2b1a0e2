package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/load"
)

// settings are what two results must share to be comparable.
func settings(r *load.Result) [][2]string {
	open := "none"
	if o := r.Open; o != nil {
		open = fmt.Sprintf("%g/s, %s", o.Rate, o.Arrivals)
		if o.RampTo != 0 {
			open += fmt.Sprintf(", to %g/s in %v", o.RampTo, o.Ramp)
		}
	}
	command := ""
	if r.TargetCPU != nil {
		command = r.TargetCPU.Command
	}
	return [][2]string{
		{"targets", strings.Join(r.Targets, " ")},
		{"method", r.Method},
		{"protocol", string(r.Protocol)},
		{"model", string(r.Model)},
		{"requested rate", open},
		{"connections", fmt.Sprint(r.Connections)},
		{"streams", fmt.Sprint(max(r.Streams, 1))},
		{"engine", string(r.Engine)},
		{"event loops", fmt.Sprint(r.Workers)},
		{"server's program", command},
	}
}

// warnings lists what makes the two sides incomparable or untrustworthy.
func warnings(a, b []*load.Result) load.Warnings {
	var out load.Warnings
	add := func(where, text string) { out.AddNew(load.Warning{Where: where, Text: text}) }
	first := settings(a[0])
	for i, other := range settings(b[0]) {
		if other != first[i] {
			add(other[0], fmt.Sprintf("%s in A, %s in B", value(first[i][1]), value(other[1])))
		}
	}
	for i, runs := range [][]*load.Result{a, b} {
		name := [...]string{"A", "B"}[i]
		same := settings(runs[0])
		for _, r := range runs {
			for k, s := range settings(r) {
				if s != same[k] {
					add(s[0], fmt.Sprintf("the runs of %s differ", name))
				}
			}
			if r.Interrupted {
				add(name, "a run was interrupted")
			}
			for _, w := range r.Verdict() {
				w.Where = name
				out.AddNew(w)
			}
		}
	}
	if shortest, longest := lengths(append(slices.Clone(a), b...)); longest > 2*shortest {
		add("", fmt.Sprintf("the runs last from %.3gs to %.3gs: longer runs see longer maxima", shortest, longest))
	}
	if repeated(append(slices.Clone(a), b...)) {
		add("", "the same run is given more than once: intervals are too narrow")
	}
	return out
}

func value(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// lengths returns the shortest and longest measured part, in seconds.
func lengths(runs []*load.Result) (shortest, longest float64) {
	shortest = runs[0].Elapsed.Seconds()
	for _, r := range runs {
		shortest, longest = min(shortest, r.Elapsed.Seconds()), max(longest, r.Elapsed.Seconds())
	}
	return shortest, longest
}

// repeated reports whether one run is passed twice: no two runs start at the same nanosecond with
// the same counts by chance.
func repeated(runs []*load.Result) bool {
	for i, r := range runs {
		for _, o := range runs[:i] {
			if r == o || !r.Started.IsZero() && r.Started.Equal(o.Started) && r.Elapsed == o.Elapsed &&
				r.Requests == o.Requests {
				return true
			}
		}
	}
	return false
}
