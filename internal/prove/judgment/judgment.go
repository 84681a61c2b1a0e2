package judgment

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
)

// ErrNotSeen is the reason for dropping a change that may still be kept together with others.
var ErrNotSeen = errors.New("no gain distinguishable from noise")

// ErrSmall is ErrNotSeen where every interval is within SameWithin: there may be a gain, but not a large one.
var ErrSmall = fmt.Errorf("%w, and none of more than %.0f%%", ErrNotSeen, 100*(SameWithin-1))

// ErrNoSign is the reason for not trying a measured change together with others either.
var ErrNoSign = errors.New("no gain distinguishable from noise, nor a sign of one")

// ErrLoss is the reason for dropping a change that makes something slower.
var ErrLoss = errors.New("regression")

// ErrNoGain is the reason for dropping a measured change.
var ErrNoGain = errors.New("no gain")

// ErrOnlyGenerated is the reason for dropping a change that generated benchmarks alone measure, none of
// which shows a gain.
var ErrOnlyGenerated = errors.New("only generated benchmarks run this line, and they are slower: " +
	"there is no evidence of a gain")

// SameWithin is the ratio up to which figures whose difference noise hides count as the same: a change that
// is not meant to be faster need not be measured until its interval is as narrow as a gain requires.
const SameWithin = 1.05

// mostCPU is the ratio of CPU time that noise may hide where the time decides: the change might move work to other
// goroutines.
const mostCPU = 1.25

// A Judgment is the result of a comparison for a change.
type Judgment struct {
	Err           error    // why it does not show a gain; nil if it does
	Open          []string // figures that remain undecided
	IgnoredLosses []string // losses of generated benchmarks
	// Slight are the benchmarks whose slight differences decide, the largest difference first: another layout of
	// the program could make them. See [Slight].
	Slight []string
	// Noisy are the benchmarks whose time noise leaves undecided, if that decides and they can share a CPU.
	Noisy []string
}

// slightRatio is the ratio below which a difference of time is slight.
const slightRatio = 1.1

// Slight reports whether a unit differs in time or rate by so little that the layout of the program could be
// the reason. Where the linker places code changes its speed by a few percent.
func Slight(u *ab.Unit) bool {
	return isTime(u) && (u.Verdict == ab.Better || u.Verdict == ab.Worse) && size(u) < math.Log(slightRatio)
}

// size returns the absolute logarithm of a unit's ratio; infinity if it has none.
func size(u *ab.Unit) float64 {
	if ratio := float64(u.Ratio); ratio > 0 {
		return math.Abs(math.Log(ratio))
	}
	return math.Inf(1)
}

// slight returns the subjects with slight differences, the largest one first.
func slight(r *ab.Result) (names []string) {
	sizes := map[string]float64{}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		for k := range s.Units {
			if u := &s.Units[k]; Slight(u) && !s.VariedLayout {
				sizes[s.Name] = max(sizes[s.Name], size(u))
			}
		}
	}
	for name := range sizes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	return names
}

// Of judges a comparison. A gain stands despite a loss in another figure if the loss is
// negligible: at most 1% and at most a fifth of the gain. A change that will be reviewed, such as a
// buffer that slows down a benchmark that discards everything, may lose up to a quarter of what it
// gains elsewhere: the figures are reported.
//
// generated has the inputs of generated benchmarks, by name. Since they are invented, a generated benchmark
// with a loss is ignored with all its figures: it counts neither for the change nor against it.
func Of(r *ab.Result, generated map[string]string, reviewed bool) Judgment {
	j := of(r, generated, reviewed, false)
	if j.Err == nil || errors.Is(j.Err, ErrLoss) || errors.Is(j.Err, ErrOnlyGenerated) {
		if other := of(r, generated, reviewed, true); !errors.Is(other.Err, cause(j.Err)) {
			j.Slight = slight(r)
		}
	}
	if errors.Is(j.Err, ErrNotSeen) || errors.Is(j.Err, ErrNoSign) {
		j.Noisy = noisy(r)
	}
	return j
}

// noisy returns the subjects that can share a CPU and whose time has a wide interval.
func noisy(r *ab.Result) (names []string) {
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if !s.CanShare || len(s.Units) == 0 {
			continue
		}
		if u := &s.Units[0]; isTime(u) && u.Verdict == ab.Undecided && isWide(u) {
			names = append(names, s.Name)
		}
	}
	return names
}

// isTime reports whether a unit is one of time, or a rate.
func isTime(u *ab.Unit) bool { return strings.Contains(u.Unit, "sec") || u.Better == bench.Higher }

// isWide reports whether a unit's interval contains more than SameWithin.
func isWide(u *ab.Unit) bool {
	return !(float64(u.Low) >= 1/SameWithin && float64(u.High) <= SameWithin)
}

// cause returns the error of a judgment without its figures.
func cause(err error) error {
	for _, c := range []error{ErrLoss, ErrOnlyGenerated} {
		if errors.Is(err, c) {
			return c
		}
	}
	return nil
}

// of judges a comparison, with or without slight differences.
func of(r *ab.Result, generated map[string]string, reviewed, withoutSlight bool) (j Judgment) {
	v := figures{withoutSlight: withoutSlight}
	counted := false
	for i := range r.Subjects {
		s := &r.Subjects[i]
		if s.Error != "" {
			j.Err = errors.New(s.Name + ": " + s.Error)
			return j
		}
		if inputs, ok := generated[s.Name]; ok {
			own := figures{withoutSlight: withoutSlight}
			own.addAll(r, s)
			if own.lost > own.limit(reviewed) {
				j.IgnoredLosses = append(j.IgnoredLosses, fmt.Sprintf("%s, with %s: the input is generated, so this does "+
					"not count against the change; check whether the program gets such input", own.loss, inputs))
				continue
			}
		}
		v.addAll(r, s)
		counted = true
	}
	if len(j.IgnoredLosses) > 0 && !counted {
		j.Err = &diag.Error{Err: ErrOnlyGenerated, Hint: "write a benchmark, or measure the service under load (--service)"}
		return j
	}
	j.Open = v.undecided
	switch {
	case v.lost > v.limit(reviewed):
		j.Open, j.Err = nil, fmt.Errorf("%w: %s", ErrLoss, v.loss)
	case v.gain > 0 && v.open > v.gain:
		j.Err = v.longer(fmt.Errorf("%w: the possible loss exceeds the gain: %s", ErrNotSeen, v.opened))
	case v.gain > 0:
	case len(v.undecided) > 0 && v.leans() && !v.noises.wide():
		j.Err = v.longer(ErrSmall)
	case len(v.undecided) > 0 && v.leans():
		j.Err = v.longer(ErrNotSeen)
	case v.noises.wide():
		j.Err = ErrNoSign
	default:
		j.Err = ErrNoGain
	}
	return j
}

// A figures value accumulates the figures of a comparison, as logarithms of their ratios.
type figures struct {
	gain      float64 // the largest proven gain
	lost      float64 // the largest proven loss, and its figure
	loss      string
	undecided []string
	noises    noises
	// The largest undecided loss that may outweigh a gain, and its figure: of the unit that the
	// measurement is for, or with an interval that contains only losses.
	open   float64
	opened string
	sums   map[string]float64 // sums of all losses by unit, including undecided ones
	// needed is the minimum time in which an undecided gain would show; 0 if that is unknown.
	needed time.Duration

	withoutSlight bool // slight differences do not count
}

// limit returns the loss that a gain outweighs.
func (v *figures) limit(reviewed bool) float64 {
	if reviewed {
		return v.gain / 4
	}
	return min(v.gain/5, math.Log(1.01))
}

// longer adds the hint to measure for a longer time, if it is known how long.
func (v *figures) longer(err error) error {
	if v.needed == 0 {
		return err
	}
	return &diag.Error{
		Err: err, Hint: fmt.Sprintf("about %v would show a change of the measured size (--max-time)", rounded(v.needed)),
	}
}

// rounded returns a duration with one digit more than its unit needs.
func rounded(d time.Duration) time.Duration {
	switch {
	case d > 2*time.Minute:
		return d.Round(time.Minute)
	case d > 20*time.Second:
		return d.Round(10 * time.Second)
	}
	return max(d.Round(time.Second), time.Second)
}

// addAll adds the figures of a subject.
func (v *figures) addAll(r *ab.Result, s *ab.SubjectResult) {
	v.noises.add(s)
	for i := range s.Units {
		v.add(r, s, i)
	}
}

func (v *figures) add(r *ab.Result, s *ab.SubjectResult, i int) {
	u := &s.Units[i]
	if isSecond(s, i) && u.Verdict == ab.Undecided {
		return
	}
	if v.withoutSlight && !s.VariedLayout && Slight(u) {
		return
	}
	lost, surely := math.Log(float64(u.Ratio)), u.Low > 1
	if u.Better == bench.Higher {
		lost, surely = -lost, u.High < 1
	}
	if v.sums == nil {
		v.sums = map[string]float64{}
	}
	if !math.IsNaN(lost) && !math.IsInf(lost, 0) {
		v.sums[u.Unit] += lost
	}
	figure := Figure(s.Name, u)
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
		if (i == 0 || surely) && lost > v.open {
			v.open, v.opened = lost, figure
		}
		if needed := r.TimeNeeded(s, u); needed > 0 && (lost < 0 || i == 0) && (v.needed == 0 || needed < v.needed) {
			v.needed = needed
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
		return fmt.Sprintf("%s %s: %s (too few rounds for an interval)", name, u.Unit, Percent(float64(u.Ratio)))
	}
	return fmt.Sprintf("%s %s: %s (95%%: %s to %s)", name, u.Unit, Percent(float64(u.Ratio)), Percent(float64(u.Low)),
		Percent(float64(u.High)))
}

// Percent formats a ratio as a change.
func Percent(ratio float64) string { return fmt.Sprintf("%+.1f%%", 100*(ratio-1)) }

// Gains returns the figures of a comparison that have become better, by benchmark; "" if none has. r may be nil.
func Gains(r *ab.Result) string {
	if r == nil {
		return ""
	}
	var subjects []string
	for _, s := range r.Subjects {
		var units []string
		for i := range s.Units {
			if u := &s.Units[i]; u.Verdict == ab.Better {
				text := u.Unit + " to zero"
				if !math.IsNaN(float64(u.Ratio)) {
					text = u.Unit + " " + Percent(float64(u.Ratio))
				}
				units = append(units, text)
			}
		}
		if len(units) > 0 {
			subjects = append(subjects, s.Name+" "+strings.Join(units, ", "))
		}
	}
	return strings.Join(subjects, "; ")
}
