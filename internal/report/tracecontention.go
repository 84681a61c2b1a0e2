package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/whet-go/whet/trace/contention"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
	"github.com/whet-go/whet/unit"
)

// TraceContentionSchema is the schema of TraceContention.
const TraceContentionSchema = "whet.trace-contention/1"

// TraceContention is what whet trace contention shows.
type TraceContention struct {
	Schema  string                `json:"schema"`
	Name    string                `json:"name"`
	From    time.Duration         `json:"from_ns"`
	To      time.Duration         `json:"to_ns"`
	Count   int64                 `json:"count"` // waits, those of hidden pairs included
	Total   time.Duration         `json:"total_ns"`
	Pairs   []TraceContentionPair `json:"pairs"`             // the most time first
	Hidden  int                   `json:"hidden"`            // pairs left out because of -n
	Idle    TraceContentionIdle   `json:"idle"`              // what is left out as idle
	Dropped int64                 `json:"dropped,omitempty"` // waits at more places than are kept
}

// TraceContentionIdle is what is left out as idle.
type TraceContentionIdle struct {
	Pairs int           `json:"pairs"`
	Count int64         `json:"count"`
	Total time.Duration `json:"total_ns"`
}

// A TraceContentionPair is the waits at one place that were ended from one place.
type TraceContentionPair struct {
	Kind      string                 `json:"kind"`
	Idle      bool                   `json:"idle,omitempty"`
	Open      bool                   `json:"open,omitempty"` // not ended when the trace or the window did
	Count     int64                  `json:"count"`
	Total     time.Duration          `json:"total_ns"`
	Share     float64                `json:"share"`  // of the time of all pairs
	P50       *time.Duration         `json:"p50_ns"` // null: not known
	P99       *time.Duration         `json:"p99_ns"`
	Max       time.Duration          `json:"max_ns"`
	Waiter    string                 `json:"waiter"`            // function that those who wait run
	Waker     string                 `json:"waker,omitempty"`   // that those who end it run
	Waiting   TracePlace             `json:"waiting"`           // where they wait
	Waking    *TracePlace            `json:"waking,omitempty"`  // where that is ended; of a lock, where it was given back
	Meanwhile []TraceContentionDoing `json:"meanwhile"`         // what the wakers did during the longest waits
	Longest   []TraceContentionWait  `json:"longest,omitempty"` // waits, the longest first
}

// A TracePlace is a stack with the frame that tells most.
type TracePlace struct {
	Function string       `json:"function"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Stack    []TraceFrame `json:"stack"` // leaf first
}

// A TraceFrame is a call.
type TraceFrame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// A TraceContentionDoing is what the goroutines that ended waits did meanwhile.
type TraceContentionDoing struct {
	State string      `json:"state"`
	Share float64     `json:"share"` // of the longest waits
	Place *TracePlace `json:"place,omitempty"`
}

// A TraceContentionWait is one wait.
type TraceContentionWait struct {
	From      time.Duration `json:"from_ns"` // since the trace's begin
	Time      time.Duration `json:"time_ns"`
	Goroutine int64         `json:"goroutine"`
	Waker     int64         `json:"waker,omitempty"` // goroutine
}

// NewTraceContention makes the document of a result, with at most n pairs; 0 is all. own tells own code;
// nil: it is not known.
func NewTraceContention(name string, x *index.Index, r *contention.Result, n int, own func(stacks.Frame) bool) TraceContention {
	d := TraceContention{
		Schema: TraceContentionSchema, Name: name, From: time.Duration(r.From), To: time.Duration(r.To),
		Count: r.Count, Total: r.Total, Pairs: []TraceContentionPair{}, Dropped: r.Dropped,
		Idle: TraceContentionIdle{len(r.Left), r.LeftCount, r.LeftTotal},
	}
	pairs := r.Pairs
	if n > 0 && len(pairs) > n {
		d.Hidden = len(pairs) - n
		pairs = pairs[:n]
	}
	for _, p := range pairs {
		pair := TraceContentionPair{
			Kind: p.Kind.String(), Idle: p.Idle, Open: p.Open, Count: p.Count, Total: p.Total, Share: unit.Share(int64(p.Total), int64(r.Total)),
			P50: quantile(p.P50, p.Max), P99: quantile(p.P99, p.Max), Max: p.Max, Waiter: p.Waiter, Waker: p.Waker, Waking: tracePlace(x, p.Waking, own), Meanwhile: []TraceContentionDoing{},
		}
		if at := tracePlace(x, p.Waiting, own); at != nil {
			pair.Waiting = *at
		}
		for _, doing := range p.Meanwhile {
			pair.Meanwhile = append(pair.Meanwhile, TraceContentionDoing{x.Code(doing.Code), doing.Share, tracePlace(x, doing.Stack, own)})
		}
		for _, w := range p.Longest {
			one := TraceContentionWait{From: time.Duration(w.From), Time: time.Duration(w.To - w.From), Goroutine: goroutineID(x, w.Goroutine)}
			if w.Waker > 0 {
				one.Waker = goroutineID(x, w.Waker-1)
			}
			pair.Longest = append(pair.Longest, one)
		}
		d.Pairs = append(d.Pairs, pair)
	}
	return d
}

// goroutineID is the number that the runtime gave a goroutine; 0 when it cannot be read.
func goroutineID(x *index.Index, n uint32) int64 {
	g, err := x.Goroutine(n)
	if err != nil {
		return 0
	}
	return g.ID
}

func tracePlace(x *index.Index, stack uint32, own func(stacks.Frame) bool) *TracePlace {
	frames := x.Stack(stack)
	at, ok := contention.Place(frames, own)
	if !ok {
		return nil
	}
	p := &TracePlace{Function: at.Func, File: at.File, Line: at.Line}
	for _, f := range frames {
		p.Stack = append(p.Stack, TraceFrame{f.Func, f.File, f.Line})
	}
	return p
}

// fit writes a place into n columns.
func (p *TracePlace) fit(n int) string {
	if p == nil || p.Function == "" {
		return "(no stack told)"
	}
	line := fmt.Sprintf(" %s:%d", Clean(path.Base(p.File)), p.Line)
	return FitName(Clean(p.Function), max(n-columns(line), 20)) + line
}

// leastMeanwhile is the smallest share of what goroutines did meanwhile that is shown.
const leastMeanwhile = 0.05

// WriteTraceContention writes the document as text.
func WriteTraceContention(w io.Writer, style Style, d TraceContention) error {
	t := &text{w: w}
	t.line(style.paint(bold, fmt.Sprintf("contention in %s: waits of %s, %s times", Clean(d.Name), unit.Duration(d.Total), unit.Count(d.Count).Short())))
	t.line("from " + unit.Duration(d.From) + " to " + unit.Duration(d.To))
	if d.Idle.Pairs > 0 {
		t.line(style.paint(dim, fmt.Sprintf("idle waits left out: %s, %s times (--all shows them)", unit.Duration(d.Idle.Total), unit.Count(d.Idle.Count).Short())))
	}
	if d.Dropped > 0 {
		t.line(style.paint(gold, fmt.Sprintf("%d waits at more places than are kept are left out: --from and --to choose a part", d.Dropped)))
	}
	if len(d.Pairs) == 0 {
		t.line("nobody waited for anybody")
	}
	for _, p := range d.Pairs {
		t.contentionPair(style, p)
	}
	if d.Hidden > 0 {
		t.line()
		t.line(fmt.Sprintf("%d more pairs of places (-n 0 shows all)", d.Hidden))
	}
	return t.result()
}

func (t *text) contentionPair(style Style, p TraceContentionPair) {
	t.line()
	what := p.Kind
	if p.Idle {
		what += ", idle"
	}
	times := " once"
	if p.Count > 1 {
		times = fmt.Sprintf(" x %s  p50 %s  p99 %s  max %s", unit.Count(p.Count).Short(), quantileText(p.P50), quantileText(p.P99), unit.Duration(p.Max))
	}
	t.line(style.paint(heat(p.Share), right(fmt.Sprintf("%.1f%%", 100*p.Share), 6)), right(unit.Duration(p.Total), 10), "  ", style.paint(bold, what), times)
	const head = 18
	room := style.room(head, 30)
	t.line(blanks(5), left("waited in", head-5), p.Waiting.fit(room))
	label := "woken by"
	if p.Kind == contention.Lock.String() {
		label = "held by"
	}
	switch {
	case p.Open:
		t.line(blanks(5), left(label, head-5), "(had not ended)")
	case p.Waking == nil:
		t.line(blanks(5), left(label, head-5), "(no goroutine)")
	default:
		t.line(blanks(5), left(label, head-5), p.Waking.fit(room))
	}
	label = "meanwhile"
	for i, doing := range p.Meanwhile {
		if i > 2 || doing.Share < leastMeanwhile {
			break
		}
		line := fmt.Sprintf("%.0f%% %s", 100*doing.Share, Clean(doing.State))
		if doing.Place != nil {
			line += " in "
			line += doing.Place.fit(cmp.Or(room-columns(line), 20))
		}
		t.line(blanks(5), left(label, head-5), line)
		label = ""
	}
}
