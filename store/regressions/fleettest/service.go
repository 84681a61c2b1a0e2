package fleettest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// A Plan is what happens to a service.
type Plan int

// The plans. All have a deploy that changes nothing, and a second deploy.
const (
	// Nothing changes.
	Nothing Plan = iota
	// Slower means that the second deploy makes the victim 5% slower.
	Slower
	// Drift means that the victim becomes 5% slower between deploys.
	Drift
	// Moved means that the second deploy moves a third of the victim's cost to a new function.
	Moved
	// TakenOver means that the second deploy moves a third of the victim's cost to its caller.
	TakenOver
	// Warmup means that the victim is 30% slower for five hours after the second deploy.
	Warmup
	numPlans
)

// String returns the name of the plan.
func (p Plan) String() string {
	return [...]string{"nothing", "slower", "drift", "moved", "taken over", "warm-up"}[p]
}

// Plans returns all plans.
func Plans() []Plan {
	out := make([]Plan, numPlans)
	for i := range out {
		out[i] = Plan(i)
	}
	return out
}

// Options describe a fleet. The zero value has the defaults.
type Options struct {
	Hosts   int     // 0: 20
	Days    int     // 0: 8
	Samples float64 // of an average host in an hour; 0: 30000, a twelfth of a busy CPU's
	Slower  float64 // by how much victims get slower; 0: 0.05
	// Noise is by how much hours of a host differ in what a function costs, next to what all hosts have in common;
	// 0: 0.03.
	Noise float64
	// Neighbors is the probability that a neighbor begins to disturb a host in an hour; 0: 0.01.
	Neighbors float64
	// Season is how much what a function costs follows the load; 0: 0.12.
	Season float64
	// Shocks are by how much hours of the whole service differ in what a function costs; 0: 0.01.
	Shocks float64
}

func (o *Options) defaults() {
	if o.Hosts == 0 {
		o.Hosts = 20
	}
	if o.Days == 0 {
		o.Days = 8
	}
	if o.Samples == 0 {
		o.Samples = 30_000
	}
	if o.Slower == 0 {
		o.Slower = 0.05
	}
	o.Noise = cmp.Or(o.Noise, 0.03)
	o.Neighbors = cmp.Or(o.Neighbors, 0.01)
	o.Season = cmp.Or(o.Season, 0.12)
	o.Shocks = cmp.Or(o.Shocks, 0.01)
}

// Shape of services.
const (
	functions   = 60
	packages    = 8
	linesOf     = 2 // lines of a function
	victimShare = 0.01
	Hour        = time.Hour
)

// Epoch is when all fleets begin.
func Epoch() time.Time { return time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC) }

// A function is one of a service.
type function struct {
	name, file string
	start      int // line
	share      float64
	season     float64   // how much its share follows the load
	hosts      []float64 // factor by host
}

// A Service is what one service stored.
type Service struct {
	Name   string
	Plan   Plan
	Victim string // the function that the plan is about; "" for Nothing
	Taker  string // the function that takes over cost
	First  int    // hour of the first deploy, which changes nothing
	Second int    // hour of the second one
	Drift  int    // hour of the change without a deploy
	hosts  int
	hours  int

	funcs  []function
	moved  [3]int        // by version: by how many lines all functions are lower in their files
	counts [][][]float64 // by hour and host: cost of each line; the last is that of the runtime
	since  [][2]int      // by host: when it runs the versions after the first
	label  [][3]store.Labels
}

// New returns service n of the fleet of a seed.
func New(o Options, seed uint64, n int, plan Plan) *Service {
	o.defaults()
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	s := &Service{
		Name: fmt.Sprintf("service%03d", n), Plan: plan, hosts: o.Hosts, hours: 24 * o.Days, moved: [3]int{0, 7, 19},
	}
	s.First = s.hours/4 + r.IntN(s.hours/8)
	s.Second = s.hours*9/16 + r.IntN(s.hours/8)
	s.Drift = s.First + 12 + r.IntN(max(s.Second-s.First-24, 1))
	s.draw(o, r)
	victim := 8 + r.IntN(functions-8)
	if plan != Nothing {
		s.Victim = s.funcs[victim].name
	}
	if plan == TakenOver {
		s.Taker = s.funcs[victim%packages].name
	}
	for host := range s.hosts {
		const rolling = 3 // hours
		var of [3]store.Labels
		for v := range of {
			of[v] = store.NewLabels(map[string]string{"host": fmt.Sprintf("host%02d", host), "version": fmt.Sprintf("v%d", v+1)})
		}
		s.label = append(s.label, of)
		s.since = append(s.since, [2]int{s.First + host*rolling/s.hosts, s.Second + host*rolling/s.hosts})
	}
	s.measure(o, r, victim)
	return s
}

// draw makes functions: the first of each package calls the others.
func (s *Service) draw(o Options, r *rand.Rand) {
	sum := 0.0
	for i := range functions {
		f := function{
			name:  fmt.Sprintf("example.com/%s/part%d.Handle%02d", s.Name, i%packages, i),
			file:  fmt.Sprintf("example.com/%s/part%d/part.go", s.Name, i%packages),
			start: 10 + 20*(i/packages), share: math.Exp(1.1 * r.NormFloat64()), season: o.Season * r.NormFloat64(),
		}
		for range s.hosts {
			f.hosts = append(f.hosts, math.Exp(0.08*r.NormFloat64()))
		}
		sum += f.share
		s.funcs = append(s.funcs, f)
	}
	for i := range s.funcs {
		s.funcs[i].share *= 0.8 / sum // the rest is the runtime
	}
}

// measure draws the cost of each line on each host in each hour.
func (s *Service) measure(o Options, r *rand.Rand, victim int) {
	s.funcs[victim].share = victimShare
	if s.Plan == Moved {
		f := s.funcs[victim]
		f.name, f.start, f.share = f.name+"Rest", f.start+10, 0
		s.Taker = f.name
		s.funcs = append(s.funcs, f)
	}
	n := len(s.funcs)
	shock := make([]float64, n) // of all hosts at once
	phase := r.Float64() * 24
	size := make([]float64, s.hosts)
	for h := range size {
		size[h] = math.Exp(0.3 * r.NormFloat64())
	}
	busy := make([]int, s.hosts) // hours that a neighbor still disturbs
	day := 1.0
	for hour := range s.hours {
		if hour%24 == 0 {
			day = 1 + 0.1*r.NormFloat64()
		}
		season := day * math.Sin(2*math.Pi*(float64(hour)-phase)/24)
		for i := range shock {
			shock[i] = 0.5*shock[i] + o.Shocks*r.NormFloat64()
		}
		var hosts [][]float64
		for host := range s.hosts {
			if busy[host]--; r.Float64() < o.Neighbors {
				busy[host] = 1 + r.IntN(5)
			}
			load := o.Samples * size[host] * (1 + 0.4*season) * math.Exp(0.1*r.NormFloat64())
			costs := make([]float64, 0, n*linesOf+1)
			for i := range s.funcs {
				f := &s.funcs[i]
				x := f.share * f.hosts[host] * (1 + f.season*season) * math.Exp(shock[i]+o.Noise*r.NormFloat64())
				x = s.change(o, x, i, victim, host, hour)
				for line := range linesOf {
					costs = append(costs, poisson(r, load*x*[linesOf]float64{0.7, 0.3}[line]))
				}
			}
			collector := 0.2 * math.Exp(0.1*r.NormFloat64())
			if busy[host] > 0 {
				collector *= 1.5
			}
			hosts = append(hosts, append(costs, poisson(r, load*collector)))
		}
		s.counts = append(s.counts, hosts)
	}
}

// change applies the plan to the cost x of function i.
func (s *Service) change(o Options, x float64, i, victim, host, hour int) float64 {
	deployed := hour >= s.since[host][1]
	switch s.Plan {
	case Slower:
		if i == victim && deployed {
			return x * (1 + o.Slower)
		}
	case Drift:
		if i == victim && hour >= s.Drift {
			return x * (1 + o.Slower)
		}
	case Warmup:
		if i == victim && deployed && hour < s.since[host][1]+5 {
			return x * 1.3
		}
	case Nothing, numPlans:
	case Moved, TakenOver:
		if !deployed {
			return x
		}
		const part = 1.0 / 3
		switch {
		case i == victim:
			return x * (1 - part)
		case s.funcs[i].name == s.Taker:
			return x + victimShare*part*s.funcs[victim].hosts[host]
		}
	}
	return x
}

// poisson draws from a Poisson distribution, by its normal approximation if the mean is large.
func poisson(r *rand.Rand, mean float64) float64 {
	if mean > 50 {
		return math.Round(max(mean+math.Sqrt(mean)*r.NormFloat64(), 0))
	}
	n, product := 0.0, r.Float64()
	for limit := math.Exp(-mean); product > limit; n++ {
		product *= r.Float64()
	}
	return n
}

// version returns what a host runs in an hour: 0, 1 or 2.
func (s *Service) version(host, hour int) int {
	switch {
	case hour >= s.since[host][1]:
		return 2
	case hour >= s.since[host][0]:
		return 1
	}
	return 0
}

// labels returns the labels of a host.
func (s *Service) labels(host, version int) store.Labels { return s.label[host][version] }

// profile returns costs of lines as the profile of a version.
func (s *Service) profile(costs []float64, version int, start time.Time) *profile.Profile {
	const sample = 10_000_000 // nanoseconds
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"},
		profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	address := uint64(0x1000)
	frame := func(f profile.Function, line int) uint32 {
		address += 16
		return b.Location(address, profile.None, false, profile.Line{Function: b.Function(f), Line: int32(line)})
	}
	main := frame(profile.Function{Name: "main.main", File: "example.com/" + s.Name + "/main.go", StartLine: 5}, 9)
	var callers [packages]uint32
	add := func(v float64, stack ...uint32) {
		if v > 0 {
			_ = b.Sample(stack, nil, int64(v), int64(v)*sample) // the columns are two
		}
	}
	for i, f := range s.funcs {
		fn := profile.Function{Name: f.name, File: f.file, StartLine: int64(f.start + s.moved[version])}
		for line := range linesOf {
			at := frame(fn, f.start+s.moved[version]+2+3*line)
			stack := []uint32{at}
			if i >= packages {
				stack = append(stack, callers[i%packages])
			} else if line == 0 {
				callers[i] = frame(fn, f.start+s.moved[version]+9)
			}
			add(costs[i*linesOf+line], append(stack, main)...)
		}
	}
	add(costs[len(costs)-1], frame(profile.Function{Name: "runtime.gcBgMarkWorker", File: "runtime/mgc.go"}, 1500))
	return b.Profile(&profile.Profile{
		SampleTypes: []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType:  profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: sample, Time: start, Duration: Hour,
	})
}

// Profiles calls visit with each profile, one an hour and host, hour by hour, until it fails.
func (s *Service) Profiles(visit func(store.Profile) error) error {
	for hour, hosts := range s.counts {
		for host, costs := range hosts {
			start := Epoch().Add(time.Duration(hour) * Hour)
			v := s.version(host, hour)
			err := visit(store.Profile{
				Service: s.Name, Kind: "cpu", Labels: s.labels(host, v), Start: start, Duration: Hour,
				Data: s.profile(costs, v, start),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
