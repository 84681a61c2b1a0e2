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
	Name      string               // for display
	Recording *recording.Recording // nil: a profile by itself
	Profile   string               // name of the profile in the recording
	// Trace opens the index of the recording's trace, which Between closes; it is only called if
	// the recording contains one.
	Trace func() (*index.Index, error)
}

// A Pair is the work done on both sides of a comparison.
type Pair struct {
	A, B *Count
	// Differences describe how the requests of B differ from those of A.
	Differences []string
	// Rates describes the request rates of both sides if their difference matters; else "".
	Rates string
	// Other reports whether they differ too much to compare costs.
	Other bool
}

const loadFlag = "`whet record --load URL` sends requests and counts them, which gives costs per request"

// named prefixes an error with the profile's name unless it has one already.
func (p *Profile) named(err error) error {
	if e := (*diag.Error)(nil); errors.As(err, &e) && e.Op == "" && p.Name != "" {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return err
}

// Between counts the requests behind two profiles. If they cannot be counted, it returns an error
// with the reason and, where there is a remedy, a hint.
func Between(a, b Profile) (*Pair, error) {
	for _, p := range []*Profile{&a, &b} {
		if p.Recording == nil {
			return nil, p.named(uncounted("a profile does not record how many requests were answered", loadFlag))
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

// Requests counts the requests that the load of a recording sent while a profile was taken. It is an error if
// they cannot be counted.
func Requests(rec *recording.Recording, profile string) (*Count, error) {
	if rec == nil || !rec.Has(recording.LoadPart) {
		return nil, uncounted("the recording has no load", loadFlag)
	}
	p := Profile{Recording: rec, Profile: profile}
	return p.count(Load)
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
		return nil, uncounted("it has no load, and no trace whose requests could be counted", loadFlag)
	}
	x, err := p.Trace()
	if err != nil {
		return nil, err
	}
	c, err := ofTrace(x, to.Sub(from))
	return p.late(c, errors.Join(err, x.Close()))
}

// late adds the uncertainty of an allocation profile to a count: the runtime publishes allocations
// one to two collections later, so the requests that the profile covers are uncertain by one
// collection out of those in the window.
func (p *Profile) late(c *Count, err error) (*Count, error) {
	if err != nil || !strings.HasPrefix(p.Profile, "heap") && p.Profile != "allocs" {
		return c, err
	}
	first, last := p.collections(recording.MemStatsStartPart), p.collections(recording.MemStatsEndPart)
	// With fewer than two, the recorder requested one, and nothing is missing.
	if n := last - first; first >= 0 && n >= 2 {
		c.requests.variance += 1 / (float64(n) * float64(n))
	}
	return c, nil
}

// collections returns the number of garbage collections in a part with memory statistics; -1 if
// there is no such part.
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

// How much the CPU time per request differs between recordings of the same program on the same
// machine, made one after the other: by 0.2% if nothing else runs, and by 2% to 4% if other
// programs use half of the CPUs (caches, and neighbors on the hypervisor). A single recording does
// not show it.
const (
	leastDrift  = 0.005
	othersDrift = 0.06 // for each share of the processors that others use
)

// drift allows for the machine's state, unless the recordings were made at the same time.
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
	// Smaller differences between shares of answers are not reported; beyond otherWork, the costs
	// are of different work.
	leastDifference = 0.001
	otherWork       = 0.01
)

// otherRate is the ratio of request rates above which the difference is reported.
const otherRate = 2

// rates reports that requests came much faster on one side: between requests that are far apart
// CPUs sleep and caches cool down, and fewer requests share what a program does once a second.
func (p *Pair) rates() {
	if p.A.Source == Load && !(p.A.open && p.B.open) {
		return // as fast as the answers came
	}
	a, b := p.A.Requests/p.A.Window.Seconds(), p.B.Requests/p.B.Window.Seconds()
	if a > 0 && b > 0 && max(a/b, b/a) > otherRate {
		p.Rates = fmt.Sprintf("request rates differ, %.4g per second in A and %.4g in B: a request costs more CPU time "+
			"at a low rate", a, b)
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

// Scale returns the factor that scales A's values to the number of requests of B.
func (p *Pair) Scale() float64 { return p.B.Requests / p.A.Requests }

// ScaleB returns the factor that scales B's values of a sample type to the number of requests of A.
// totalA and totalB are the sums of the sample type; for CPU time they are scaled to the clock of
// the process if both sides have it.
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
