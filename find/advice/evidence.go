package advice

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/stacks"
)

// Minimum shares of what is reported.
const (
	minCPU       = 0.005 // of the CPU time, as find.DefaultMinShare
	minAllocated = 0.01  // of the allocated bytes
	minRequests  = 0.01  // of the requests' time
)

// Fewer samples are chance: of the CPU time, and of allocated bytes, which have one for each half a
// megabyte.
const (
	minSamples = 2
	minBytes   = 1 << 20
)

// An evidence is the input, with its stacks reduced to paths.
type evidence struct {
	in      *Input
	code    *syntax.Code
	located map[stacks.Frame]syntax.Line
	marked  map[string]marks

	cpu    samples
	allocs samples
	heap   samples
	waits  []traced
	// spins is the CPU time of busy loops, which take what is idle otherwise: shares of the CPU time
	// leave it out.
	spins int64
}

// Samples are those of a profile that have own lines, by path.
type samples struct {
	list  []*sample
	total int64 // of the profile; of the heap, what grew
}

type sample struct {
	path
	value int64
}

// A traced wait is what requests wait for on a path.
type traced struct {
	path
	wait *wait
}

func newEvidence(in *Input) *evidence {
	e := &evidence{in: in, located: map[stacks.Frame]syntax.Line{}, marked: map[string]marks{}}
	e.code = syntax.New(in.Packages, in.Relative)
	e.cpu = e.samples(in.CPU, "cpu")
	e.allocs = e.samples(in.Allocs, "alloc_space")
	e.heap = e.samples(in.Heap, "inuse_space")
	if t := in.Traces; t != nil {
		for i := range t.waits {
			w := &t.waits[i]
			if p := e.path(w.stack); len(p.own) > 0 {
				e.waits = append(e.waits, traced{p, w})
			}
		}
	}
	return e
}

// samples reduces a profile.
func (e *evidence) samples(p *profile.Profile, sampleType string) (s samples) {
	if p == nil {
		return s
	}
	typ, err := p.TypeIndex(sampleType)
	if err != nil {
		return s
	}
	byPath := map[string]*sample{}
	var stack []uint32
	var frames []stacks.Frame
	var key []byte
	for i := range p.NumSamples() {
		v := p.Value(i, typ)
		if v == 0 {
			continue
		}
		s.total += v
		stack = p.AppendStack(stack[:0], i)
		frames = frames[:0]
		for _, loc := range stack {
			for _, ln := range p.Frames(loc) {
				if ln.Function == profile.None {
					continue
				}
				f := &p.Functions[ln.Function]
				frames = append(frames, stacks.Frame{Func: f.Name, File: f.File, Line: int(ln.Line)})
			}
		}
		one := e.path(frames)
		if len(one.own) == 0 {
			continue
		}
		key = append(key[:0], one.callee...)
		key = strconv.AppendUint(append(key, 0), uint64(one.below), 36)
		for _, is := range []bool{one.served, one.main, one.init} {
			key = strconv.AppendBool(append(key, 0), is)
		}
		for _, at := range one.own {
			key = append(append(key, 0), at.File...)
			key = strconv.AppendInt(append(key, ':'), int64(at.Line), 36)
		}
		if known := byPath[string(key)]; known != nil {
			known.value += v
			continue
		}
		one.own = slices.Clip(one.own)
		n := &sample{one, v}
		byPath[string(key)] = n
		s.list = append(s.list, n)
	}
	return s
}

// A cost is CPU time and allocated bytes.
type cost struct{ cpu, allocated int64 }

func (c *cost) add(o cost) { c.cpu, c.allocated = c.cpu+o.cpu, c.allocated+o.allocated }

// costs calls yield with the samples of the CPU time and of the allocated bytes.
func (e *evidence) costs(yield func(*sample, cost) bool) {
	for _, s := range e.cpu.list {
		if !yield(s, cost{cpu: s.value}) {
			return
		}
	}
	for _, s := range e.allocs.list {
		if !yield(s, cost{allocated: s.value}) {
			return
		}
	}
}

// shares returns the shares of a cost.
func (e *evidence) shares(c cost) (cpu, allocated float64) {
	return e.cpuShare(c.cpu), e.allocs.share(c.allocated)
}

// cpuShare returns a share of the CPU time without busy loops.
func (e *evidence) cpuShare(v int64) float64 {
	if e.cpu.total <= e.spins {
		return 0
	}
	return float64(v) / float64(e.cpu.total-e.spins)
}

// large reports whether a cost is worth a change.
func (e *evidence) large(c cost) bool {
	cpu, allocated := e.shares(c)
	return cpu >= minCPU && e.sampled(c.cpu) || allocated >= minAllocated && c.allocated >= minBytes
}

// sampled reports whether CPU time has enough samples.
func (e *evidence) sampled(cpu int64) bool { return cpu >= minSamples*int64(e.in.period()) }

// period returns the time of a CPU sample.
func (in *Input) period() time.Duration {
	if in.CPU != nil && in.CPU.Period > 0 {
		return time.Duration(in.CPU.Period)
	}
	return 10 * time.Millisecond
}

// of returns the larger share of a cost, what it is of, and both as text.
func (e *evidence) of(c cost) (share float64, of, text string) {
	cpu, allocated := e.shares(c)
	text = percent(cpu) + " of " + e.ofCPU()
	if e.allocs.total > 0 {
		text += " and " + percent(allocated) + " of " + ofAllocated
	}
	if cpu < minCPU && allocated > cpu {
		return allocated, ofAllocated, text
	}
	return cpu, e.ofCPU(), text
}

// ofCPU names the CPU time that shares are of.
func (e *evidence) ofCPU() string {
	if e.spins > 0 {
		return ofCPU + " outside busy loops"
	}
	return ofCPU
}

// share returns a value's share of the total; 0 without a positive total.
func (s *samples) share(v int64) float64 {
	if s.total <= 0 {
		return 0
	}
	return float64(v) / float64(s.total)
}

// requestShare returns a time's share of that of all requests.
func (e *evidence) requestShare(nanoseconds float64) float64 {
	if e.in.Traces == nil || e.in.Traces.time == 0 {
		return 0
	}
	return nanoseconds / float64(e.in.Traces.time)
}

// short returns a function's name without the directories of its package.
func short(function string) string {
	name := profile.Generic(function)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// does describes what a call waits for or does.
func (m marks) does() string {
	switch {
	case m&queries != 0:
		return "a query"
	case m&remote != 0:
		return "a request to another server"
	case m&logs != 0:
		return "logging"
	case m&files != 0:
		return "file I/O"
	case m&network != 0:
		return "network I/O"
	case m&sleeps != 0:
		return "sleeping"
	case m&encodes != 0:
		return "encoding"
	case m&formats != 0:
		return "formatting"
	case m&sorts != 0:
		return "sorting"
	case m&iterates != 0:
		return "iterating over a map"
	}
	return ""
}
