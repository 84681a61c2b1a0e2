package loads

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/whet-go/whet/load"
)

// mostOutcomes is the number of series that a chart of outcomes has; the rarest others are summed.
const mostOutcomes = 8

// otherOutcomes is the name of that sum.
const otherOutcomes = "others"

// outcomes returns the rates of statuses and of failures over time, the most frequent first; none
// if all answers had status 200 and no request failed.
func outcomes(seconds []load.Second) []loadSeries {
	counts := map[string]int64{}
	failed := map[string]bool{}
	timed := slices.DeleteFunc(slices.Clone(seconds), func(s load.Second) bool { return s.Elapsed <= 0 })
	of := func(s *load.Second) map[string]int64 {
		m := map[string]int64{}
		if s.Status == nil && s.Responses > 0 {
			m["200"] = s.Responses
		}
		for code, n := range s.Status {
			name := strconv.Itoa(code)
			m[name] = n
			failed[name] = code >= 400
		}
		for kind, n := range s.Failures {
			m[kind] = n
			failed[kind] = true
		}
		return m
	}
	for i := range timed {
		for name, n := range of(&timed[i]) {
			counts[name] += n
		}
	}
	if len(counts) == 0 || len(counts) == 1 && counts["200"] > 0 {
		return []loadSeries{}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	all := []loadSeries{}
	at := map[string]int{}
	for i, name := range names {
		if i >= mostOutcomes-1 && len(names) > mostOutcomes {
			if i == mostOutcomes-1 {
				all = append(all, loadSeries{Name: otherOutcomes, Failed: true, Values: make([]float64, len(timed))})
			}
			at[name] = mostOutcomes - 1
			continue
		}
		at[name] = i
		all = append(all, loadSeries{Name: name, Failed: failed[name], Values: make([]float64, len(timed))})
	}
	for i := range timed {
		for name, n := range of(&timed[i]) {
			all[at[name]].Values[i] += float64(n) / timed[i].Elapsed.Seconds()
		}
	}
	return all
}
