package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/versions"
)

// An answer is the outcome for a case of the comparison of old and new code alone, without tests
// and benchmarks.
type answer string

// Answers.
const (
	alike     answer = "alike"        // no input shows a difference
	unlike    answer = "different"    // an input does
	notCalled answer = "not compared" // some of what changed was not called, or not enough
)

// A comparison is the record of a case of which only the comparison was run.
type comparison struct {
	Name   string        `json:"name"`
	Key    string        `json:"key"` // of the case, as in record
	Held   bool          `json:"held,omitempty"`
	Kind   string        `json:"kind"`
	Label  label         `json:"label"`
	Answer answer        `json:"answer,omitempty"`
	Reason string        `json:"reason,omitempty"`
	Error  string        `json:"error,omitempty"` // there is no answer
	Inputs int64         `json:"inputs,omitempty"`
	Time   time.Duration `json:"ns"`
}

// summary describes a comparison in one line.
func (x *comparison) summary() string {
	if x.Error != "" {
		return "not compared: " + firstLine(x.Error)
	}
	return fmt.Sprintf("%s in %v: %s", x.Answer, x.Time.Round(100*time.Millisecond), firstLine(x.Reason))
}

// compare runs the comparison of a case.
func (w *workshop) compare(ctx context.Context, c *testCase) (x *comparison) {
	x = &comparison{Name: c.Name, Key: c.key(), Held: c.held(), Kind: c.kind(), Label: c.Label}
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
	if err := x.run(ctx, a, b); err != nil {
		x.Error = shortened(err.Error())
	}
	x.Time = time.Since(began)
	return x
}

// run compares the modules in two directories.
func (x *comparison) run(ctx context.Context, a, b string) (err error) {
	pair, err := versions.Dirs(ctx, a, b)
	if err != nil {
		return err
	}
	m, err := scratch.New(ctx, a, scratch.Options{Env: []string{"GOWORK=off"}, Tree: pair.Tree})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	diff, err := pair.Changed(ctx, m.Root())
	if err != nil {
		return err
	}
	for name := range diff.Files {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			delete(diff.Files, name)
		}
	}
	x.Answer = alike
	var not []string
	for _, dir := range diff.Files.Dirs() {
		r, err := differ.Compare(ctx, m, dir, diff.Files, differ.Options{
			Env: []string{"GOWORK=off"}, FuzzTime: "5s", Timeout: 5 * time.Minute, Inputs: 1, Seed: 1,
		})
		var differs *differ.BehaviorError
		switch {
		case errors.As(err, &differs):
			x.Answer, x.Reason = unlike, shortened(err.Error())
			return nil
		case err != nil:
			return err
		}
		not = append(not, r.NotCompared...)
		if r.Separate != "" {
			not = append(not, r.Separate)
		}
		for _, o := range r.Outcomes {
			x.Inputs += o.Returned
			if o.Unproven != "" {
				not = append(not, o.Unproven)
			}
		}
	}
	if len(not) > 0 || x.Inputs == 0 {
		x.Answer, x.Reason = notCalled, shortened(strings.Join(not, "; "))
	}
	return nil
}
