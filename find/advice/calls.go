package advice

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/unit"
)

// minPerRequest is the number of waits per request from which on a loop is reported.
const minPerRequest = 3

// minInProcess is the share of the CPU time from which on queries in a loop are reported that no
// request waits for, because the database is in the process.
const minInProcess = 0.03

// nextRow matches methods that read the rows of one query.
var nextRow = regexp.MustCompile(`[rR]ows?\)\.`)

// callsInLoops finds queries, and requests to other servers, that one request waits for one after
// the other in a loop. Several waits may belong to one call, so the one with the highest count
// counts.
func callsInLoops(e *evidence) []Advice {
	type key struct {
		call, inner syntax.Line // the line in the loop, and the line that waits
	}
	type sum struct {
		count, requests int64
		time            time.Duration
		spent           cost // of queries in the process
		below           marks
		callee          string
		loop            syntax.Line
	}
	sums := map[key]*sum{}
	at := func(p *path) *sum {
		if p.below&(queries|remote) == 0 || nextRow.MatchString(p.callee) {
			return nil
		}
		for _, at := range p.own {
			f, loop := e.code.Loop(at)
			if loop == nil {
				continue
			}
			k := key{at, p.own[0]}
			if sums[k] == nil {
				sums[k] = &sum{loop: f.At(loop.Pos()), callee: p.callee}
			}
			sums[k].below |= p.below
			return sums[k]
		}
		return nil
	}
	for i := range e.waits {
		t := &e.waits[i]
		if s := at(&t.path); s != nil {
			s.time += t.wait.time
			if t.wait.count > s.count {
				s.count, s.requests, s.callee = t.wait.count, t.wait.requests, t.callee
			}
		}
	}
	for s, c := range e.costs {
		if !s.served || s.below&queries == 0 {
			continue
		}
		if in := at(&s.path); in != nil {
			in.spent.add(c)
		}
	}
	var all []Advice
	call, inner := func(k key) syntax.Line { return k.call }, func(k key) syntax.Line { return k.inner }
	for _, k := range sortedKeys(sums, call, inner) {
		s := sums[k]
		a := Advice{Kind: CallsInLoop, Title: "queries in a loop", Place: e.place(k.call, "")}
		a.Do = "ask for all of them with one query before the loop (IN, a join), or in batches"
		switch {
		case s.below&queries == 0:
			a.Title = "requests to another server in a loop"
			a.Do = "ask for all of them in one request if the server can, or start them together with a limit"
		case strings.Contains(s.callee, ").Exec"):
			a.Title = "statements in a loop"
			a.Do = "write all of them with one statement of several rows, or in batches within one transaction"
		}
		share := e.requestShare(float64(s.time))
		cpu, of, costs := e.of(s.spent)
		switch {
		case s.requests > 0 && float64(s.count) >= minPerRequest*float64(s.requests) && share >= minRequests:
			a.Share, a.Of = share, ofRequests
			a.Evidence = fmt.Sprintf("%d requests wait here %d times, %.1f times each, for %v in total: %s of %s",
				s.requests, s.count, float64(s.count)/float64(s.requests), unit.Duration(s.time), percent(share), ofRequests)
		case s.requests == 0 && e.cpuShare(s.spent.cpu) >= minInProcess && e.large(s.spent):
			a.Share, a.Of = cpu, of
			a.Evidence = "the database is in the process: its work for the queries of this loop takes " + costs
		default:
			continue
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
func sortedKeys[K comparable, V any](m map[K]V, by ...func(K) syntax.Line) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		for _, of := range by {
			if c := syntax.Compare(of(a), of(b)); c != 0 {
				return c
			}
		}
		return 0
	})
}
