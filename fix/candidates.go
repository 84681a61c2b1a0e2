package fix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/judgment"
	"github.com/whet-go/whet/internal/prove/syntax"
	"github.com/whet-go/whet/prove"
)

// Defaults of Candidates.
const (
	DefaultCandidateRounds  = 3
	DefaultCandidateLines   = 5
	DefaultCandidateTimeout = 5 * time.Minute
)

// maxCandidate is the maximum size of what a program writes for one work order, in bytes.
const maxCandidate = 1 << 20

// Candidates configure a program that writes changes. For each expensive line, it gets a work order (schema
// whet.workorder/1) as JSON on standard input, and writes a unified diff with paths relative to the module to
// standard output, or nothing. It is started again with the reason why its candidate was dropped, until one is
// kept. The zero value runs none.
type Candidates struct {
	// Command is the program, looked up in PATH unless it contains a slash, and its arguments. There is no shell.
	// It runs in the original module's directory. None means no candidates.
	Command []string
	Env     []string      // KEY=value, in addition to those of this process
	Rounds  int           // most candidates for a line; 0 means DefaultCandidateRounds
	Lines   int           // most lines; 0 means DefaultCandidateLines
	Timeout time.Duration // of one run; 0 means DefaultCandidateTimeout
}

// A target is a line that the program is to make faster.
type target struct {
	place    find.Place
	function string
	saving   float64
	evidence []find.Evidence
	finding  *find.Finding // nil if no rule explains the line
}

func (t *target) key() string { return t.place.File + "\n" + t.function + "\n" + t.place.Code }

// candidates runs the program for the most expensive lines that have no kept rewrite.
func (f *fixer) candidates(ctx context.Context) {
	c := f.o.Candidates
	if len(c.Command) == 0 {
		return
	}
	c.Rounds = cmp.Or(c.Rounds, DefaultCandidateRounds)
	c.Lines = cmp.Or(c.Lines, DefaultCandidateLines)
	c.Timeout = cmp.Or(c.Timeout, DefaultCandidateTimeout)
	if len(f.result.changed) > 0 && !f.findAgain(ctx) {
		if ctx.Err() == nil {
			f.result.Warnings.Addf("no candidates of %s: the lines of the rewritten module are unknown", c.Command[0])
		}
		return
	}
	asked := map[string]bool{}
	for range c.Lines {
		maker, err := f.maker(ctx)
		if err != nil {
			f.result.Warnings.Add(fmt.Errorf("no work orders: %w", err))
			return
		}
		list := f.targets()
		i := slices.IndexFunc(list, func(t target) bool { return !asked[t.key()] })
		if i < 0 || ctx.Err() != nil {
			return
		}
		asked[list[i].key()] = true
		kept := f.improve(ctx, c, maker, &list[i])
		if ctx.Err() != nil || kept && !f.findAgain(ctx) {
			return
		}
	}
}

// maker makes work orders for the module with everything that was kept.
func (f *fixer) maker(ctx context.Context) (*workorder.Maker, error) {
	o := f.o.Find
	o.Dir, o.OriginalDir, o.Progress = f.prover.Dir(), f.result.Dir, nil
	return workorder.New(ctx, f.o.Profiles, o)
}

// targets returns the lines that findings and the profiles name, the most expensive first.
func (f *fixer) targets() (list []target) {
	for i := range f.found.Findings {
		if x := &f.found.Findings[i]; len(x.Places) > 0 {
			list = append(list, target{x.Places[0], x.Function, x.Saving, x.Evidence, x})
		}
	}
	for i := range f.found.Unexplained {
		if l := &f.found.Unexplained[i]; l.Why == "" {
			list = append(list, target{l.Place, l.Function, l.Saving, l.Evidence, nil})
		}
	}
	slices.SortStableFunc(list, func(a, b target) int { return cmp.Compare(b.saving, a.saving) })
	return list
}

// improve runs the program for a line until a candidate is kept, and reports whether one was.
func (f *fixer) improve(ctx context.Context, c Candidates, maker *workorder.Maker, t *target) (kept bool) {
	began := time.Now()
	defer func() { f.addTook("candidates", began) }()
	where := fmt.Sprintf("%s:%d", t.place.File, t.place.Line)
	order, err := maker.Order(ctx, t.place.File, t.place.Line)
	if err != nil {
		f.result.Warnings.Add(err)
		return false
	}
	if t.finding != nil {
		order.Finding = workorder.FindingOf(t.finding)
	}
	order.Failed = f.failedBefore(t)
	order.Proposed = workorder.ProposedFor(f.found.Candidates, order.Failed, t.place.File, t.place.Line)
	f.addCaptured(order)
	if _, err := f.prover.Cover(ctx, []find.Place{t.place}); err == nil {
		for _, b := range f.prover.Covering([]find.Place{t.place}) {
			order.Benchmarks = append(order.Benchmarks, b.String())
		}
	} else {
		order.Warnings.Add(fmt.Errorf("the benchmarks that run the line are unknown: %w", err))
	}
	for round := 1; round <= c.Rounds && ctx.Err() == nil; round++ {
		f.o.Progress(fmt.Sprintf("candidate %d of %s for %s", round, filepath.Base(c.Command[0]), where))
		text, err := c.run(ctx, f.result.Dir, order)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			f.result.Warnings.Add(&diag.Error{
				Op: "run " + c.Command[0], Subject: "for " + where, Err: err, Hint: diag.Hint(err),
			})
			return false
		}
		if len(bytes.TrimSpace(text)) == 0 {
			return false // it has no candidate
		}
		a, outcome, test := f.judge(ctx, t, round, text)
		if ctx.Err() != nil {
			return false
		}
		f.result.Attempts = append(f.result.Attempts, *a)
		if a.Kept() {
			return true
		}
		order.Failed = slices.Insert(order.Failed, 0, workorder.Failed{
			Diff: cmp.Or(a.Diff, string(text)), Outcome: outcome, Reason: a.Reason, Test: test,
		})
	}
	return false
}

// addCaptured adds the captured arguments of the function, of the first recording that has them.
func (f *fixer) addCaptured(order *workorder.Order) {
	pkg := path.Join(order.Module, path.Dir(order.File))
	for _, rec := range f.o.Recordings {
		c, err := workorder.CapturedIn(rec, pkg, order.Function)
		if err != nil {
			order.Warnings.Add(err)
		}
		if c != nil {
			order.Captured = c
			return
		}
	}
}

// run returns what the program writes for an order.
func (c *Candidates) run(ctx context.Context, dir string, order *workorder.Order) ([]byte, error) {
	input, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Command[0], c.Command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), c.Env...)
	out, messages := &limitedBuffer{most: maxCandidate}, &limitedBuffer{most: 64 << 10, drop: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(input, '\n')), out, messages
	procgroup.OwnAndKill(cmd)
	err = cmd.Run()
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, &diag.Error{
			Err: fmt.Errorf("it did not end within %v", c.Timeout), Hint: "give it more time with --candidate-timeout",
		}
	case out.full:
		return nil, fmt.Errorf("it wrote more than %d bytes", maxCandidate)
	case err != nil:
		if text := strings.TrimSpace(messages.text.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return nil, err
	}
	return out.text.Bytes(), nil
}

// A limitedBuffer keeps at most some bytes. More of them are dropped, or end the program that writes.
type limitedBuffer struct {
	text bytes.Buffer // not embedded: its ReadFrom has no limit
	most int
	drop bool
	full bool
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	room := min(len(p), b.most-b.text.Len())
	b.full = b.full || room < len(p)
	if n, err := b.text.Write(p[:room]); err != nil || b.full && !b.drop {
		return n, errors.Join(err, errors.New("too much output"))
	}
	return len(p), nil
}

// judge proves a candidate on top of what was kept. outcome and test describe why it was not kept.
func (f *fixer) judge(ctx context.Context, t *target, round int, text []byte) (
	a *Attempt, outcome prove.Outcome, test string,
) {
	name := filepath.Base(f.o.Candidates.Command[0])
	a = &Attempt{
		Finding: find.Finding{
			Rule: "candidate", Tier: find.Proposed, Title: fmt.Sprintf("candidate %d of %s", round, name),
			Places: []find.Place{t.place}, Function: t.function, Saving: t.saving,
			Why:      "the line is expensive, and " + name + " wrote this change",
			Evidence: t.evidence, Fix: &find.Fix{Message: "Apply a candidate of " + name},
		},
		Stage: StageRewrite, Round: f.round, Candidate: round,
	}
	if t.finding != nil {
		a.Finding.Why = t.finding.Why
	}
	changes, err := f.changesOf(ctx, text)
	if err == nil {
		err = f.prover.Refuse(changes)
	}
	if err != nil {
		if a.Reason = err.Error(); diag.Hint(err) != "" {
			a.Reason += "; " + diag.Hint(err)
		}
		return a, prove.OutcomeBroken, ""
	}
	a.Diff = changes.Diff()
	a.Finding.Fix.Diff = a.Diff
	v := f.prover.Judge(ctx, prove.Candidate{Changes: changes, Places: a.Finding.Places})
	if err := f.take(a, v); err != nil && !(f.o.Review && errors.Is(err, prove.ErrUnproven)) {
		a.Reason = err.Error()
		var differs *prove.DifferenceError
		if errors.As(err, &differs) {
			test = f.prover.Reproduce(ctx, changes, "without the candidate", "the candidate", differs).Source
		}
		return a, outcomeOf(v), test
	}
	a.Predicted = f.prover.Predict(ctx, v, changes)
	if err := f.keep(a, changes); err != nil {
		a.Stage, a.Reason = StageRewrite, err.Error()
	}
	return a, "", ""
}

// changesOf returns what a patch changes in the module with everything that was kept.
func (f *fixer) changesOf(ctx context.Context, text []byte) (prove.Changes, error) {
	v, err := prove.Patch(ctx, f.prover.Dir(), "the candidate", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	diff, err := v.Changed(ctx, v.Tree.Dir)
	if err != nil {
		return nil, err
	}
	if others := slices.Concat(diff.Outside, diff.Links); len(others) > 0 {
		return nil, fmt.Errorf("the candidate changes %s, which is outside of the module", others[0])
	}
	if len(diff.Files) == 0 {
		return nil, errors.New("the candidate changes nothing")
	}
	for name, c := range diff.Files {
		switch {
		case syntax.KindOf(name, nil) != syntax.Code || !syntax.IsSource(name):
			return nil, fmt.Errorf("the candidate changes %s, which is not a source file of the program", name)
		case c.Before == nil || c.After == nil:
			return nil, fmt.Errorf("the candidate adds or removes %s: it must change files only", name)
		}
	}
	return diff.Files, nil
}

// outcomeOf returns the outcome of a candidate.
func outcomeOf(v *prove.Verdict) prove.Outcome {
	var differs *prove.DifferenceError
	switch {
	case v.Proven():
		return prove.OutcomeFaster
	case v.Stage == StageCode, errors.Is(v.Err, judgment.ErrNoGain), errors.Is(v.Err, judgment.ErrSmall):
		return prove.OutcomeSameSpeed
	case errors.As(v.Err, &differs), v.Stage == StageTest, v.Stage == StageRace:
		return prove.OutcomeDifferent
	case v.Stage == StageBuild, v.Stage == StageVet, v.Stage == StageConfigs:
		return prove.OutcomeBroken
	case v.Stage != StageMeasure || v.Measured == nil || v.Measured.AB == nil:
		return prove.OutcomeUnproven
	}
	for i := range v.Measured.AB.Subjects {
		for _, u := range v.Measured.AB.Subjects[i].Units {
			if u.Verdict == ab.Worse {
				return prove.OutcomeSlower
			}
		}
	}
	return prove.OutcomeUnproven // no gain was seen
}
