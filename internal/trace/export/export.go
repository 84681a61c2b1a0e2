package export

import (
	"cmp"
	"container/heap"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// Options configure an export.
type Options struct {
	Name string // of the service, or of the trace
	// From and To are a window, in nanoseconds since the start of the trace; To 0 means its end.
	From, To int64
	// Goroutines selects goroutines, by the function that they run; nil means all.
	Goroutines *regexp.Regexp
	// Began is when the trace began. Zero means unknown, and times count from 1970.
	Began time.Time
}

// Result describes what was written.
type Result struct {
	Slices   int64 `json:"slices"`             // on tracks; for OTLP: spans
	Counters int64 `json:"counters,omitempty"` // values
	// Dropped are tasks and regions beyond the limit on their number, and requests that are not
	// among the slowest of their handler.
	Dropped int `json:"dropped,omitempty"`
}

// limit bounds the number of tasks and of regions; slowest, the number of requests kept of each
// handler.
const (
	limit   = 4_000_000
	slowest = 50_000
)

// A goroutine is a goroutine with its name in exports.
type goroutine struct {
	id     int64
	kind   uint32
	chosen bool
}

// A source is what is exported.
type source struct {
	x          *index.Index
	o          Options
	goroutines []goroutine // by index
	places     map[uint32]string
	result     Result
}

func newSource(x *index.Index, o Options) (*source, error) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	if o.From < 0 || o.From > o.To {
		return nil, fmt.Errorf("invalid export window from %d to %d (want an end after the start)", o.From, o.To)
	}
	s := &source{x: x, o: o, goroutines: make([]goroutine, x.Info.Goroutines), places: map[uint32]string{}}
	kinds := x.Kinds()
	return s, x.Goroutines(func(g *index.Goroutine) bool {
		s.goroutines[g.Index] = goroutine{g.ID, g.Kind, o.Goroutines == nil || o.Goroutines.MatchString(kinds[g.Kind].Name)}
		return true
	})
}

// function returns the function that a goroutine runs.
func (s *source) function(g uint32) string {
	return cmp.Or(s.x.Kinds()[s.goroutines[g].kind].Name, "(no stack)")
}

// state returns the name of a state.
func (s *source) state(c index.Code) string { return cmp.Or(s.x.Code(c), "waiting") }

// chosen reports whether something that belongs to a goroutine, given by its index + 1, is
// selected. Something that belongs to none (0) is selected if all goroutines are.
func (s *source) chosen(g uint32) bool {
	if g == 0 || int(g) > len(s.goroutines) {
		return s.o.Goroutines == nil
	}
	return s.goroutines[g-1].chosen
}

// place returns the innermost call of a stack outside the runtime.
func (s *source) place(stack uint32) string {
	if stack == 0 {
		return ""
	}
	text, ok := s.places[stack]
	if !ok {
		frames := s.x.Stack(stack)
		for i, f := range frames {
			if text = fmt.Sprintf("%s %s:%d", f.Func, f.File, f.Line); !goruntime.In(f.Func) ||
				i == len(frames)-1 {
				break
			}
		}
		s.places[stack] = text
	}
	return text
}

// An interval is a request, task or region.
type interval struct {
	from, to  int64
	name      string
	goroutine uint32 // index + 1; 0 means unknown
	task      uint64 // of a task: its own
	parent    uint64 // of a task
	open      bool   // it began before the trace or ended after it
	request   *requests.Request
}

// inOrder sorts intervals so that one that contains another comes before it.
func inOrder(list []interval) {
	slices.SortStableFunc(list, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
}

// requests returns those that end in the window.
func (s *source) requests() ([]interval, error) {
	found, err := requests.Find(s.x, requests.Options{From: s.o.From, To: s.o.To, Slowest: slowest})
	if err != nil {
		return nil, err
	}
	s.result.Dropped += found.Dropped
	var list []interval
	for _, c := range found.Classes {
		s.result.Dropped += c.Count - len(c.Slowest)
		for _, r := range c.Slowest {
			if s.chosen(r.Goroutine + 1) {
				list = append(list, interval{from: r.From, to: r.To, name: c.Name, goroutine: r.Goroutine + 1, request: r})
			}
		}
	}
	inOrder(list)
	return list, nil
}

// recorded returns the tasks or regions that exist in the window.
func (s *source) recorded(stream index.Stream) ([]interval, error) {
	var list []interval
	err := s.x.Records(stream, s.o.From, s.o.To, func(r *index.Record) bool {
		switch {
		case !s.chosen(r.Goroutine):
		case len(list) >= limit:
			s.result.Dropped++
		default:
			list = append(list, interval{
				from: r.From, to: r.To, name: cmp.Or(s.x.Name(r.Name), "(unnamed)"), goroutine: r.Goroutine,
				task: r.Task, parent: r.Parent,
				open: r.Value != index.Began|index.Ended,
			})
		}
		return true
	})
	inOrder(list)
	return list, err
}

// lanes assigns each interval, in the order of their beginnings, the first free lane.
type lanes struct {
	count int
	busy  lanesBy // by when they become free
	free  lanesBy // by number
}

type lane struct {
	key    int64
	number int
}

// lanesBy is a heap of lanes by their keys.
type lanesBy []lane

func (l lanesBy) Len() int           { return len(l) }
func (l lanesBy) Less(i, j int) bool { return l[i].key < l[j].key }
func (l lanesBy) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *lanesBy) Push(x any)        { *l = append(*l, x.(lane)) } //nolint:forcetypeassert // only lanes are pushed
func (l *lanesBy) Pop() any {
	last := len(*l) - 1
	x := (*l)[last]
	*l = (*l)[:last]
	return x
}

func (l *lanes) of(from, to int64) int {
	for len(l.busy) > 0 && l.busy[0].key <= from {
		number := heap.Pop(&l.busy).(lane).number //nolint:forcetypeassert // as above
		heap.Push(&l.free, lane{int64(number), number})
	}
	number := l.count
	if len(l.free) > 0 {
		number = heap.Pop(&l.free).(lane).number //nolint:forcetypeassert // as above
	} else {
		l.count++
	}
	heap.Push(&l.busy, lane{to, number})
	return number
}
