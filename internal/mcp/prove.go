package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/mcp/guard"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/prove"
)

// Times of a proof.
const (
	defaultWait   = 45 * time.Second // many clients give up after a minute
	maxWait       = 10 * time.Minute
	maxBudget     = time.Hour
	defaultBudget = 10 * time.Minute
	measureTime   = 10 * time.Second // of a benchmark
)

type proveInput struct {
	Patch     string       `json:"patch,omitempty"`
	Edits     []guard.Edit `json:"edits,omitempty"`
	Dir       string       `json:"dir,omitempty"`
	Packages  []string     `json:"packages,omitempty"`
	Bench     string       `json:"bench,omitempty"`
	Recording string       `json:"recording,omitempty"`
	Budget    float64      `json:"budget_seconds,omitempty"`
	Wait      *float64     `json:"wait_seconds,omitempty"`
}

type jobInput struct {
	Job  string   `json:"job,omitempty"`
	Wait *float64 `json:"wait_seconds,omitempty"`
}

type cancelInput struct {
	Job string `json:"job,omitempty"`
}

// verdict is the state of a proof, or its outcome.
type verdict struct {
	Job     string  `json:"job"`
	State   string  `json:"state"`
	Step    string  `json:"step,omitempty"`
	Seconds float64 `json:"seconds"`
	Next    string  `json:"next,omitempty"`

	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Test fails with the change, and passes without it.
	Test    string   `json:"test,omitempty"`
	Command string   `json:"command,omitempty"`
	Missing []string `json:"missing,omitempty"`
	// Figures are those of benchmarks before and after.
	Figures  []string `json:"figures,omitempty"`
	Written  string   `json:"written_benchmark,omitempty"`
	Tested   int      `json:"tested_packages,omitempty"`
	Compared []string `json:"compared,omitempty"`
	Inputs   int64    `json:"inputs,omitempty"`
	Strength string   `json:"strength,omitempty"`
	NotUsed  []string `json:"not_used,omitempty"`
	Suspects []string `json:"suspects,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	fit.Truncated
}

func (v *verdict) Shrink() bool {
	return fit.Clip(&v.Written, 800) || fit.Drop(&v.Warnings, 3) || fit.Drop(&v.Compared, 10) ||
		fit.Drop(&v.Suspects, 5) || fit.Drop(&v.NotUsed, 5) || fit.Clip(&v.Test, 2500) || fit.Drop(&v.Figures, 8) ||
		fit.Clip(&v.Reason, 2500) || fit.Drop(&v.Missing, 5) ||
		fit.Clip(&v.Written, 100) || fit.Clip(&v.Test, 100) || fit.Clip(&v.Reason, 500) || fit.Drop(&v.Missing, 1) ||
		fit.Drop(&v.Figures, 1) || fit.Drop(&v.Compared, 0) || fit.Drop(&v.Suspects, 0) || fit.Drop(&v.Warnings, 0)
}

// seconds returns a duration that a client requests.
func seconds(name string, value *float64, standard, most time.Duration) (time.Duration, error) {
	if value == nil {
		return standard, nil
	}
	if math.IsNaN(*value) || *value < 0 || *value > most.Seconds() {
		return 0, fmt.Errorf("%s is %v (want 0 to %v)", name, *value, most.Seconds())
	}
	return time.Duration(*value * float64(time.Second)), nil
}

// prove is the tool prove.
func (c *call) prove(ctx context.Context, in proveInput) (*verdict, string, error) {
	wait, err := seconds("wait_seconds", in.Wait, defaultWait, maxWait)
	if err != nil {
		return nil, "", err
	}
	budget := defaultBudget
	if in.Budget != 0 {
		if budget, err = seconds("budget_seconds", &in.Budget, 0, maxBudget); err != nil {
			return nil, "", err
		}
	}
	if err := errors.Join(guard.CheckPackages(in.Packages...), guard.CheckRegexp("bench", in.Bench)); err != nil {
		return nil, "", err
	}
	dir, err := c.server.roots.Module(in.Dir)
	if err != nil {
		return nil, "", err
	}
	candidate, err := guard.NewCandidate(dir, in.Patch, in.Edits)
	if err != nil {
		return nil, "", err
	}
	recording := ""
	c.mu.Lock()
	if in.Recording == "" {
		in.Recording = c.session.recording
	}
	c.mu.Unlock()
	if in.Recording != "" {
		if recording, err = c.recordingName(in.Recording); err != nil {
			return nil, "", err
		}
	}
	// The patch is read before the proof begins, so that one that cannot be read is refused at once.
	if _, err := prove.Patch(ctx, dir, "the patch", strings.NewReader(candidate.Text)); err != nil {
		return nil, "", err
	}
	p := &proof{server: c.server, dir: dir, patch: candidate.Text, recording: recording, budget: budget, in: in}
	j, err := c.start(dir, candidate, p.run)
	if err != nil {
		return nil, "", err
	}
	if err := c.wait(ctx, j, wait); err != nil {
		j.cancel()
		<-j.done
		return nil, "", err
	}
	v, where := j.verdict()
	return v, where, nil
}

// proveStatus is the tool prove_status.
func (c *call) proveStatus(ctx context.Context, in jobInput) (*verdict, string, error) {
	wait, err := seconds("wait_seconds", in.Wait, defaultWait, maxWait)
	if err != nil {
		return nil, "", err
	}
	j, err := c.job(in.Job)
	if err != nil {
		return nil, "", err
	}
	if err := c.wait(ctx, j, wait); err != nil {
		return nil, "", err
	}
	v, where := j.verdict()
	return v, where, nil
}

// proveCancel is the tool prove_cancel.
func (c *call) proveCancel(_ context.Context, in cancelInput) (*verdict, string, error) {
	j, err := c.job(in.Job)
	if err != nil {
		return nil, "", err
	}
	j.cancel()
	<-j.done
	v, where := j.verdict()
	return v, where, nil
}

// A proof runs package prove.
type proof struct {
	server    *Server
	dir       string
	patch     string
	recording string // "" without one
	budget    time.Duration
	in        proveInput
}

// run proves the patch.
func (p *proof) run(ctx context.Context, j *job) (*prove.Result, error) {
	step := func(what string) { j.setStep(stateRunning, what) }
	if p.server.o.Sandbox {
		return p.sandboxed(ctx, step)
	}
	q := prove.Request{Packages: p.in.Packages, CIConfigs: true, Budget: p.budget}
	q.Temp = p.server.o.Temp
	var err error
	if q.Versions, err = prove.Patch(ctx, p.dir, "the patch", strings.NewReader(p.patch)); err != nil {
		return nil, err
	}
	if p.recording != "" {
		opener := (&session{}).opener("prove")
		program, err := recorded.Read(ctx, opener, []string{p.recording},
			recorded.Options{MaxTrace: recorded.DefaultMaxTrace})
		if err != nil {
			return nil, err
		}
		defer program.Close()
		q.Profiles, q.Find = program.Profiles, program.Options(q.Find)
		if q.Captured, err = captured.In(program.Opened); err != nil {
			return nil, err
		}
	}
	q.Bench, q.MutantTime, q.Race, q.Progress = p.in.Bench, prove.DefaultMutantTime, true, step
	q.AB = ab.Options{Precision: 0.01, MaxTime: measureTime}
	return prove.Run(ctx, q)
}

// Limits of a proof in another process.
const (
	maxOutput = 64 << 20
	endTime   = 800 * time.Millisecond // to end by itself
)

// sandboxed proves the patch in a process that cannot use the network.
func (p *proof) sandboxed(ctx context.Context, step func(string)) (*prove.Result, error) {
	step("prove it in the sandbox")
	args := []string{
		"prove", "--sandbox", "--format=json", "--patch=-", "--dir=" + p.dir, "--budget=" + p.budget.String(),
		"--max-time=" + measureTime.String(),
	}
	if p.in.Bench != "" {
		args = append(args, "--bench="+p.in.Bench)
	}
	if p.recording != "" {
		args = append(args, "--recording="+p.recording)
	}
	if len(p.in.Packages) > 0 {
		args = append(append(args, "--"), p.in.Packages...)
	}
	cmd := exec.CommandContext(ctx, p.server.o.Whet, args...)
	procgroup.OwnAndKill(cmd)
	if p.server.o.Temp != "" {
		cmd.Env = append(os.Environ(), "TMPDIR="+p.server.o.Temp)
	}
	cmd.Cancel = func() error {
		pid := cmd.Process.Pid
		procgroup.Signal(pid, procgroup.Interrupt) // it then ends what it has started
		time.AfterFunc(endTime, func() { procgroup.Signal(pid, procgroup.Kill) })
		return nil
	}
	out, messages := &bounded{limit: maxOutput}, &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.patch), out, messages
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var r prove.Result
	if decoded := json.Unmarshal(out.text.Bytes(), &r); decoded != nil || r.Schema != prove.Schema {
		return nil, &diag.Error{Op: "prove", Err: fmt.Errorf("%w: %s", errors.Join(err, decoded), messages)}
	}
	return &r, nil
}

// A bounded buffer fails when more is written than its limit.
type bounded struct {
	text  bytes.Buffer // not embedded: its ReadFrom has no limit
	limit int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.limit {
		return 0, errors.New("the output is larger than " + strconv.Itoa(b.limit) + " bytes")
	}
	return b.text.Write(p)
}

// verdict returns the state of a job for a model, and where its whole result is.
func (j *job) verdict() (*verdict, string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	v := &verdict{Job: j.id, State: j.state, Step: j.step, Seconds: math.Round(j.took.Seconds()*10) / 10}
	switch j.state {
	case stateDone:
		v.Step = ""
		v.add(j.result)
		return v, whole(j.uri)
	case stateCanceled, stateFailed:
		v.Step, v.Reason = "", fit.Explain(j.err).Error()
	default:
		v.Seconds = math.Round(time.Since(j.began).Seconds()*10) / 10
		v.Next = "call prove_status with this job until it is done"
	}
	return v, "the rest was left out"
}

// add adds the result of a proof.
func (v *verdict) add(r *prove.Result) {
	v.Outcome, v.Reason = string(r.Outcome), r.Reason
	if p := r.Reproducer; p != nil {
		v.Test, v.Command = p.Source, p.Command
	}
	for _, m := range r.Missing {
		text := m.What
		if m.Do != "" {
			text += " (" + m.Do + ")"
		}
		v.Missing = append(v.Missing, text)
	}
	v.NotUsed = slices.Concat([]string{}, r.Changed.Tests, r.Changed.Other, r.Changed.Unused, r.Changed.Outside)
	for i := range r.Suspects {
		v.Suspects = append(v.Suspects, r.Suspects[i].String())
	}
	for i := range r.SideCosts {
		v.Suspects = append(v.Suspects, r.SideCosts[i].String())
	}
	v.Warnings = fit.Texts(r.Warnings)
	if d := r.Verdict; d != nil {
		v.Tested = d.Tested
		if a := d.Answers; a != nil {
			v.Compared, v.Inputs = a.Functions, a.Inputs
		}
		if s := d.Strength; s != nil && s.Mutants > 0 {
			v.Strength = fmt.Sprintf("%d of %d small errors in the changed lines were noticed", s.Noticed, s.Mutants)
		}
		if m := d.Measured; m != nil && m.AB != nil {
			v.Written = m.Written
			for i := range m.AB.Subjects {
				s := &m.AB.Subjects[i]
				for k := range s.Units {
					v.Figures = append(v.Figures, prove.Figure(s.Name, &s.Units[k]))
				}
			}
		}
	}
	v.Next = next(r)
}

// next returns what to do after a verdict.
func next(r *prove.Result) string {
	switch r.Outcome {
	case prove.OutcomeFaster:
		return "the change may be kept: apply it to the user's files"
	case prove.OutcomeSameSpeed:
		return "the change gains nothing: drop it, or look at the line again with line_evidence"
	case prove.OutcomeSlower:
		return "drop the change; line_evidence shows what the line costs"
	case prove.OutcomeDifferent:
		return "the change behaves differently on the input in reason: handle that input, and prove again"
	case prove.OutcomeBroken:
		return "fix what the compiler or go vet reports, and prove again"
	case prove.OutcomeUnproven:
		return "do what missing lists, or leave the change to the user's review"
	}
	return ""
}
