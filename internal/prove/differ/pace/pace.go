package pace

import "time"

const (
	// least is the least time of a function: less is useless.
	least = 500 * time.Millisecond
	// factor is how much longer than its time a function takes: the inputs that were found run again with coverage.
	factor = 2
	// slow is by how much the time of a function is extended that was called on too few inputs.
	slow = 4
	// late is how far, as a part of the whole time, the comparison may go on after its end.
	late = 0.5
)

// A Pace is how long the functions of a comparison are called.
type Pace struct {
	Most       time.Duration // of each; 0: there is no limit
	Begin, End time.Time     // of all; zero: there is no limit
}

// Until returns a pace of functions that are called from now until an end, each for at most a time; if whole is 0,
// there is no end.
func Until(most, whole time.Duration) Pace {
	p := Pace{Most: most}
	if whole > 0 {
		p.Begin = time.Now()
		p.End = p.Begin.Add(whole)
	}
	return p
}

// Half returns a pace for a part of what is left to do: it ends halfway to the end.
func (p Pace) Half() Pace {
	if !p.End.IsZero() {
		p.Begin, p.End = time.Now(), time.Now().Add(time.Until(p.End)/2)
	}
	return p
}

// For returns the time of the next function if n are left.
func (p Pace) For(n int) time.Duration {
	if p.End.IsZero() {
		return p.Most
	}
	return min(p.Most, max(time.Until(p.End)/time.Duration(factor*max(n, 1)), least))
}

// Longer returns the time for a function that was too slow with a time, if n are left after it, and whether there is
// enough left to call it again.
func (p Pace) Longer(was time.Duration, n int) (time.Duration, bool) {
	longer := slow * was
	if !p.End.IsZero() {
		spare := time.Until(p.End) - time.Duration(n)*factor*p.For(n)
		longer = min(longer, spare/factor)
	}
	return longer, longer >= 2*was
}

// Over reports whether the time is up by far.
func (p Pace) Over() bool {
	return !p.End.IsZero() && time.Since(p.End) > time.Duration(late*float64(p.End.Sub(p.Begin)))
}
