package requests

import (
	"cmp"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Path is the critical path of a request: what its latency depended on.
type Path struct {
	// Steps are contiguous from the request's begin to its end.
	Steps []Step
	// Times are the times along the path by cause; their sum is the latency. Where a step has steps
	// Inside, these count instead of it.
	Times Times
}

// A Step is a section of a path: a goroutine in one state.
type Step struct {
	From, To  int64  // nanoseconds since the start of the trace
	Goroutine uint32 // index
	Cause     Cause
	Code      index.Code // [index.Unknown] if the trace does not have it
	// Stack is where the goroutine waits. For one that runs, it is where most CPU samples saw it,
	// Samples of them, or else where it stopped; 0 means unknown.
	Stack   uint32
	Samples int
	// Waker is the index + 1 of the goroutine that ended the wait or started this one; 0 means
	// none: a timer, the network, the runtime. WakerStack is where it did.
	Waker      uint32
	WakerStack uint32
	// Inside is what the waker did during the wait, from From to To; nil if that was not followed.
	Inside []Step
	// Merged is the number of steps merged into this one because they are too short, or too many,
	// to list: Goroutine, Cause, Code and Stack are those of the longest. 0 means one.
	Merged int
}

// Took returns the duration of a step.
func (s *Step) Took() time.Duration { return time.Duration(s.To - s.From) }

// Limits of what is followed.
const (
	maxDepth   = 32         // waits within waits
	pathSpans  = 100_000    // of a request, kept while its path is found
	allSpans   = 20_000_000 // of all requests
	follow     = 100        // spans that cost as much to read as starting with another goroutine
	maxSteps   = 200        // listed individually
	chunk      = 1 << 15    // spans read at a time, at most
	fewSpans   = 512        // below it, a longer time is read next
	firstChunk = int64(time.Millisecond)
	maxCached  = 4096 // goroutines whose records are cached
)

// paths finds the paths of the slowest requests of each class.
func (f *requestFinder) paths() error {
	p := &pathfinder{x: f.x, sites: &f.sites, goroutines: map[uint32]*index.Goroutine{}, left: allSpans}
	for i := range f.result.Classes {
		c := &f.result.Classes[i]
		slowest := c.Slowest[:min(f.o.Paths, len(c.Slowest))]
		for _, r := range slowest {
			var err error
			if r.Path, err = p.path(r); err != nil {
				return err
			}
			for cause, d := range r.Path.Times {
				c.Path[cause] += d
			}
		}
		for cause := range c.Path {
			c.Path[cause] /= time.Duration(max(len(slowest), 1))
		}
	}
	return nil
}

// A pathfinder walks backwards through what goroutines did.
type pathfinder struct {
	x          *index.Index
	sites      *sites
	goroutines map[uint32]*index.Goroutine
	left       int // remaining of allSpans

	budget int // remaining of pathSpans, for this request
	times  Times
}

// A wait is the wait on whose behalf a goroutine is followed.
type wait struct {
	cause      Cause
	downstream bool // it, or one around it
	depth      int
}

// path finds the path of a request.
func (p *pathfinder) path(r *Request) (*Path, error) {
	p.budget, p.times = min(pathSpans, p.left), Times{}
	p.left -= p.budget
	stays := r.stays
	if stays == nil {
		stays = []stay{{r.Goroutine, r.From, r.To}}
	}
	var steps []Step
	for _, s := range slices.Backward(stays) {
		more, err := p.walk(s.goroutine, s.from, s.to, nil)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	p.left += p.budget
	path := &Path{Steps: shorten(steps), Times: p.times}
	return path, p.sampled(path, r)
}

// walk goes backwards through what a goroutine did, and what the goroutines did that it waited for.
// It returns the steps in the order of the walk, last first. in is the wait on whose behalf the
// goroutine is followed; nil for the request's own goroutine.
func (p *pathfinder) walk(goroutine uint32, from, to int64, in *wait) (steps []Step, err error) {
	g, err := p.goroutine(goroutine)
	if err != nil {
		return nil, err
	}
	at := to
	err = p.backwards(g, from, to, func(s, next *index.Span) error {
		if s.To < at {
			steps = p.leaf(steps, Step{From: s.To, To: at, Goroutine: goroutine, Cause: unknownIn(in)})
		}
		step := Step{From: max(s.From, from), To: min(s.To, at), Goroutine: goroutine, Code: s.Code, Stack: s.Stack}
		site := site{}
		switch {
		case s.Code == index.Running:
			step.Stack = stopped(next)
		case s.Code == index.Runnable && s.With > 0:
			step.Stack = 0
			if s.From == g.From && !g.Old {
				step.Waker, step.WakerStack = s.With, s.Stack
			}
		default:
			site = p.sites.of(s.Stack)
		}
		step.Cause = causeOf(s.Code, p.x.Code(s.Code), site)
		at = step.From
		if s.Code >= index.Waiting && s.To <= to && next != nil && next.Code == index.Runnable && next.From == s.To {
			step.Waker, step.WakerStack = next.With, next.Stack
		}
		inner := wait{cause: step.Cause, downstream: step.Cause == Downstream, depth: 1}
		if in != nil {
			switch {
			case s.Code >= index.Waiting && (site.between || site.stops):
				// A server without work: it is not what the request waits for.
				step.Cause = in.cause
			case in.downstream && step.Cause == Network:
				step.Cause = Downstream
			}
			inner.downstream = inner.downstream || in.downstream
			inner.depth = in.depth + 1
		}
		if !p.follows(&step, inner.cause, site, inner.depth) {
			steps = p.leaf(steps, step)
			return nil
		}
		p.budget -= follow
		if step.Inside, err = p.walk(step.Waker-1, step.From, step.To, &inner); err != nil {
			return err
		}
		steps = append(steps, step)
		return nil
	})
	if err != nil || at <= from {
		return steps, err
	}
	if in != nil && g.Parent > 0 && at == g.From && !g.Old && in.depth < maxDepth {
		// It was started in the meantime.
		inner := *in
		inner.depth++
		more, err := p.walk(g.Parent-1, from, at, &inner)
		return append(steps, more...), err
	}
	return p.leaf(steps, Step{From: from, To: at, Goroutine: goroutine, Cause: unknownIn(in)}), nil
}

// follows reports whether the path continues in the goroutine that ended a wait.
func (p *pathfinder) follows(s *Step, cause Cause, site site, depth int) bool {
	if s.Code < index.Waiting || s.Waker == 0 || site.between || site.stops || site.idle || depth > maxDepth ||
		p.budget <= 0 || s.From == s.To {
		return false
	}
	return cause == Lock || cause == Channel || cause == Downstream
}

// unknownIn returns the cause of time that the trace does not cover.
func unknownIn(in *wait) Cause {
	if in == nil {
		return Other
	}
	return in.cause
}

// stopped returns the stack where a running goroutine stopped, from its next span.
func stopped(next *index.Span) uint32 {
	if next == nil || next.Code == index.Runnable && next.With > 0 {
		return 0
	}
	return next.Stack
}

// leaf counts a step without steps inside, and appends it; it extends the last one if that is the
// same step or if there are too many.
func (p *pathfinder) leaf(steps []Step, s Step) []Step {
	if s.From == s.To {
		return steps
	}
	p.times[s.Cause] += s.Took()
	p.budget--
	if n := len(steps); n > 0 && steps[n-1].Inside == nil {
		last := &steps[n-1]
		switch {
		case last.Goroutine == s.Goroutine && last.Cause == s.Cause && last.Stack == s.Stack && s.Stack > 0 &&
			last.Merged == 0 && s.Waker == 0:
			last.From = s.From
			return steps
		case p.budget < 0:
			*last = merge([]Step{*last, s})
			return steps
		}
	}
	return append(steps, s)
}

// merge makes one step of several that follow each other backwards in time.
func merge(steps []Step) Step {
	longest := steps[0]
	n := 0
	for _, s := range steps {
		if s.Took() > longest.Took() {
			longest = s
		}
		n += max(s.Merged, 1)
	}
	longest.From, longest.To, longest.Merged = steps[len(steps)-1].From, steps[0].To, n
	longest.Inside, longest.Waker, longest.WakerStack = nil, 0, 0
	return longest
}

// shorten keeps the longest steps and merges adjacent ones of the others. It also reverses the
// order, so that the first comes first.
func shorten(steps []Step) []Step {
	var lengths []time.Duration
	var measure func([]Step)
	measure = func(steps []Step) {
		for i := range steps {
			lengths = append(lengths, steps[i].Took())
			measure(steps[i].Inside)
		}
	}
	measure(steps)
	least := time.Duration(0)
	if len(lengths) > maxSteps {
		slices.SortFunc(lengths, func(a, b time.Duration) int { return cmp.Compare(b, a) })
		least = lengths[maxSteps-1] + 1
	}
	return turned(steps, least)
}

func turned(steps []Step, least time.Duration) []Step {
	var out []Step
	for begin := 0; begin < len(steps); {
		end := begin
		for end < len(steps) && steps[end].Took() < least {
			end++
		}
		if end > begin {
			out = append(out, merge(steps[begin:end]))
			if end == begin+1 {
				out[len(out)-1].Merged = steps[begin].Merged
			}
			begin = end
			continue
		}
		one := steps[begin]
		if one.Inside != nil {
			one.Inside = turned(one.Inside, least)
		}
		out = append(out, one)
		begin++
	}
	slices.Reverse(out)
	return out
}

// sampled finds the stacks of steps that ran, if there are CPU samples.
func (p *pathfinder) sampled(path *Path, r *Request) error {
	if p.x.Info.Samples == 0 {
		return nil
	}
	var ran []*Step // in the order of time
	var collect func([]Step)
	collect = func(steps []Step) {
		for i := range steps {
			collect(steps[i].Inside)
			if s := &steps[i]; s.Inside == nil && s.Code == index.Running && s.Merged == 0 {
				ran = append(ran, s)
			}
		}
	}
	collect(path.Steps)
	found := map[*Step]map[uint32]int{}
	if err := p.x.Records(index.Samples, r.From, r.To, func(one *index.Record) bool {
		i, _ := slices.BinarySearchFunc(ran, one.To, func(s *Step, at int64) int { return cmp.Compare(s.To, at) })
		if i < len(ran) && ran[i].From <= one.To && ran[i].Goroutine+1 == one.Goroutine {
			if found[ran[i]] == nil {
				found[ran[i]] = map[uint32]int{}
			}
			found[ran[i]][one.Stack]++
		}
		return true
	}); err != nil {
		return err
	}
	for s, counts := range found {
		for stack, n := range counts {
			if n > s.Samples || n == s.Samples && stack < s.Stack {
				s.Stack, s.Samples = stack, n
			}
		}
	}
	return nil
}

func (p *pathfinder) goroutine(n uint32) (*index.Goroutine, error) {
	if g := p.goroutines[n]; g != nil {
		return g, nil
	}
	g, err := p.x.Goroutine(n)
	if err != nil {
		return nil, err
	}
	if len(p.goroutines) >= maxCached {
		clear(p.goroutines)
	}
	p.goroutines[n] = g
	return g, nil
}

// backwards calls yield with the spans of a goroutine that overlap a window, last first, each with
// its successor, or nil. It reads as many at a time as should be in memory.
func (p *pathfinder) backwards(g *index.Goroutine, from, to int64, yield func(s, next *index.Span) error) error {
	var spans []index.Span
	took := firstChunk
	for to > from {
		begin := max(from, to-took)
		spans = spans[:0]
		full := false
		if err := p.x.SpansOf(g, begin, to, func(s index.Span) bool {
			full = len(spans) >= chunk
			if !full {
				spans = append(spans, s)
			}
			return !full
		}); err != nil {
			return err
		}
		if full && took > 1 {
			took = max(took/8, 1)
			continue
		}
		if len(spans) < fewSpans {
			took = min(took*4, to)
		}
		end := begin
		for i := len(spans) - 1; i >= 0; i-- {
			s := &spans[i]
			if s.From >= to || s.To <= begin || s.From == s.To {
				continue // already yielded, yielded later, or needed only as a successor
			}
			var next *index.Span
			if i+1 < len(spans) {
				next = &spans[i+1]
			}
			if err := yield(s, next); err != nil {
				return err
			}
			end = min(end, s.From)
		}
		to = end
	}
	return nil
}
