package prove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/configs"
	"github.com/whet-go/whet/internal/prove/syntax"
	"github.com/whet-go/whet/internal/prove/versions"
)

// Versions names the two versions of a module that are compared: A, before a change, and B, after
// it. Work, Revisions, Patch and Dirs return one.
type Versions = versions.Pair

// Work compares a git revision with the working tree that contains the module in dir: tracked files,
// and new ones that are not ignored.
func Work(ctx context.Context, dir, rev string) (*Versions, error) {
	return versions.Work(ctx, dir, rev)
}

// Revisions compares two git revisions of the module in dir, written A..B, or A...B for the common
// ancestor of both and B. A side that is left out is HEAD.
func Revisions(ctx context.Context, dir, spec string) (*Versions, error) {
	return versions.Revisions(ctx, dir, spec)
}

// Patch compares the module in dir, with its uncommitted work, without and with a patch: a unified
// diff, or a mail of git format-patch, with paths relative to the repository. name is used in
// errors and results.
func Patch(ctx context.Context, dir, name string, r io.Reader) (*Versions, error) {
	return versions.Patch(ctx, dir, name, r)
}

// Dirs compares the modules in two directories.
func Dirs(ctx context.Context, a, b string) (*Versions, error) { return versions.Dirs(ctx, a, b) }

// A Request describes a change to prove, and configures the proof.
type Request struct {
	Versions *Versions
	Options
	// Budget limits the time of the whole proof, which its stages share; 0 means no limit. What is
	// undecided when it ends is unproven.
	Budget time.Duration
	// Packages are patterns, as the go command has them, of the packages to judge, relative to the module;
	// nil means all. Changes of other packages are listed in Changed.NotJudged.
	Packages []string
	// CIConfigs adds the build configurations that the module's CI names to Configs.
	CIConfigs bool
	// AcceptTests runs the tests and benchmarks of version B. By default, those of A run, and changes
	// to them are only listed.
	AcceptTests bool
	// Profiles are what was recorded of version A, and Find configures how their lines are found;
	// only its Own, Flags and Env are used. Without profiles, the costs of lines are unknown.
	Profiles find.Profiles
	Find     find.Options
	Captured *Captured // calls that version A made, from the recordings; nil means that there are none
}

// Captured are calls that a program made, by function.
type Captured = captured.Calls

// Run proves a change. If ctx ends, the result has what was found until then. It is an error if
// version A does not build or cannot be read.
func Run(ctx context.Context, q Request) (r *Result, err error) {
	user := ctx
	ctx, cancel := q.withBudget(ctx)
	defer cancel()
	defer func() {
		if late := outOfTime(user, ctx); err != nil && late != nil {
			err = &diag.Error{
				Op: "prove", Err: fmt.Errorf("%w before version A was read", late), Hint: "give it more time with --budget",
			}
		}
	}()
	q.tree = q.Versions.Tree
	p, err := New(ctx, q.tree.Dir, "", q.Options)
	if err != nil {
		return nil, err
	}
	p.Captured = q.Captured
	defer func() { err = errors.Join(err, p.Close()) }()
	r = &Result{
		Schema: Schema, Module: p.module, A: q.Versions.A, B: q.Versions.B, Packages: q.Packages, TestsOf: "a",
		Sandboxed: q.Wrap != nil,
	}
	r.Changed.Files = []string{}
	p.o.Progress("read what has changed")
	diff, err := q.Versions.Changed(ctx, p.scratch.Root())
	if err != nil {
		return nil, err
	}
	r.Changed.Outside = diff.Outside
	r.Changed.Other = diff.Links
	code, tests := split(diff.Files, p.embedded(ctx), &r.Changed)
	if q.CIConfigs {
		p.o.Configs = append(p.o.Configs, configs.Find(p.scratch.Root(), p.Dir(), p.build().Config())...)
	}
	if len(q.Packages) > 0 {
		if err := p.narrow(ctx, code, q.Packages); err != nil {
			return nil, err
		}
	}
	r.Changed.Diff = code.DiffUpTo(maxDiff)
	if q.AcceptTests {
		r.TestsOf = "b"
		if err := p.scratch.Apply(tests); err != nil {
			return nil, err
		}
	}
	var charged *find.Charged
	if q.Find.Own != nil {
		if charged, err = p.charge(ctx, q); err != nil {
			return nil, err
		}
	}
	if err := r.prove(ctx, p, code, charged); err != nil {
		return nil, err
	}
	r.Base = p.Base()
	r.Warnings = p.Warnings()
	r.outOfTime = outOfTime(user, ctx)
	r.Interrupted = r.cut && r.outOfTime == nil
	r.decide()
	r.Reason = p.scratch.Relative(r.Reason)
	for i := range r.Missing {
		r.Missing[i].What = p.scratch.Relative(r.Missing[i].What)
	}
	return r, nil
}

// maxDiff is the size of a diff in a result, in bytes.
const maxDiff = 256 << 10

// prove runs the stages, unless nothing has changed.
func (r *Result) prove(ctx context.Context, p *Prover, code Changes, charged *find.Charged) (err error) {
	if len(code) == 0 {
		return nil
	}
	var bad *NotGoError
	if err := p.analyze(code, &r.Changed); errors.As(err, &bad) {
		r.Verdict = &Verdict{Stage: StageBuild, Err: bad}
		return nil
	} else if err != nil {
		return err
	}
	if r.Changed.nothing() {
		return nil
	}
	if r.Suspects, err = p.suspects(p.judgedFiles(code)); err != nil {
		return err
	}
	if err := p.PrepareFor(ctx, code); err != nil {
		if ctx.Err() != nil {
			r.Verdict = &Verdict{Stage: StageBuild, Err: ctx.Err()}
			return nil
		}
		return err
	}
	places, err := p.changedPlaces(ctx, code)
	if err != nil {
		return err
	}
	more, err := p.findDependents(ctx, code)
	if err != nil {
		return err
	}
	places = append(places, more...)
	if charged != nil {
		r.Cost = &Cost{}
		for _, place := range places {
			for line := place.Line; line <= place.EndLine; line++ {
				_, cost := charged.Line(place.File, line)
				r.Cost.Share += cost
			}
		}
	}
	candidate := Candidate{Changes: code, Places: places}
	r.Verdict = p.Prove(ctx, candidate)
	if r.Verdict.mayBeAccepted() {
		if ctx.Err() == nil {
			r.SideCosts, err = p.sideCosts(ctx, candidate, r.Verdict)
			p.warnings.Add(err)
		}
		r.cut = ctx.Err() != nil
	}
	r.Predicted = p.Predict(ctx, r.Verdict, code)
	var differs *DifferenceError
	if errors.As(r.Verdict.Err, &differs) {
		r.Place = syntax.PlaceIn(code, differs.Function)
	}
	r.reproduce(ctx, p, code)
	return nil
}

// charge charges the profiles to the lines of version A.
func (f *Prover) charge(ctx context.Context, q Request) (*find.Charged, error) {
	o := q.Find
	o.Dir = f.Dir()
	charged, err := find.Charge(ctx, q.Profiles, o)
	if err != nil {
		return nil, err
	}
	f.Recorded = q.Profiles.CPU
	f.Charged = func(file string, line int) float64 {
		most := 0.0
		evidence, _ := charged.Line(file, line)
		for _, e := range evidence {
			most = max(most, e.Share)
		}
		return most
	}
	return charged, nil
}

// changedPlaces returns the lines of version A that a change replaces, in functions that version B
// has, too.
func (f *Prover) changedPlaces(ctx context.Context, code Changes) (places []find.Place, err error) {
	for _, dir := range f.judgedDirs(code) {
		sources, err := syntax.SourcesIn(f.scratch, dir, code)
		if err != nil {
			return nil, err
		}
		if len(sources.Before) == 0 {
			continue // a new package
		}
		pkg, err := f.load(ctx, dir)
		if err != nil {
			if ctx.Err() != nil {
				return nil, nil
			}
			continue // not a package of this build
		}
		c, err := f.changeOf(dir, pkg, code)
		if err != nil {
			return nil, err
		}
		for _, fn := range c.Functions {
			places = append(places, fn.Lines)
		}
	}
	return places, nil
}

// embedded returns the files that packages embed, relative to the module.
func (f *Prover) embedded(ctx context.Context) []string {
	files, err := f.scratch.Embedded(ctx)
	if err != nil {
		f.warnings.Add(err) // then an embedded file counts as not compiled
	}
	slices.Sort(files)
	return files
}
