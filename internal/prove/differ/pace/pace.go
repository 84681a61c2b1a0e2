package pace

import "time"

const (
	// least is the least time of a function: less is useless.
	least = 500 * time.Millisecond
	// factor is how much longer than its time a function takes at least: the inputs that were found run again with
	// coverage.
	factor = 2
	// slow is by how much the time of a function is extended that was called on too few inputs.
	slow = 4
	// late is how far, as a part of the whole time, the comparison may go on after its end.
	late = 0.25
)

// A Pace is how long the functions of a comparison are called. It is not safe for concurrent use.
type Pace struct {
	most       time.Duration // of each
	begin, end time.Time     // of all; zero: there is no limit

	given, took time.Duration // of the functions so far: the time that they got, and what they took with all else
}

// Until returns a pace of functions that are called from now until an end, each for at most a time; if whole is 0,
// there is no end.
func Until(most, whole time.Duration) *Pace {
	p := &Pace{most: most}
	if whole > 0 {
		p.begin = time.Now()
		p.end = p.begin.Add(whole)
	}
	return p
}

// Half returns a pace for a part of what is left to do: it ends halfway to the end.
func (p *Pace) Half() *Pace {
	half := *p
	if !p.end.IsZero() {
		half.begin, half.end = time.Now(), time.Now().Add(time.Until(p.end)/2)
	}
	return &half
}

// For returns the time of the next function if n are left.
func (p *Pace) For(n int) time.Duration {
	if p.end.IsZero() {
		return p.most
	}
	return min(p.most, max(time.Duration(float64(time.Until(p.end))/(p.factor()*float64(max(n, 1)))), least))
}

// Took records that a function took some time in all, of which it was given a part.
func (p *Pace) Took(given, took time.Duration) { p.given, p.took = p.given+given, p.took+took }

// factor returns how much longer than its time a function takes.
func (p *Pace) factor() float64 {
	if p.given == 0 {
		return factor
	}
	return max(factor, float64(p.took)/float64(p.given))
}

// Longer returns the time for a function that was too slow with a time, if n are left after it, and whether there is
// enough left to call it again.
func (p *Pace) Longer(was time.Duration, n int) (time.Duration, bool) {
	longer := slow * was
	if !p.end.IsZero() {
		f := p.factor()
		spare := float64(time.Until(p.end)) - float64(n)*f*float64(p.For(n))
		longer = min(longer, time.Duration(spare/f))
	}
	return longer, longer >= 2*was
}

// Over reports whether the time is up by far.
func (p *Pace) Over() bool {
	return !p.end.IsZero() && time.Since(p.end) > time.Duration(late*float64(p.end.Sub(p.begin)))
}
