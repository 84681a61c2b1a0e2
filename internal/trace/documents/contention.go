package documents

import (
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/contention"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
	"github.com/whet-go/whet/unit"
)

// ContentionSchema is the schema of Contention.
const ContentionSchema = "whet.trace-contention/2"

// Contention is the document of whet trace contention.
type Contention struct {
	Schema  string           `json:"schema"`
	Name    string           `json:"name"`
	From    time.Duration    `json:"from_ns"`
	To      time.Duration    `json:"to_ns"`
	Count   int64            `json:"count"` // waits, including those of hidden pairs
	Total   time.Duration    `json:"total_ns"`
	Pairs   []ContentionPair `json:"pairs"`             // longest total time first
	Hidden  int              `json:"hidden"`            // pairs left out because of -n
	Idle    ContentionIdle   `json:"idle"`              // the waits left out as idle
	Dropped int64            `json:"dropped,omitempty"` // waits at locations beyond the limit
	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// ContentionIdle counts the waits left out as idle.
type ContentionIdle struct {
	Pairs int           `json:"pairs"`
	Count int64         `json:"count"`
	Total time.Duration `json:"total_ns"`
}

// A ContentionPair is the waits at one location that ended from one location.
type ContentionPair struct {
	Kind      string            `json:"kind"`
	Idle      bool              `json:"idle,omitempty"`
	Open      bool              `json:"open,omitempty"` // not ended within the trace or the window
	Count     int64             `json:"count"`
	Total     time.Duration     `json:"total_ns"`
	Share     float64           `json:"share"`  // of the total time of all pairs
	P50       *time.Duration    `json:"p50_ns"` // null if unknown
	P99       *time.Duration    `json:"p99_ns"`
	Max       time.Duration     `json:"max_ns"`
	Waiter    string            `json:"waiter"`            // start function of the waiting goroutines
	Waker     string            `json:"waker,omitempty"`   // start function of the goroutines that end the waits
	Waiting   Place             `json:"waiting"`           // where they wait
	Waking    *Place            `json:"waking,omitempty"`  // where the wait ended; for a lock, where it was unlocked
	Meanwhile []ContentionDoing `json:"meanwhile"`         // what the wakers did during the longest waits
	Longest   []ContentionWait  `json:"longest,omitempty"` // waits, longest first
}

// A Place is a stack with its most informative frame.
type Place struct {
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Stack    []Frame `json:"stack"` // leaf first
}

// A Frame is a call.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// A ContentionDoing is what the goroutines that ended the waits did meanwhile.
type ContentionDoing struct {
	State string  `json:"state"`
	Share float64 `json:"share"` // of the longest waits
	Place *Place  `json:"place,omitempty"`
}

// A ContentionWait is one wait.
type ContentionWait struct {
	From      time.Duration `json:"from_ns"` // since the trace's start
	Time      time.Duration `json:"time_ns"`
	Goroutine int64         `json:"goroutine"`
	Waker     int64         `json:"waker,omitempty"` // goroutine
}

// NewContention returns the document of a result with at most n pairs; 0 is all. own reports
// whether a frame is own code; nil means unknown.
func NewContention(name string, x *index.Index, r *contention.Result, n int, own func(stacks.Frame) bool) Contention {
	d := Contention{
		Schema: ContentionSchema, Name: name, From: time.Duration(r.From), To: time.Duration(r.To),
		Count: r.Count, Total: r.Total, Pairs: []ContentionPair{}, Dropped: r.Dropped,
		Idle: ContentionIdle{len(r.Left), r.LeftCount, r.LeftTotal},
	}
	pairs := r.Pairs
	if n > 0 && len(pairs) > n {
		d.Hidden = len(pairs) - n
		pairs = pairs[:n]
	}
	for _, p := range pairs {
		pair := ContentionPair{
			Kind: p.Kind.String(), Idle: p.Idle, Open: p.Open, Count: p.Count, Total: p.Total,
			Share: unit.Share(int64(p.Total), int64(r.Total)),
			P50:   quantile(p.P50, p.Max), P99: quantile(p.P99, p.Max), Max: p.Max, Waiter: p.Waiter, Waker: p.Waker,
			Waking: placeOf(x, p.Waking, own), Meanwhile: []ContentionDoing{},
		}
		if at := placeOf(x, p.Waiting, own); at != nil {
			pair.Waiting = *at
		}
		for _, doing := range p.Meanwhile {
			pair.Meanwhile = append(pair.Meanwhile,
				ContentionDoing{x.Code(doing.Code), doing.Share, placeOf(x, doing.Stack, own)})
		}
		for _, w := range p.Longest {
			one := ContentionWait{
				From: time.Duration(w.From), Time: time.Duration(w.To - w.From),
				Goroutine: goroutineID(x, w.Goroutine),
			}
			if w.Waker > 0 {
				one.Waker = goroutineID(x, w.Waker-1)
			}
			pair.Longest = append(pair.Longest, one)
		}
		d.Pairs = append(d.Pairs, pair)
	}
	return d
}

// goroutineID returns the runtime's number of a goroutine; 0 if it cannot be read.
func goroutineID(x *index.Index, n uint32) int64 {
	g, err := x.Goroutine(n)
	if err != nil {
		return 0
	}
	return g.ID
}

func placeOf(x *index.Index, stack uint32, own func(stacks.Frame) bool) *Place {
	frames := x.Stack(stack)
	at, ok := contention.Place(frames, own)
	if !ok {
		return nil
	}
	p := &Place{Function: at.Func, File: at.File, Line: at.Line}
	for _, f := range frames {
		p.Stack = append(p.Stack, Frame{f.Func, f.File, f.Line})
	}
	return p
}
