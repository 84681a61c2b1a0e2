package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/judgment"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/sizes"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.prove/1"

// An Outcome is the result of a proof.
type Outcome string

// Outcomes.
const (
	OutcomeFaster    Outcome = "faster"     // it behaves the same, and is faster
	OutcomeSameSpeed Outcome = "same speed" // it behaves the same, and no figure differs
	OutcomeSlower    Outcome = "slower"
	OutcomeDifferent Outcome = "different" // it behaves differently
	OutcomeBroken    Outcome = "broken"    // it does not build, or go vet reports new problems
	OutcomeUnproven  Outcome = "unproven"  // something is missing to decide
)

// A Result is the outcome of a proof, with the evidence.
type Result struct {
	Schema string `json:"schema"`
	Module string `json:"module"`
	A      string `json:"a"` // names of the versions
	B      string `json:"b"`
	// Packages are patterns of the packages that were judged; nil means all.
	Packages []string `json:"packages,omitempty"`

	Outcome Outcome `json:"outcome"`
	// Reason is why it is that outcome: the figure that gained or lost, the test that fails, the
	// input with both results, or the compiler's error.
	Reason string `json:"reason"`
	// Place is the function of version B that behaves differently, if the outcome is OutcomeDifferent and
	// that function is known.
	Place *find.Place `json:"place,omitempty"`
	// Reproducer shows the difference, if the outcome is OutcomeDifferent.
	Reproducer *Reproducer `json:"reproducer,omitempty"`
	// Missing is what is needed to decide, if the outcome is OutcomeUnproven.
	Missing []Missing `json:"missing,omitempty"`

	Changed  Changed   `json:"changed"`
	Suspects []Suspect `json:"suspects,omitempty"`
	// SideCosts are costs of the change that its benchmarks do not measure. A change with any is not
	// accepted without review.
	SideCosts []SideCost `json:"side_costs,omitempty"`
	// Cost is what the recording charges to the lines that the change replaces; nil without one.
	Cost *Cost `json:"cost,omitempty"`
	// Predicted is the change of the recorded program's CPU time that benchmarks show; nil if they cannot.
	Predicted *Prediction `json:"predicted,omitempty"`
	// TestsOf is the version whose tests were run: "a", or "b" if the user accepts its tests.
	TestsOf string `json:"tests_of"`
	Base    Base   `json:"base"` // of version A
	// Sandboxed is set if the code of both versions ran without a network and could write only to the copy.
	Sandboxed bool `json:"sandboxed,omitempty"`
	// Verdict is how far the proof got; nil if there was nothing to prove.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Interrupted is set if the proof was ended early.
	Interrupted bool  `json:"interrupted,omitempty"`
	outOfTime   error // why, if the budget has ended it
	cut         bool  // it was ended before all costs elsewhere were looked for

	Warnings find.Warnings `json:"warnings,omitempty"`
}

// Cost is a part of what was recorded.
type Cost struct {
	Share float64 `json:"share"` // of the CPU time, including the collector's for what is allocated
}

// Missing is something that a proof lacks.
type Missing struct {
	What string `json:"what"`
	Do   string `json:"do"` // what would supply it, or what a review must look at; never ""
}

// What supplies something that is missing.
const (
	doCall = "write a test that calls it as the program does (the fuzzer takes values from tests), give --recording a " +
		"recording with --capture, or fuzz longer: --fuzz-time 1m"
	doBuild   = "build and compare it where it is compiled: --configs builds for other systems, and --flags -tags=... here"
	doUsers   = "review what uses it in other modules, and run their tests with this change"
	doSuspect = "review it: tests and benchmarks cannot show its effect"
	doWeigh   = "weigh it against the gain, or measure the program under load: --service"
	doCompare = "mend that, or review the change"
	doMeasure = "choose benchmarks with --bench, or load the program: --service"
)

// OK reports whether the change behaves the same and is not slower.
func (r *Result) OK() bool { return r.Outcome == OutcomeFaster || r.Outcome == OutcomeSameSpeed }

// decide sets the outcome.
func (r *Result) decide() {
	v := r.Verdict
	defer r.restrict()
	if v == nil && len(r.Changed.Other) > 0 {
		r.uncompiled()
		r.Outcome, r.Reason = OutcomeUnproven, "no code has changed, and other files are not compared"
		return
	}
	if v == nil {
		r.Outcome, r.Reason = OutcomeSameSpeed, "only comments, layout or documentation have changed"
		if len(r.Packages) > 0 {
			r.Reason += " in " + strings.Join(r.Packages, " ")
		}
		return
	}
	r.Outcome, r.Reason = r.outcome(v)
	if r.OK() {
		if v.SameCode == 0 {
			r.Missing = append(r.Missing, lacks(&r.Changed, r.Suspects, v)...)
		}
		r.uncompiled()
		if len(r.Missing) > 0 {
			r.Reason += ", but not everything that changed was compared"
		}
		for _, c := range r.SideCosts {
			r.Missing = append(r.Missing, Missing{What: notWeighed + c.String(), Do: doWeigh})
		}
		if len(r.SideCosts) > 0 {
			r.Reason += ", but there are costs elsewhere"
		}
		if r.cut {
			const cut = "the proof ended before costs elsewhere were looked for"
			r.Missing = append(r.Missing, Missing{What: cut, Do: "run it to the end, with more time: --budget"})
			r.Reason += ", but " + cut
		}
		if len(r.Missing) > 0 {
			r.Outcome = OutcomeUnproven
		}
	}
}

// notWeighed is what precedes a cost that only a reviewer can weigh against the gain.
const notWeighed = "a cost elsewhere is not weighed: "

// restrict adds to the reason that changes of other packages were not judged.
func (r *Result) restrict() {
	if len(r.Changed.NotJudged) == 0 {
		return
	}
	separator := "; "
	if strings.Contains(r.Reason, "\n") {
		separator = "\n"
	}
	r.Reason += fmt.Sprintf("%spackages other than %s also changed, and were not judged", separator,
		strings.Join(r.Packages, " "))
}

// outcome returns the outcome as far as the last stage decides it.
func (r *Result) outcome(v *Verdict) (o Outcome, reason string) {
	var test *scratch.TestError
	var differs *DifferenceError
	err := v.Err
	switch {
	case err == nil, errors.Is(err, ErrUnproven): // lacks adds what was not compared
		return OutcomeFaster, v.gains()
	case r.outOfTime != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return r.unproven(fmt.Sprintf("%v at stage %s", r.outOfTime, v.Stage), "more time: --budget")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		r.Interrupted = true
		return r.unproven("interrupted at stage "+string(v.Stage), "run it again to the end")
	case errors.Is(err, errSameCode):
		return OutcomeSameSpeed, err.Error()
	case errors.Is(err, errNotInBuild):
		return r.unproven(err.Error(), doBuild)
	case errors.As(err, &differs):
		return OutcomeDifferent, differs.Error()
	case v.Stage == StageBuild, v.Stage == StageVet, v.Stage == StageConfigs:
		return OutcomeBroken, err.Error()
	case v.Stage == StageTest && errors.As(err, &test) && !test.Built:
		return r.unproven("the tests of version A do not build with the change: "+test.Error(),
			"--tests b runs those of version B")
	case v.Stage == StageTest:
		return OutcomeDifferent, "a test does something else: " + err.Error()
	case v.Stage == StageRace:
		return OutcomeDifferent, "with the race detector, a test does something else: " + err.Error()
	case v.Stage == StageCompare:
		return r.unproven("the old and the new code cannot be compared: "+err.Error(), doCompare)
	case errors.Is(err, errNoBenchmark):
		return r.unproven(err.Error(), "write a benchmark that runs the changed lines, or load the program: --service")
	case errors.Is(err, judgment.ErrNoGain), errors.Is(err, judgment.ErrSmall):
		reason = "no figure shows a gain or a loss"
		if len(v.Open) > 0 {
			reason += fmt.Sprintf(" of more than %.0f%%", 100*(judgment.SameWithin-1))
		}
		if hint := diag.Hint(err); hint != "" {
			reason += "; " + hint
		}
		return OutcomeSameSpeed, reason
	case errors.Is(err, judgment.ErrLoss):
		return OutcomeSlower, err.Error()
	case errors.Is(err, sizes.ErrTradeOff):
		return r.unproven(err.Error(), doWeigh)
	case errors.Is(err, judgment.ErrOnlyGenerated), errors.Is(err, judgment.ErrNotSeen),
		errors.Is(err, judgment.ErrNoSign):
		return r.unproven(err.Error(), cmp.Or(diag.Hint(err), "measure longer: --max-time"))
	}
	return r.unproven("it cannot be measured: "+err.Error(), doMeasure)
}

func (r *Result) unproven(what, do string) (o Outcome, reason string) {
	r.Missing = append(r.Missing, Missing{What: what, Do: do})
	return OutcomeUnproven, what
}

// uncompiled adds the files that are not compared.
func (r *Result) uncompiled() {
	files := r.Changed.Other
	if len(files) == 0 {
		return
	}
	names := strings.Join(files[:min(len(files), maxNamed)], ", ")
	if more := len(files) - maxNamed; more > 0 {
		names += fmt.Sprintf(" and %d more files", more)
	}
	r.Missing = append(r.Missing, Missing{
		What: names + " changed: a program may read that, or be built by it, which was not compared",
		Do:   "leave it out of the change, or review it",
	})
}

// lacks returns what was not compared of a change, and what must be reviewed: only what was compared can be the same.
func lacks(c *Changed, suspects []Suspect, v *Verdict) (list []Missing) {
	add := func(do, format string, args ...any) {
		list = append(list, Missing{What: fmt.Sprintf(format, args...), Do: do})
	}
	a := v.Answers
	if a == nil {
		a = &Answers{}
	}
	for _, not := range a.NotCompared {
		add(doCall, "%s", not)
	}
	if s := v.Strength; s.Weak() {
		add("review the errors that were not noticed, or write a test that notices them",
			"tests and inputs notice too few errors in these lines: %d of %d mutants", s.Noticed, s.Mutants)
	}
	if len(a.NotCompared) == 0 && (len(a.Functions) == 0 || a.Inputs == 0) {
		add(doCall, "no results of old and new code were compared: nothing but tests supports the change")
	}
	for _, what := range syntax.Seen(c.Removed, c.Added, c.Declarations, c.inside, a.outside) {
		add(doUsers, "%s", what)
	}
	for _, s := range suspects {
		add(doSuspect, "%s", s.String())
	}
	for _, file := range c.Outside {
		if strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "go.mod") {
			add("name that module's directory with --dir", "%s changed outside the module", file)
		}
	}
	return list
}

// A DifferenceError is a function that behaves differently, with the input and both results.
type DifferenceError = differ.BehaviorError
