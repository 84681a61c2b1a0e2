package timeline

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A StayQuery selects spans of one kind.
type StayQuery struct {
	From, To int64 // nanoseconds since the start of the trace; To 0 means its end
	// IDs are the goroutines whose spans count; empty means all. A single range or region counts
	// its own.
	IDs   []string
	State int // of goroutines; -1 means all
	Limit int // how many of the longest to return; 0 means 100; at most 1000
}

// A StayAnswer describes the spans of one kind that overlap a window.
type StayAnswer struct {
	Count int64         `json:"count"`
	Total time.Duration `json:"total"` // of whole spans, also beyond the window
	// Buckets count spans by their length; each begins where the previous one ends.
	Buckets []StayBucket `json:"buckets"`
	Longest []Stay       `json:"longest"` // the longest first
	// Partial is 1 if there are more spans than are read.
	Partial int `json:"partial"`
}

// A StayBucket counts spans from a length up to, not including, another.
type StayBucket struct {
	From  time.Duration `json:"from"`
	To    time.Duration `json:"to"`
	Count int64         `json:"count"`
	Time  time.Duration `json:"time"`
}

// A Stay is a span of a goroutine.
type Stay struct {
	ID    string `json:"id"` // of the goroutine; "" if none
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	State int    `json:"state"`
	Stack uint32 `json:"stack"`
}

// scannedSpans bounds the spans that one query reads.
const scannedSpans = 4_000_000

// bucketsPerDouble is the number of buckets from a length to twice that.
const bucketsPerDouble = 2

// stays adds up spans.
type stays struct {
	state   int
	limit   int
	answer  StayAnswer
	buckets map[int]*StayBucket
}

func (s *stays) add(one Stay) {
	took := time.Duration(one.To - one.From)
	s.answer.Count++
	s.answer.Total += took
	n := int(math.Floor(math.Log2(float64(max(took, 1))) * bucketsPerDouble))
	b := s.buckets[n]
	if b == nil {
		edge := func(n int) time.Duration { return time.Duration(math.Round(math.Exp2(float64(n) / bucketsPerDouble))) }
		b = &StayBucket{From: edge(n), To: edge(n + 1)}
		s.buckets[n] = b
	}
	b.Count++
	b.Time += took
	longer := func(a, b Stay) int {
		return cmp.Or(cmp.Compare(b.To-b.From, a.To-a.From), cmp.Compare(a.From, b.From), cmp.Compare(a.ID, b.ID))
	}
	if n := len(s.answer.Longest); n == s.limit && longer(one, s.answer.Longest[n-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(s.answer.Longest, one, longer)
	s.answer.Longest = slices.Insert(s.answer.Longest, at, one)
	s.answer.Longest = s.answer.Longest[:min(len(s.answer.Longest), s.limit)]
}

// Stays returns how long spans of one kind are. Its error wraps [ErrQuery] if q is invalid.
func (t *Timeline) Stays(ctx context.Context, q StayQuery) (StayAnswer, error) {
	w, err := t.window(q.From, q.To, 1)
	if err != nil {
		return StayAnswer{}, err
	}
	q.Limit = cmp.Or(q.Limit, 100)
	if q.Limit < 1 || q.Limit > 1000 || q.State < -1 || q.State >= t.active() {
		return StayAnswer{}, badQuery("invalid limit %d or state %d (want 1 to 1000, and -1 to %d)", q.Limit, q.State,
			t.active()-1)
	}
	s := &stays{state: q.State, limit: q.Limit, buckets: map[int]*StayBucket{}}
	s.answer.Longest = []Stay{}
	if err := t.scanStays(ctx, q, w, s); err != nil {
		return StayAnswer{}, err
	}
	s.answer.Buckets = []StayBucket{}
	for _, b := range s.buckets {
		s.answer.Buckets = append(s.answer.Buckets, *b)
	}
	slices.SortFunc(s.answer.Buckets, func(a, b StayBucket) int { return cmp.Compare(a.From, b.From) })
	return s.answer, ctx.Err()
}

func (t *Timeline) scanStays(ctx context.Context, q StayQuery, w index.Window, s *stays) error {
	if len(q.IDs) == 1 {
		of, n, err := parseID(q.IDs[0])
		if err != nil {
			return err
		}
		if of.name == Range || of.name == Region {
			return t.recordStays(ctx, of.name, n, w, s)
		}
	}
	return t.eachSpan(ctx, q.IDs, w, &s.answer.Partial, func(span *index.Span) {
		if s.state < 0 || int(span.Code) == s.state {
			s.add(Stay{formatID(Goroutine, uint64(span.Goroutine)), span.From, span.To, int(span.Code), span.Stack})
		}
	})
}

// recordStays adds the ranges or regions of one name.
func (t *Timeline) recordStays(ctx context.Context, of string, name uint64, w index.Window, s *stays) error {
	n := 0
	return cmp.Or(t.x.Records(stream(of), w.From, w.To, func(r *index.Record) bool {
		if n++; n > scannedSpans {
			s.answer.Partial = 1
			return false
		}
		if uint64(r.Name) == name {
			one := Stay{From: r.From, To: r.To, State: t.active(), Stack: r.Stack}
			if r.Goroutine > 0 {
				one.ID = formatID(Goroutine, uint64(r.Goroutine-1))
			}
			s.add(one)
		}
		return n%4096 != 0 || ctx.Err() == nil
	}), ctx.Err())
}

// eachSpan calls see with the spans of goroutines that overlap a window, or of all goroutines
// without IDs. It sets partial to 1 if there are more than it reads.
func (t *Timeline) eachSpan(ctx context.Context, ids []string, w index.Window, partial *int,
	see func(*index.Span),
) error {
	n := 0
	yield := func(span index.Span) bool {
		if n++; n > scannedSpans {
			*partial = 1
			return false
		}
		see(&span)
		return n%4096 != 0 || ctx.Err() == nil
	}
	if len(ids) == 0 {
		return cmp.Or(t.x.Spans(w.From, w.To, yield), ctx.Err())
	}
	at, err := t.goroutinesOf(ids)
	if err != nil {
		return err
	}
	for g := range at {
		one, err := t.x.Goroutine(g)
		if err != nil {
			return err
		}
		if err := t.x.SpansOf(one, w.From, w.To, yield); err != nil {
			return err
		}
	}
	return ctx.Err()
}
