package progress

import (
	"fmt"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// A Comparison shows an A/B measurement: its stages, and how far the rounds are.
type Comparison struct {
	line  *Line
	what  string // is compared: "benchmarks"
	begin time.Time
	noise bool // the stage of measuring the noise was shown
}

// NewComparison returns a view of what is compared, such as "benchmarks". End must be called.
func NewComparison(line *Line, what string) *Comparison {
	return &Comparison{line: line, what: what, begin: time.Now()}
}

// Stage shows a step that is not a round.
func (v *Comparison) Stage(text string) {
	p := Status{Elapsed: time.Since(v.begin), Running: []string{text}}
	if !v.line.live {
		p.Note = text // there is no line that changes
	}
	v.line.Show(p)
}

// Show shows how far the rounds are.
func (v *Comparison) Show(p ab.Progress) {
	if p.Trying && !v.noise {
		v.noise = true
		v.Stage("measure the noise: A against A")
		return
	}
	out := Status{Elapsed: time.Since(v.begin)}
	switch {
	case p.Trying:
		out.Running = []string{"measure the noise: A against A"}
	case p.Done == p.Of:
		return
	default:
		v.noise = false // the next comparison measures it too
		out.Running = []string{
			fmt.Sprintf("%d of %d %s", p.Done, p.Of, v.what), fmt.Sprintf("%s: %d pairs", p.Subject, p.Pairs),
		}
		if p.Low > 0 {
			out.Running = append(out.Running, fmt.Sprintf("B/A %.3f to %.3f", p.Low, p.High))
		}
	}
	if p.Left > 0 {
		out.Total = out.Elapsed + p.Left
	}
	v.line.Show(out)
}

// End erases the line.
func (v *Comparison) End() { v.line.Clear() }
