package sizes

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/prove/judgment"
)

// ErrTradeOff is the reason for not accepting a change that is faster with some generated inputs and slower with
// others.
var ErrTradeOff = errors.New("a trade-off, as far as generated benchmarks show")

// Judge returns why a change is not accepted that generated benchmarks show to be slower: judgment.ErrLoss or
// ErrTradeOff with the figures of each size; nil if no size shows a sure loss. Slight differences of time count only
// if they were measured in many layouts of the program, and mean times, which other processes disturb, do not count.
func Judge(r *ab.Result) error {
	var gains, losses, none []string
	for i := range r.Subjects {
		s := &r.Subjects[i]
		var better, worse []string
		for k := range s.Units {
			u := &s.Units[k]
			if judgment.Slight(u) && !s.VariedLayout || u.Unit == gotest.MeanTime {
				continue
			}
			switch u.Verdict {
			case ab.Better:
				better = append(better, figure(u))
			case ab.Worse:
				worse = append(worse, figure(u))
			case ab.Same, ab.Undecided:
			}
		}
		if len(better) > 0 {
			gains = append(gains, with(s.Name, better))
		}
		if len(worse) > 0 {
			losses = append(losses, with(s.Name, worse))
		}
		if len(better)+len(worse) == 0 {
			none = append(none, with(s.Name, nil))
		}
	}
	same := ""
	if len(none) > 0 {
		same = "; no difference shows " + strings.Join(none, ", ")
	}
	switch {
	case len(losses) == 0:
		return nil
	case len(gains) == 0:
		return fmt.Errorf("%w: only generated benchmarks run this line, and they show no gain at any size: %s%s",
			judgment.ErrLoss, strings.Join(losses, "; "), same)
	}
	return fmt.Errorf("%w: faster %s; slower %s%s", ErrTradeOff, strings.Join(gains, "; "), strings.Join(losses, "; "),
		same)
}

// with describes figures of a subject.
func with(name string, figures []string) string {
	benchmark, inputs, _ := strings.Cut(name, "/")
	switch kind, value, _ := strings.Cut(inputs, "="); {
	case kind == "size":
		inputs = "inputs of size " + value
	case kind == "inputs":
		inputs = value + " inputs"
	default:
		inputs = "its inputs"
	}
	if len(figures) == 0 {
		return "with " + inputs
	}
	return fmt.Sprintf("with %s (%s %s)", inputs, benchmark, strings.Join(figures, ", "))
}

// figure describes how a unit has changed.
func figure(u *ab.Unit) string {
	if ratio := float64(u.Ratio); !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		return u.Unit + " " + judgment.Percent(ratio)
	}
	return fmt.Sprintf("%s from %v to %v", u.Unit, u.A.Median, u.B.Median)
}
