package summary

import (
	"cmp"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/index"
)

// A Summary sums what happened in a window of a trace.
type Summary struct {
	From, To   time.Duration // since the start of the trace
	Events     int64         // of the whole trace
	Goroutines int64         // that existed in the window
	All        Kind          // all goroutines: its runnable stays are the scheduling latency
	Kinds      []Kind        // by descending running time
	Procs      []Proc
	Ranges     []Range  // of the garbage collector, and stop-the-world phases: longest total first
	Metrics    []Metric // in the order of their first values
	Tasks      []Range  // of runtime/trace, by type
	Regions    []Range  // of runtime/trace, by type
	Logs       []Log    // of runtime/trace, by category: most frequent first
	Samples    int64    // of the CPU
	Damage     string   // what ended the trace early; "" if it is intact
}

// A Kind is the goroutines that run one function.
type Kind struct {
	Name       string // "" if no stack shows it
	Goroutines int64
	Time       time.Duration // that they existed, total
	Stays      []Stay        // longest total first
}

// A Stay sums the spans in one state, or with one wait reason.
type Stay struct {
	Code  index.Code
	Name  string
	Count int64
	Total time.Duration
	// P50, P99 and Max are of single spans. Quantiles are within 1%; 0 if there are too many
	// groups and states to compute them.
	P50, P99, Max time.Duration
}

// A Proc is a processor of the Go scheduler.
type Proc struct {
	Number int
	Busy   time.Duration // running goroutines
}

// A Range sums all ranges, tasks or regions of one name.
type Range struct {
	Name          string
	Count         int64
	Total         time.Duration
	P50, P99, Max time.Duration
}

// A Metric sums the values of one metric of the runtime.
type Metric struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Least uint64 `json:"least"`
	Most  uint64 `json:"most"`
}

// A Log counts the messages of one category.
type Log struct {
	Category string `json:"category"`
	Count    int64  `json:"count"`
}

// New summarizes the window between from and to, in nanoseconds since the start of the trace.
func New(x *index.Index, from, to int64) (*Summary, error) {
	s := &Summary{From: time.Duration(from), To: time.Duration(to), Events: x.Info.Events, Damage: x.Info.Damage}
	if err := s.kinds(x, from, to); err != nil {
		return nil, err
	}
	if err := s.streams(x, from, to); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Summary) kinds(x *index.Index, from, to int64) error {
	kinds := x.Kinds()
	groups := make([]group, len(kinds))
	busy, err := gather(x, from, to, func(g *index.Goroutine) *group { return &groups[g.Kind] })
	if err != nil {
		return err
	}
	var all group
	for i := range groups {
		if groups[i].goroutines > 0 {
			s.Goroutines += groups[i].goroutines
			all.merge(&groups[i])
			s.Kinds = append(s.Kinds, groups[i].kind(kinds[i].Name))
		}
	}
	s.All = all.kind("")
	slices.SortStableFunc(s.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Of(index.Running), a.Of(index.Running)), cmp.Compare(b.Time, a.Time))
	})
	for proc, took := range busy {
		if proc > 0 {
			s.Procs = append(s.Procs, Proc{int(proc) - 1, took})
		}
	}
	slices.SortFunc(s.Procs, func(a, b Proc) int { return cmp.Compare(a.Number, b.Number) })
	return nil
}

// A Collector is the garbage collector's part of the time that goroutines ran. It is time on
// processors of the Go scheduler, whereas a CPU profile counts CPU time of the operating system.
type Collector struct {
	Ran        time.Duration // all goroutines, assists included
	Background time.Duration // of it, the garbage collector's own goroutines
	Assists    time.Duration // of it, goroutines that assist it while they allocate
}

// Collector sums the time of garbage collection.
func (s *Summary) Collector() Collector {
	c := Collector{Ran: s.All.Of(index.Running) + s.All.Of(index.Assist), Assists: s.All.Of(index.Assist)}
	for i := range s.Kinds {
		if goruntime.Of(s.Kinds[i].Name).Collector == goruntime.Background {
			c.Background += s.Kinds[i].Of(index.Running)
		}
	}
	return c
}

// Of returns the total time in a state.
func (k *Kind) Of(code index.Code) time.Duration {
	for _, s := range k.Stays {
		if s.Code == code {
			return s.Total
		}
	}
	return 0
}

// Waiting returns the total time spent waiting, for any reason.
func (k *Kind) Waiting() time.Duration {
	sum := time.Duration(0)
	for _, s := range k.Stays {
		if s.Code >= index.Waiting {
			sum += s.Total
		}
	}
	return sum
}

func (s *Summary) streams(x *index.Index, from, to int64) error {
	for _, one := range []struct {
		stream index.Stream
		to     *[]Range
	}{{index.Ranges, &s.Ranges}, {index.Tasks, &s.Tasks}, {index.Regions, &s.Regions}} {
		list, err := named(x, one.stream, from, to)
		if err != nil {
			return err
		}
		*one.to = list
	}
	byName := map[uint32]int{}
	if err := x.Records(index.Metrics, from, to, func(r *index.Record) bool {
		i, ok := byName[r.Name]
		if !ok {
			i = len(s.Metrics)
			byName[r.Name] = i
			s.Metrics = append(s.Metrics, Metric{Name: x.Name(r.Name), First: r.Value, Least: r.Value})
		}
		m := &s.Metrics[i]
		m.Count++
		m.Last, m.Least, m.Most = r.Value, min(m.Least, r.Value), max(m.Most, r.Value)
		return true
	}); err != nil {
		return err
	}
	logs := map[uint32]int64{}
	if err := x.Records(index.Logs, from, to, func(r *index.Record) bool {
		logs[r.Name]++
		return true
	}); err != nil {
		return err
	}
	for name, count := range logs {
		s.Logs = append(s.Logs, Log{x.Name(name), count})
	}
	slices.SortFunc(s.Logs, func(a, b Log) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Category, b.Category))
	})
	return x.Records(index.Samples, from, to, func(*index.Record) bool {
		s.Samples++
		return true
	})
}

// named sums a stream's records by name, each cut at the window's ends.
func named(x *index.Index, stream index.Stream, from, to int64) ([]Range, error) {
	all, hists := map[uint32]*staySum{}, 0
	if err := x.Records(stream, from, to, func(r *index.Record) bool {
		a := all[r.Name]
		if a == nil {
			a = &staySum{Stay: Stay{Name: x.Name(r.Name)}}
			all[r.Name] = a
		}
		a.add(time.Duration(min(r.To, to)-max(r.From, from)), &hists)
		return true
	}); err != nil {
		return nil, err
	}
	return ranges(all), nil
}

// ranges returns the sums, longest total first.
func ranges(all map[uint32]*staySum) []Range {
	var list []Range
	for _, a := range all {
		p50, p99 := a.quantiles()
		list = append(list, Range{a.Name, a.Count, a.Total, p50, p99, a.Max})
	}
	slices.SortFunc(list, func(a, b Range) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	return list
}
