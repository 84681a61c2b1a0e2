package requests_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// recorded returns a trace of run, with CPU samples.
func recorded(t *testing.T, run func()) []byte {
	t.Helper()
	var out, profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	run()
	trace.Stop()
	return out.Bytes()
}

// logged logs in the trace when a handler begins and ends.
func logged(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		trace.Log(r.Context(), "begin "+r.URL.Path, "")
		h(w, r)
		trace.Log(r.Context(), "end "+r.URL.Path, "")
	}
}

// cutProblems counts the requests with correct ends: exactly one request of the goroutine contains
// the handler's begin and end, and exceeds them by at most a margin or 5% of the request, apart
// from the time that it waited for a processor or the collector.
func cutProblems(t *testing.T, x *index.Index, r *requests.Result, want int, margin time.Duration) []string {
	t.Helper()
	type log struct {
		at   int64
		what string
	}
	logs := map[uint32][]log{}
	if err := x.Records(index.Logs, 0, x.Info.Duration, func(l *index.Record) bool {
		logs[l.Goroutine-1] = append(logs[l.Goroutine-1], log{l.To, x.Name(l.Name)})
		return true
	}); err != nil {
		t.Fatal(err)
	}
	right, found := 0, 0
	var wrong []string
	for _, c := range r.Classes {
		for _, one := range c.Slowest {
			if c.Task || len(logs[one.Goroutine]) == 0 {
				continue // of another server
			}
			found++
			var inside []log
			for _, l := range logs[one.Goroutine] {
				if one.From <= l.at && l.at <= one.To {
					inside = append(inside, l)
				}
			}
			if len(inside) == 2 {
				_, begin, _ := strings.Cut(inside[0].what, "begin ")
				_, end, _ := strings.Cut(inside[1].what, "end ")
				outside := one.Latency() - time.Duration(inside[1].at-inside[0].at)
				delayed := one.Times[requests.Runnable] + one.Times[requests.GC] + one.Times[requests.Assist]
				if begin != "" && begin == end && outside <= margin+one.Latency()/20+delayed {
					right++
					continue
				}
			}
			wrong = append(wrong, fmt.Sprintf("%s: from %v to %v, spent on %v, has %v", c.Name, one.From,
				one.To, one.Times, inside))
		}
	}
	if right >= (want*95+99)/100 && found <= want {
		return nil
	}
	return append(wrong, fmt.Sprintf("%d of %d requests are cut right, of %d found", right, want, found))
}

// checkPaths checks what is true of all requests: their parts add up to the latency, and their
// paths have no gaps.
func checkPaths(t *testing.T, x *index.Index, r *requests.Result) {
	t.Helper()
	for _, c := range r.Classes {
		for _, one := range c.Slowest {
			if one.Times.Sum() != one.Latency() || one.Path.Times.Sum() != one.Latency() {
				t.Fatalf("%s: a request of %v has parts of %v, and a path of %v", c.Name, one.Latency(), one.Times.Sum(),
					one.Path.Times.Sum())
			}
			var own, leaves requests.Times
			merged := false
			var check func(steps []requests.Step, from, to int64, depth int)
			check = func(steps []requests.Step, from, to int64, depth int) {
				at := from
				for _, s := range steps {
					if s.From != at || s.To <= s.From || s.Goroutine >= x.Info.Goroutines {
						t.Fatalf("%s: after %v comes %+v", c.Name, at, s)
					}
					at = s.To
					merged = merged || s.Merged > 0
					if depth == 0 {
						own[s.Cause] += s.Took()
					}
					if s.Inside != nil {
						check(s.Inside, s.From, s.To, depth+1)
					} else {
						leaves[s.Cause] += s.Took()
					}
				}
				if at != to {
					t.Fatalf("%s: steps end at %v, and not at %v", c.Name, at, to)
				}
			}
			check(one.Path.Steps, one.From, one.To, 0)
			if !merged && (own != one.Times || leaves != one.Path.Times) {
				t.Fatalf("%s: its own steps add up to %v, and it took %v; they are %v on the path, and that is %v", c.Name, own,
					one.Times, leaves, one.Path.Times)
			}
		}
	}
}

// classProblems returns what is wrong with a class that should exist and have a certain largest
// cause.
func classProblems(r *requests.Result, name *regexp.Regexp, count int, own, path []requests.Cause) (problems []string) {
	i := slices.IndexFunc(r.Classes, func(c requests.Class) bool { return name.MatchString(c.Name) })
	if i < 0 {
		return []string{fmt.Sprintf("no class %v", name)}
	}
	c := r.Classes[i]
	// Two causes that represent one are added.
	largest := func(times requests.Times, want []requests.Cause) requests.Cause {
		for _, cause := range want[1:] {
			times[want[0]] += times[cause]
			times[cause] = 0
		}
		return times.Largest()
	}
	if c.Count < count*95/100 {
		problems = append(problems, fmt.Sprintf("%s: %d requests, want %d", c.Name, c.Count, count))
	}
	if got := largest(c.Middle, own); got != own[0] {
		problems = append(problems, fmt.Sprintf("%s is mostly %v: %v", c.Name, got, c.Middle))
	}
	if got := largest(c.Path, path); got != path[0] {
		problems = append(problems, fmt.Sprintf("%s: its path is mostly %v: %v", c.Name, got, c.Path))
	}
	return problems
}
