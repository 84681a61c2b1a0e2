package profiles

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// Parts are parts of goroutines' time. The zero value is empty.
type Parts struct {
	of map[uint32][]part // by goroutine, in order and disjoint once they are sorted
}

// A part is an interval, in nanoseconds since the start of the trace.
type part struct{ from, to int64 }

// Add adds a part of a goroutine's time. Overlaps count once.
func (p *Parts) Add(goroutine uint32, from, to int64) {
	if p.of == nil {
		p.of = map[uint32][]part{}
	}
	p.of[goroutine] = append(p.of[goroutine], part{from, to})
}

func (p *Parts) sort() {
	if p == nil {
		return
	}
	for g, list := range p.of {
		slices.SortFunc(list, func(a, b part) int { return cmp.Compare(a.from, b.from) })
		merged := list[:1]
		for _, next := range list[1:] {
			if last := &merged[len(merged)-1]; next.from <= last.to {
				last.to = max(last.to, next.to)
			} else {
				merged = append(merged, next)
			}
		}
		p.of[g] = merged
	}
}

// has reports whether a time of a goroutine, by its index + 1, is in a part. A nil Parts includes
// all.
func (p *Parts) has(goroutine uint32, at int64) bool {
	if p == nil {
		return true
	}
	if goroutine == 0 {
		return false
	}
	list := p.of[goroutine-1]
	i := sort.Search(len(list), func(i int) bool { return list[i].to >= at })
	return i < len(list) && list[i].from <= at
}

// overlap returns how much of a goroutine's time between two times is in parts. A nil Parts
// includes all.
func (p *Parts) overlap(goroutine uint32, from, to int64) int64 {
	if p == nil {
		return max(to-from, 0)
	}
	list := p.of[goroutine]
	sum := int64(0)
	for i := sort.Search(len(list), func(i int) bool { return list[i].to > from }); i < len(list) &&
		list[i].from < to; i++ {
		sum += max(min(to, list[i].to)-max(from, list[i].from), 0)
	}
	return sum
}

// maxParts is the maximum number of requests of a profile, some 100 MB.
const maxParts = 4_000_000

// ErrNoRequest is the cause if no request has the class.
var ErrNoRequest = errors.New("no request in the trace has a class that matches")

// Within returns the parts of goroutines' time that serve requests and tasks of a class. all is
// their number, and counted that of those with parts: the first few million.
func Within(x *index.Index, class *regexp.Regexp) (parts *Parts, counted, all int, err error) {
	parts = &Parts{}
	r, err := requests.Find(x, requests.Options{
		Class: class, Slowest: 1, Tasks: true, Each: func(_ string, r *requests.Request) {
			if all++; all <= maxParts {
				r.Stays(parts.Add)
			}
		},
	})
	if err != nil {
		return nil, 0, 0, err
	}
	if all == 0 {
		return nil, 0, 0, fmt.Errorf("%w %q", ErrNoRequest, class)
	}
	return parts, min(all, maxParts), r.Count + r.Tasks, nil
}
