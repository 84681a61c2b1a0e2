package history

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
)

// GateSyntax describes the syntax of gates.
const GateSyntax = `[NAME:]UNIT<+LIMIT[%] or [NAME:]UNIT>-LIMIT[%], with commas between: ` +
	`'sec/op<+3%,allocs/op<+0', 'Encode:B/op<+64', 'B/s>-5%'; ` +
	`NAME is a regular expression for benchmarks`

// A Gate limits how much the newest commit may differ from those before it.
type Gate struct {
	Text  string         // as written
	Names *regexp.Regexp // of benchmarks; nil means all
	Unit  string         // tidied: sec/op
	// Least reports whether Limit is a lower limit.
	Least bool
	// Limit is the largest change allowed: a share if Relative, otherwise an amount in Unit.
	Limit    float64
	Relative bool
}

// A GateError reports an invalid gate.
type GateError struct {
	Gate string
	Err  error
}

// Error returns the gate and the cause.
func (e *GateError) Error() string { return fmt.Sprintf("gate %q: %v", e.Gate, e.Err) }

// Unwrap returns the cause.
func (e *GateError) Unwrap() error { return e.Err }

// maxGates bounds the gates of a text.
const maxGates = 1000

// ParseGates parses gates in GateSyntax. Its errors are *GateError.
func ParseGates(text string) ([]Gate, error) {
	var gates []Gate
	for part := range strings.SplitSeq(text, ",") {
		if len(gates) == maxGates {
			return nil, &GateError{clipped(text), fmt.Errorf("more than %d", maxGates)}
		}
		g, err := parseGate(strings.TrimSpace(part))
		if err != nil {
			return nil, &GateError{clipped(part), err}
		}
		gates = append(gates, g)
	}
	return gates, nil
}

func clipped(s string) string { return s[:min(len(s), 100)] }

func parseGate(text string) (Gate, error) {
	g := Gate{Text: text}
	at := strings.LastIndexAny(text, "<>")
	if at < 0 {
		return g, errors.New("missing < or >")
	}
	g.Least = text[at] == '>'
	what, limit := strings.TrimSpace(text[:at]), strings.TrimSpace(strings.TrimPrefix(text[at+1:], "="))
	if colon := strings.LastIndexByte(what, ':'); colon >= 0 {
		names, err := regexp.Compile(what[:colon])
		if err != nil {
			return g, err
		}
		g.Names, what = names, strings.TrimSpace(what[colon+1:])
	}
	if what == "" || strings.ContainsAny(what, " \t") {
		return g, errors.New("no unit before " + text[at:at+1])
	}
	limit, g.Relative = strings.CutSuffix(limit, "%")
	if limit == "" || limit[0] != '+' && limit[0] != '-' {
		return g, errors.New("no + or - before the limit")
	}
	v, err := strconv.ParseFloat(limit, 64)
	factor, unit := benchunit.Tidy(1, what)
	g.Unit, g.Limit = unit, v*factor
	if g.Relative {
		g.Limit = v / 100
	}
	if err != nil || math.IsInf(g.Limit, 0) || math.IsNaN(g.Limit) {
		return g, fmt.Errorf("%q is not a number", limit)
	}
	return g, nil
}

// Outcomes of a gate.
const (
	Holds     = "holds"
	Fails     = "fails"
	Undecided = "undecided"
)

// A GateResult is a gate's outcome for a series.
type GateResult struct {
	Gate   string `json:"gate"`
	Series int    `json:"series"` // index in Report.Series
	// Before is the median of the commits since the last change and before the newest; N is their
	// number. After is the center of the newest commit.
	N      int         `json:"n"`
	Before bench.Float `json:"before"`
	After  bench.Float `json:"after"`
	// Change is how much the newest commit differs, in the gate's terms (a share, or the unit). Low
	// and High bound the interval of the change, given the noise between commits.
	Change bench.Float `json:"change"`
	Low    bench.Float `json:"low"`
	High   bench.Float `json:"high"`
	// P is the probability that noise alone exceeds the limit by this much. Q is P adjusted for the
	// number of series that the gates examine.
	P       float64 `json:"p"`
	Q       float64 `json:"q"`
	Outcome string  `json:"outcome"` // Holds, Fails or Undecided
	Reason  string  `json:"reason,omitempty"`
}

// ErrNoSeries is Check's error when a gate matches no series.
var ErrNoSeries = errors.New("no series matches")

// Check applies gates to the newest commit, and stores the outcomes in r.Gate. In each of its
// series, the newest commit is compared with the commits since the last change or, if these are
// fewer than three, with those before that change. The noise is how much these differ. A gate has
// an outcome if the limit lies outside the prediction interval (Student's t); p values are adjusted
// for all series.
func (r *Report) Check(gates []Gate) error {
	r.Gate = nil
	var p []float64
	for i := range gates {
		g := &gates[i]
		about := 0
		for k := range r.Series {
			s := &r.Series[k]
			if s.Unit != g.Unit || g.Names != nil && !g.Names.MatchString(s.Benchmark) {
				continue
			}
			about++
			if s.Points[len(s.Points)-1].Commit != len(r.Commits)-1 {
				continue
			}
			c := r.check(g, s)
			c.Series = k
			r.Gate, p = append(r.Gate, c), append(p, c.P)
		}
		if about == 0 {
			return &GateError{g.Text, fmt.Errorf("%w; units are %s", ErrNoSeries, strings.Join(r.units(), ", "))}
		}
	}
	for i, q := range bench.Adjust(p) {
		c := &r.Gate[i]
		c.Q = q
		if c.Outcome == "" {
			if c.Outcome = Undecided; q <= r.Alpha {
				c.Outcome = Fails
			} else if c.Reason == "" {
				c.Reason = "the noise between commits is too large to tell"
			}
		}
	}
	return nil
}

func (r *Report) units() []string {
	seen := map[string]bool{}
	for i := range r.Series {
		seen[r.Series[i].Unit] = true
	}
	return sortedKeys(seen, compareUnits)
}

// check compares the newest point with those before it; the outcome is "" when it is left to the
// adjusted p value.
func (r *Report) check(g *Gate, s *Series) GateResult {
	last := len(s.Points) - 1
	from, to := s.before()
	values := s.values()
	c := GateResult{
		Gate: g.Text, N: to - from, P: 1, After: s.Points[last].Center, Low: bench.Float(math.Inf(-1)),
		High: bench.Float(math.Inf(1)),
	}
	if c.N == 0 {
		c.Outcome, c.Reason = Undecided, "no earlier commit"
		return c
	}
	middle := median(values[from:to])
	before := middle
	if !s.Linear {
		before = math.Exp(middle)
	}
	c.Before = bench.Float(before)
	// toGate converts a difference of values to a change in the gate's terms.
	toGate := func(d float64) float64 {
		switch {
		case s.Linear && g.Relative:
			return relative(d, math.Abs(middle))
		case s.Linear:
			return d
		case g.Relative:
			return math.Expm1(d)
		case s.Base != "":
			return before * math.Expm1(d) * s.Points[last].Base
		default:
			return before * math.Expm1(d)
		}
	}
	d := values[last] - middle
	c.Change = bench.Float(toGate(d))
	beyond := float64(c.Change) > g.Limit
	if g.Least {
		beyond = float64(c.Change) < g.Limit
	}
	noise := spread(values[from:to])
	switch {
	case c.N < leastSegment && !s.exact(from):
		c.Outcome, c.Reason = Undecided, fmt.Sprintf("only %d earlier commits", c.N)
		if c.N == 1 {
			c.Reason = "only one earlier commit"
		}
		return c
	case c.N < leastSegment || noise == 0:
		c.Low, c.High = c.Change, c.Change
		if c.Outcome = Holds; beyond {
			c.Outcome, c.P = Fails, 0
		}
		return c
	}
	freedom := float64(c.N - 1)
	scale := noise * math.Sqrt(1+1/float64(c.N))
	halfWidth := tQuantile(1-(1-r.Confidence)/2, freedom) * scale
	c.Low, c.High = bench.Float(toGate(d-halfWidth)), bench.Float(toGate(d+halfWidth))
	if !g.Least && float64(c.High) <= g.Limit || g.Least && float64(c.Low) >= g.Limit {
		c.Outcome = Holds
		return c
	}
	if beyond {
		c.P = tAbove(math.Abs(d-s.fromGate(g, middle))/scale, freedom)
	}
	return c
}

// fromGate returns the gate's limit as a difference of values.
func (s *Series) fromGate(g *Gate, middle float64) float64 {
	of := math.Exp(middle)
	if s.Base != "" {
		of *= s.Points[len(s.Points)-1].Base
	}
	switch {
	case s.Linear && g.Relative:
		return g.Limit * math.Abs(middle)
	case s.Linear:
		return g.Limit
	case g.Relative:
		return math.Log(max(1+g.Limit, 0))
	default:
		return math.Log(max(1+g.Limit/of, 0))
	}
}

// before returns the points that the last one is compared with.
func (s *Series) before() (from, to int) {
	last := len(s.Points) - 1
	starts := []int{0}
	for i, p := range s.Points {
		for _, c := range s.Changes {
			if c.At == p.Commit {
				starts = append(starts, i)
			}
		}
	}
	to = last
	for i := len(starts) - 1; i >= 0; i-- {
		if from = starts[i]; to-from >= leastSegment || i == 0 {
			break
		}
		to = from
	}
	return from, to
}

// exact reports whether the measurements do not vary within the commits from an index on: then
// there is no noise, as with allocations.
func (s *Series) exact(from int) bool {
	for i := from; i < len(s.Points); i++ {
		if !s.Points[i].exact {
			return false
		}
	}
	return true
}
