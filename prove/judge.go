package prove

import (
	"errors"
	"fmt"
	"math"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// errNotSeen is the reason for dropping a change that may still be kept together with others.
var errNotSeen = errors.New("no gain distinguishable from noise")

// errNoSign is the reason for not trying a measured change together with others either.
var errNoSign = errors.New("no gain distinguishable from noise, nor a sign of one")

// errNoGain is the reason for dropping a measured change.
var errNoGain = errors.New("no gain")

// judge returns why a comparison does not show a gain, and which figures remain undecided. A gain
// stands despite a loss in another figure if the loss is negligible: at most 1% and at most a
// fifth of the gain. A rewrite that needs review, such as a buffer that slows down a benchmark that
// discards everything, may lose up to a quarter of what it gains elsewhere: the figures are
// reported.
func judge(r *ab.Result, reviewed bool) (open []string, err error) {
	v := figures{}
	for _, s := range r.Subjects {
		if s.Error != "" {
			return nil, errors.New(s.Name + ": " + s.Error)
		}
		for i := range s.Units {
			v.add(s.Name, &s.Units[i])
		}
	}
	limit := min(v.gain/5, math.Log(1.01))
	if reviewed {
		limit = v.gain / 4
	}
	switch {
	case v.lost > limit:
		return nil, errors.New("regression: " + v.loss)
	case v.gain > 0 && v.open > v.gain:
		return v.undecided, fmt.Errorf("%w: the possible loss exceeds the gain: %s", errNotSeen, v.opened)
	case v.gain > 0:
		return v.undecided, nil
	case len(v.undecided) > 0 && v.leans():
		return v.undecided, errNotSeen
	case len(v.undecided) > 0:
		return v.undecided, errNoSign
	}
	return nil, errNoGain
}

// A figures value accumulates the figures of a comparison, as logarithms of their ratios.
type figures struct {
	gain      float64 // the largest proven gain
	lost      float64 // the largest proven loss, and its figure
	loss      string
	undecided []string
	open      float64 // the largest undecided loss, and its figure
	opened    string
	sums      map[string]float64 // sums of all losses by unit, including undecided ones
}

func (v *figures) add(name string, u *ab.Unit) {
	if u.Unit == gotest.MeanTime && u.Verdict == ab.Undecided {
		return // noise from other processes, which affects sec/op less
	}
	lost := math.Log(float64(u.Ratio))
	if u.Better == bench.Higher {
		lost = -lost
	}
	if v.sums == nil {
		v.sums = map[string]float64{}
	}
	if !math.IsNaN(lost) && !math.IsInf(lost, 0) {
		v.sums[u.Unit] += lost
	}
	figure := Figure(name, u)
	switch u.Verdict {
	case ab.Worse:
		if math.IsNaN(lost) {
			lost = math.Inf(1) // from zero
		}
		if lost > v.lost {
			v.lost, v.loss = lost, figure
		}
	case ab.Better:
		if math.IsNaN(lost) {
			lost = math.Inf(-1) // to zero
		}
		v.gain = math.Max(v.gain, -lost)
	case ab.Undecided:
		v.undecided = append(v.undecided, figure)
		if lost > v.open {
			v.open, v.opened = lost, figure
		}
	case ab.Same:
	}
}

// leans reports whether some unit gains over all benchmarks, taking undecided figures at face
// value.
func (v *figures) leans() bool {
	for _, lost := range v.sums {
		if lost < -0.002 {
			return true
		}
	}
	return false
}

// Figure describes how a benchmark's unit has changed, with its interval.
func Figure(name string, u *ab.Unit) string {
	if math.IsNaN(float64(u.Ratio)) {
		return fmt.Sprintf("%s %s: from %v to %v", name, u.Unit, u.A.Median, u.B.Median)
	}
	if math.IsInf(float64(u.High), 0) || math.IsInf(float64(u.Low), 0) {
		return fmt.Sprintf("%s %s: %s (too few rounds for an interval)", name, u.Unit, percent(float64(u.Ratio)))
	}
	return fmt.Sprintf("%s %s: %s (95%%: %s to %s)", name, u.Unit, percent(float64(u.Ratio)), percent(float64(u.Low)),
		percent(float64(u.High)))
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f%%", 100*(ratio-1)) }
