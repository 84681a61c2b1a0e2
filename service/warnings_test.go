package service

import (
	"errors"
	"slices"
	"testing"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/load"
)

// TestWarnings expects the reasons to distrust the figures in order, with those about the load once
// for both sides.
func TestWarnings(t *testing.T) {
	busy := load.Warning{Kind: load.GeneratorCPU, Text: "the generator was busy", Hint: "send from elsewhere"}
	sides := [2]*side{
		{name: "A", warnings: []repeated{{busy, 3}}},
		{name: "B", warnings: []repeated{{busy, 1}}, noAlloc: errors.New("no pprof handlers")},
	}
	r := &Result{AB: &ab.Result{Subjects: []ab.SubjectResult{{Error: "B: run ./new: the target exited"}}}}
	r.Sides[1].Seen = Tally{
		Slices: 52, Failing: 50, Requests: 1200, Responses: 1190,
		Status: map[int]int64{200: 890, 503: 300}, Errors: load.Errors{Timeout: 10},
	}
	r.Answers = &Answers{Requests: 9, Unstable: 1}
	for range 7 {
		r.Answers.Differences = append(r.Answers.Differences, Difference{Request: "GET http://h/", What: "404 in B"})
	}
	got := r.warnings(sides)
	differs := load.Warning{Kind: AnswersDiffer, Where: "GET http://h/", Text: "answers differ: 404 in B"}
	want := load.Warnings{
		{Kind: EndedEarly, Text: "the measurement ended early: B: run ./new: the target exited"},
		{
			Kind: RequestsFailed, Where: "B",
			Text: "310 of 1200 requests failed (503: 300, timeout: 10), in 50 of 52 slices",
		},
		differs, differs, differs, differs, differs,
		{Kind: AnswersDiffer, Text: "2 more of 9 requests are answered differently"},
		{
			Kind: AnswersVary,
			Text: "1 of 9 requests changes from one answer to the next in A too; their bodies were not compared",
		},
		{
			Kind: load.GeneratorCPU, Where: "A in 3 slices, B in 1 slice",
			Text: "the generator was busy", Hint: "send from elsewhere",
		},
		{Kind: NoAllocs, Where: "B", Text: "no allocs/req: no pprof handlers"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("warnings %+v, want %+v", got, want)
	}
	for i := range sides {
		sides[i].warnings, sides[i].answers = nil, []float64{145}
	}
	got = loadWarnings(sides)
	if len(got) != 1 || got[0].Kind != load.TooShort || got[0].Where != "A in 1 slice, B in 1 slice" {
		t.Errorf("short slices: %+v", got)
	}
}
