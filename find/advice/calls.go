package advice

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/whet-go/whet/unit"
)

// minPerRequest is the number of waits per request from which on a loop is reported.
const minPerRequest = 3

// callsInLoops finds queries, and requests to other servers, that one request waits for one after
// the other in a loop. Several waits may belong to one call, so the one with the highest count
// counts.
func callsInLoops(e *evidence) []Advice {
	type key struct {
		call, inner line // the line in the loop, and the line that waits
	}
	type sum struct {
		count, requests int64
		time            time.Duration
		below           marks
		callee          string
		loop            line
	}
	sums := map[key]*sum{}
	for _, t := range e.waits {
		if t.below&(queries|remote) == 0 {
			continue
		}
		for _, at := range t.own {
			f, loop := e.code.loop(at)
			if loop == nil {
				continue
			}
			k := key{at, t.own[0]}
			s := sums[k]
			if s == nil {
				s = &sum{loop: f.at(loop.Pos())}
				sums[k] = s
			}
			s.time += t.wait.time
			s.below |= t.below
			if t.wait.count > s.count {
				s.count, s.requests, s.callee = t.wait.count, t.wait.requests, t.callee
			}
			break
		}
	}
	var all []Advice
	for _, k := range sortedKeys(sums, func(k key) line { return k.call }, func(k key) line { return k.inner }) {
		s := sums[k]
		share := e.requestShare(float64(s.time))
		if s.requests == 0 || float64(s.count) < minPerRequest*float64(s.requests) || share < minRequests {
			continue
		}
		what, do := "queries in a loop", "ask for all of them with one query before the loop (IN, a join), or in batches"
		if s.below&queries == 0 {
			what = "requests to another server in a loop"
			do = "ask for all of them in one request if the server can, or start them together with a limit"
		}
		a := Advice{
			Kind: CallsInLoop, Title: what, Place: e.place(k.call, ""), Share: share, Of: ofRequests, Do: do,
			Evidence: fmt.Sprintf("%d requests wait here %d times, %.1f times each, for %v in total: %s of %s",
				s.requests, s.count, float64(s.count)/float64(s.requests), unit.Duration(s.time), percent(share), ofRequests),
		}
		a.Also = append(a.Also, e.place(s.loop, "the loop"))
		if k.inner != k.call {
			a.Also = append(a.Also, e.place(k.inner, "calls "+short(s.callee)))
		}
		all = append(all, a)
	}
	return all
}

// sortedKeys returns the keys of a map in the order of lines.
func sortedKeys[K comparable, V any](m map[K]V, by ...func(K) line) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		for _, of := range by {
			if c := compareLines(of(a), of(b)); c != 0 {
				return c
			}
		}
		return 0
	})
}
