package work

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/index"
)

// A Profile is one side of a comparison.
type Profile struct {
	Name      string               // for people
	Recording *recording.Recording // nil: a profile by itself
	Profile   string               // name of the profile in the recording
	// Trace opens the index of the recording's trace, which Between closes; it is
	// only called when the recording holds one.
	Trace func() (*index.Index, error)
}

// A Pair is the work of both sides.
type Pair struct {
	A, B *Count
	// Differences say how the requests of B are other work than those of A.
	Differences []string
	// Rates says at which rates requests came, if the difference matters.
	Rates string
	// Other reports that they differ so much that costs must not be compared.
	Other bool
}

const loadFlag = "`whet record --load URL` sends requests, counts them, and so gives costs per request"

// named puts the profile's name before an error that names nothing yet.
func (p *Profile) named(err error) error {
	if e := (*diag.Error)(nil); errors.As(err, &e) && e.Op == "" && p.Name != "" {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return err
}

// Between counts the requests behind two profiles. Where they cannot be counted, the error
// says why and, if something can be done about it, has a hint.
func Between(a, b Profile) (*Pair, error) {
	for _, p := range []*Profile{&a, &b} {
		if p.Recording == nil {
			return nil, p.named(uncounted("a profile alone does not hold how many requests were answered", loadFlag))
		}
	}
	source := Load
	if !a.Recording.Has(recording.LoadPart) || !b.Recording.Has(recording.LoadPart) {
		source = Trace
	}
	var counts [2]*Count
	for i, p := range []*Profile{&a, &b} {
		c, err := p.count(source)
		if err != nil {
			return nil, p.named(err)
		}
		counts[i] = c
	}
	pair := &Pair{A: counts[0], B: counts[1]}
	pair.differ()
	pair.rates()
	pair.drift()
	return pair, nil
}

func (p *Profile) count(source Source) (*Count, error) {
	m := p.Recording.Meta()
	from, to, err := window(&m, p.Profile)
	if err != nil {
		return nil, err
	}
	if source == Load {
		r := new(load.Result)
		if err := p.Recording.JSON(recording.LoadPart, r); err != nil {
			return nil, err
		}
		c, err := ofLoad(r, from, to)
		return p.late(c, err)
	}
	if !p.Recording.Has(recording.TracePart) || p.Trace == nil {
		return nil, uncounted("it holds no load, and no trace whose requests could be counted", loadFlag)
	}
	x, err := p.Trace()
	if err != nil {
		return nil, err
	}
	c, err := ofTrace(x, to.Sub(from))
	return p.late(c, errors.Join(err, x.Close()))
}

// late adds to a count what profiles of allocations do not hold yet: the runtime counts
// what was allocated one to two collections later. Which requests the profile is of
// is uncertain by one collection in as many as there were.
func (p *Profile) late(c *Count, err error) (*Count, error) {
	if err != nil || !strings.HasPrefix(p.Profile, "heap") && p.Profile != "allocs" {
		return c, err
	}
	first, last := p.collections(recording.MemStatsStartPart), p.collections(recording.MemStatsEndPart)
	// With fewer than two, the recorder asked for one, and nothing is missing.
	if n := last - first; first >= 0 && n >= 2 {
		c.requests.variance += 1 / (float64(n) * float64(n))
	}
	return c, nil
}

// collections returns the number of garbage collections that a part with memory
// statistics holds; -1 without one.
func (p *Profile) collections(part string) int64 {
	r, err := p.Recording.Part(part)
	if err != nil {
		return -1
	}
	defer func() { _ = r.Close() }() // only read
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if v, ok := strings.CutPrefix(lines.Text(), "# NumGC = "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}

// What CPU time per request differs by between recordings of the same program on the
// same machine, made one after the other: by 0.2 % when nothing else ran, and by 2 to 4 %
// when other programs took half of the processors (their caches, and the hypervisor's
// neighbors). Within a recording that is not to be seen.
const (
	leastDrift  = 0.005
	othersDrift = 0.06 // for each share of the processors that others use
)

// drift allows for the machine's state, unless both recordings saw the same.
func (p *Pair) drift() {
	a, b := p.A, p.B
	common := minTime(a.to, b.to).Sub(maxTime(a.from, b.from))
	if shorter := min(a.Window, b.Window); common >= shorter*4/5 && shorter > 0 {
		return
	}
	for _, c := range []*Count{a, b} {
		c.Drift = leastDrift + othersDrift*c.Others
	}
}

const (
	// Shares of answers that differ by less are not worth a word; by more than
	// otherWork, costs are of other work.
	leastDifference = 0.001
	otherWork       = 0.01
)

// otherRate is how many times as fast requests may come on one side before that is worth a word.
const otherRate = 2

// rates says when requests came much faster on one side: between requests that are far apart
// processors sleep and caches cool down, and what a program does once a second is shared by fewer
// of them.
func (p *Pair) rates() {
	if p.A.Source == Load && !(p.A.open && p.B.open) {
		return // as fast as the answers came
	}
	a, b := p.A.Requests/p.A.Window.Seconds(), p.B.Requests/p.B.Window.Seconds()
	if a > 0 && b > 0 && max(a/b, b/a) > otherRate {
		p.Rates = fmt.Sprintf("requests came at different rates, %.4g a second in A and %.4g in B: one costs more CPU time "+
			"where they are far apart", a, b)
	}
}

// differ compares the requests sent and the answers received.
func (p *Pair) differ() {
	if p.A.Source != Load {
		return
	}
	paths := func(targets []string) []string {
		out := make([]string, len(targets))
		for i, t := range targets {
			out[i] = path(t)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if a, b := paths(p.A.targets), paths(p.B.targets); !slices.Equal(a, b) {
		p.Other = true
		p.Differences = append(p.Differences, fmt.Sprintf("the loads have different targets: A %s, B %s", some(a), some(b)))
	}
	sum := func(m map[string]int64) (n float64) {
		for _, v := range m {
			n += float64(v)
		}
		return n
	}
	na, nb := sum(p.A.answers), sum(p.B.answers)
	if na == 0 || nb == 0 {
		return
	}
	kinds := maps.Clone(p.A.answers)
	maps.Copy(kinds, p.B.answers)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		a, b := float64(p.A.answers[kind])/na, float64(p.B.answers[kind])/nb
		pooled := (float64(p.A.answers[kind]) + float64(p.B.answers[kind])) / (na + nb)
		noise := 3 * math.Sqrt(pooled*(1-pooled)*(1/na+1/nb))
		if d := math.Abs(a - b); d > leastDifference && d > noise {
			p.Other = p.Other || d > otherWork
			p.Differences = append(p.Differences, fmt.Sprintf("requests differ: %s in %.3g%% of A and %.3g%% of B", kind, 100*a,
				100*b))
		}
	}
}

// some joins the first few of a list.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return fmt.Sprint(list)
	}
	return fmt.Sprintf("%v and %d more", list[:most], len(list)-most)
}

// Scale is what A's values are multiplied by to be of as many requests as B's.
func (p *Pair) Scale() float64 { return p.B.Requests / p.A.Requests }

// ScaleB is what B's values of a sample type are multiplied by to be of as many requests
// as A's. totalA and totalB are the sums of the type: of CPU time, whose total is the
// clock's where both have it.
func (p *Pair) ScaleB(sampleType string, totalA, totalB int64) float64 {
	switch {
	case !PerRequest(sampleType):
		return 1
	case (sampleType == "cpu" || sampleType == "samples") && p.Clock() && totalA > 0 && totalB > 0:
		return float64(p.B.CPU) / float64(p.A.CPU) * float64(totalA) / float64(totalB)
	}
	return p.A.Requests / p.B.Requests
}

// Clock reports whether both sides have the CPU time of a request by the clock of the
// target's process.
func (p *Pair) Clock() bool { return p.A.CPU > 0 && p.B.CPU > 0 }
