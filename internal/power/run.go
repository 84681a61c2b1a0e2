package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/prove"
)

// Settings of proofs, which are those of whet prove.
const (
	precision = 0.01
	maxTime   = 10 * time.Second
)

// A record is what whet prove reports about a case.
type record struct {
	Name string `json:"name"`
	Key  string `json:"key"` // of the case; a case that was edited is run again
	// What the case is.
	Kind  string `json:"kind"`
	Held  bool   `json:"held,omitempty"`
	Label label  `json:"label"`
	Why   string `json:"why"`

	Outcome  prove.Outcome `json:"outcome,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Missing  []string      `json:"missing,omitempty"`
	Stage    prove.Stage   `json:"stage,omitempty"`     // the last one
	Error    string        `json:"error,omitempty"`     // there is no outcome
	Inputs   int64         `json:"inputs,omitempty"`    // on which both versions return the same
	Called   int           `json:"called,omitempty"`    // functions that were compared
	Mutants  int           `json:"mutants,omitempty"`   // tried for the strength of the proof
	Noticed  int           `json:"noticed,omitempty"`   // of these
	ByInputs int           `json:"by_inputs,omitempty"` // of these, by the comparison

	// Shared is set if other cases, or other work, ran at the same time: its durations do not count.
	Shared  bool             `json:"shared,omitempty"`
	Elapsed time.Duration    `json:"elapsed_ns"`
	Took    []prove.StepTime `json:"took,omitempty"`
}

// describe sets what the case is.
func (x *record) describe(c *testCase) {
	x.Name, x.Key, x.Kind, x.Held, x.Label, x.Why = c.Name, c.key(), c.kind(), c.held(), c.Label, c.Why
}

// summary describes a record in one line.
func (x *record) summary() string {
	if x.Error != "" {
		return "not judged: " + firstLine(x.Error)
	}
	return fmt.Sprintf("%s in %v: %s", x.Outcome, x.Elapsed.Round(100*time.Millisecond), firstLine(x.Reason))
}

// maxText is the number of bytes that are kept of a text.
const maxText = 400

func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return shortened(text)
}

func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// prove judges a case.
func (w *workshop) prove(ctx context.Context, c *testCase, budget, most time.Duration) (x *record) {
	x = &record{}
	x.describe(c)
	defer func() {
		if bad := recover(); bad != nil {
			x.Error = fmt.Sprintf("panic: %v\n%s", bad, debug.Stack())
		}
	}()
	a, b, remove, err := w.versions(ctx, c)
	if err != nil {
		x.Error = shortened(err.Error())
		return x
	}
	defer func() { _ = remove() }()
	began := time.Now()
	r, err := request(ctx, a, b, budget, most)
	x.Elapsed = time.Since(began)
	if err != nil {
		x.Error = shortened(err.Error())
		return x
	}
	x.fill(r)
	return x
}

func request(ctx context.Context, a, b string, budget, most time.Duration) (*prove.Result, error) {
	v, err := prove.Dirs(ctx, a, b)
	if err != nil {
		return nil, err
	}
	return prove.Run(ctx, prove.Request{Versions: v, Budget: budget, Options: prove.Options{
		Env: []string{"GOWORK=off"}, Race: true, MutantTime: prove.DefaultMutantTime,
		AB: ab.Options{Precision: precision, MaxTime: most},
	}})
}

// suspectMark begins what is missing because the syntax of a change is suspect.
const suspectMark = "suspect: "

// fill adds a result.
func (x *record) fill(r *prove.Result) {
	x.Outcome, x.Reason = r.Outcome, shortened(r.Reason)
	for _, t := range r.Base.Took {
		x.Took = append(x.Took, prove.StepTime{What: "version A: " + t.What, Time: t.Time})
	}
	suspects := map[string]bool{}
	for _, s := range r.Suspects {
		suspects[s.String()] = true
	}
	for _, m := range r.Missing {
		what := shortened(m.What)
		if suspects[m.What] {
			what = suspectMark + what
		}
		x.Missing = append(x.Missing, what)
	}
	v := r.Verdict
	if v == nil {
		return
	}
	x.Stage = v.Stage
	x.Took = append(x.Took, v.Took...)
	if v.Answers != nil {
		x.Inputs, x.Called = v.Answers.Inputs, len(v.Answers.Functions)
	}
	if v.Strength != nil {
		x.Mutants, x.Noticed, x.ByInputs = v.Strength.Mutants, v.Strength.Noticed, v.Strength.ByInputs
	}
}
