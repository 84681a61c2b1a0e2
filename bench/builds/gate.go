package builds

import (
	"fmt"
	"math"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/history"
)

// Check applies gates to the comparison and returns which benchmarks fail which: those whose whole
// interval lies beyond the limit, and for limits in the unit those that are worse and beyond it by
// their medians. A gate does not fail within the noise. A gate that matches nothing measured is a
// *history.GateError.
func (r *Result) Check(gates []history.Gate) (failed []string, err error) {
	for i := range gates {
		g := &gates[i]
		about := false
		for _, c := range r.Subjects {
			if g.Names != nil && !g.Names.MatchString(c.Name) {
				continue
			}
			for k := range c.Units {
				u := &c.Units[k]
				if u.Unit != g.Unit {
					continue
				}
				about = true
				if change, beyond := beyond(g, u, r.Alpha); beyond {
					failed = append(failed, fmt.Sprintf("%s: %s is not within %s", c.Name, change, g.Text))
				}
			}
		}
		if !about {
			return failed, &history.GateError{Gate: g.Text, Err: history.ErrNoSeries}
		}
	}
	return failed, nil
}

// beyond reports whether a unit is beyond a gate's limit, and its change in words.
func beyond(g *history.Gate, u *ab.Unit, alpha float64) (change string, beyond bool) {
	if !g.Relative || math.IsNaN(float64(u.Ratio)) {
		d := float64(u.B.Median - u.A.Median)
		change = fmt.Sprintf("%+g %s", d, u.Unit)
		if g.Relative {
			// A share of zero: any change is beyond it.
			return change, u.Q <= alpha && d != 0 && (d < 0) == g.Least
		}
		return change, u.Q <= alpha && (g.Least && d < g.Limit || !g.Least && d > g.Limit)
	}
	change = fmt.Sprintf("%+.2f%% (%+.2f%% to %+.2f%%)", 100*float64(u.Ratio-1), 100*float64(u.Low-1),
		100*float64(u.High-1))
	if g.Least {
		return change, float64(u.High)-1 < g.Limit
	}
	return change, float64(u.Low)-1 > g.Limit
}
