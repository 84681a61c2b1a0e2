package benchmarks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
)

// Measured is a comparison of A, without a change, and B, with it.
type Measured struct {
	Benchmarks []string `json:"benchmarks,omitempty"` // benchmarks that were run; empty for a service
	// Written is the source of the benchmarks that whet wrote because no benchmark of the module
	// runs the lines; "" if the module's own were used.
	Written string `json:"written,omitempty"`
	// Paths describe what the written benchmarks execute in the changed functions, compared with
	// the recording.
	Paths []string   `json:"paths,omitempty"`
	AB    *ab.Result `json:"ab"`

	covering []Benchmark // the benchmarks
}

// Covering returns the benchmarks that were run.
func (m *Measured) Covering() []Benchmark { return m.covering }

// Generated returns what the inputs of the generated benchmarks are, by the name of the benchmark in
// AB, with and without its package.
func (m *Measured) Generated() map[string]string {
	inputs := map[string]string{}
	for _, b := range slices.Backward(m.covering) { // the first one of a name counts
		if b.written {
			name := strings.TrimPrefix(b.name, "Benchmark")
			inputs[name], inputs[b.pkg+"."+name] = b.inputs, b.inputs
		}
	}
	return inputs
}

// enoughOfEffect is the half width of an interval, as a share of the effect, that is enough: a change
// that halves the time is proven at -45 to -55% as well as at -49 to -51%.
const enoughOfEffect = 0.2

// Compare compares two builds by benchmarks.
func (s *Set) Compare(
	ctx context.Context, a, b builds.Side, chosen []Benchmark, how ab.Options,
) (*Measured, error) {
	return s.compare(ctx, a, b, chosen, nil, how)
}

// Again is how subjects are compared again.
type Again struct {
	Subjects   []string // their names; nil means all of the benchmarks that were chosen
	VaryLayout bool     // the functions of both builds are in another order in each pair
	// Shared has both sides share a CPU ([ab.SharedPlan]): their CPU time is added to the results, or replaces the one
	// there is, and nothing else.
	Shared bool
}

// CompareAgain compares some subjects of a comparison again, and replaces their results. It is an error if one of
// them fails.
func (s *Set) CompareAgain(ctx context.Context, a, b builds.Side, m *Measured, g Again, how ab.Options) error {
	if g.Shared {
		how.Unit, how.Plans = gotest.CPUTime, []ab.Plan{ab.SharedPlan()}
	}
	again, err := s.compare(ctx, a, b, m.covering, &g, how)
	if err != nil {
		return err
	}
	subjects := g.Subjects
	for _, name := range subjects {
		if i := slices.IndexFunc(again.AB.Subjects, func(r ab.SubjectResult) bool { return r.Name == name }); i < 0 {
			return fmt.Errorf("%s: not measured", name)
		} else if failed := again.AB.Subjects[i].Error; failed != "" {
			return fmt.Errorf("%s: %s", name, failed)
		}
	}
	for i := range m.AB.Subjects {
		for _, r := range again.AB.Subjects {
			switch old := &m.AB.Subjects[i]; {
			case r.Name != old.Name:
			case g.Shared:
				addShared(old, &r)
			default:
				*old = r
			}
		}
	}
	m.AB.Elapsed += again.AB.Elapsed
	m.AB.Inside += again.AB.Inside
	m.AB.Interrupted = m.AB.Interrupted || again.AB.Interrupted
	return nil
}

// addShared adds the CPU time of a comparison in which both sides shared a CPU to an earlier one's result.
func addShared(old, again *ab.SubjectResult) {
	at := slices.IndexFunc(again.Units, func(u ab.Unit) bool { return u.Unit == gotest.CPUTime })
	if at < 0 {
		return
	}
	u := again.Units[at]
	u.Shared = true
	old.VariedLayout = old.VariedLayout || again.VariedLayout
	if at = slices.IndexFunc(old.Units, func(o ab.Unit) bool { return o.Unit == u.Unit }); at >= 0 {
		old.Units[at] = u
		return
	}
	old.Units = append(old.Units, u)
	if len(old.Units) > 1 { // the first one decides
		slices.SortFunc(old.Units[1:], func(a, b ab.Unit) int { return cmp.Compare(a.Unit, b.Unit) })
	}
}

// compare compares two builds by benchmarks: all that are chosen, or some again.
func (s *Set) compare(
	ctx context.Context, a, b builds.Side, chosen []Benchmark, again *Again, how ab.Options,
) (m *Measured, err error) {
	m = &Measured{covering: chosen}
	var installed []*writtenFile
	for _, c := range chosen {
		m.Benchmarks = append(m.Benchmarks, c.String())
		if c.path != "" && !slices.Contains(m.Paths, c.path) {
			m.Paths = append(m.Paths, c.path)
		}
		if w := s.fileOf(c); w != nil && !slices.Contains(installed, w) {
			installed = append(installed, w)
			m.Written += w.text()
			defer func() { err = errors.Join(err, w.remove(s.scratch)) }()
			if err := w.install(s.scratch); err != nil {
				return nil, err
			}
		}
	}
	for _, from := range slices.Concat([]*Importer{nil}, s.o.Importers) {
		of := slices.DeleteFunc(slices.Clone(chosen), func(c Benchmark) bool { return c.importer != from })
		if len(of) == 0 && (from != nil || len(chosen) > 0) {
			continue
		}
		if err := s.compareIn(ctx, a, b, from, of, again, how, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// compareIn compares two builds by benchmarks of the module, or of one that imports it, and adds the results.
func (s *Set) compareIn(
	ctx context.Context, a, b builds.Side, from *Importer, of []Benchmark, again *Again, how ab.Options, m *Measured,
) error {
	var pkgs, names []string
	for _, c := range of {
		if !slices.Contains(pkgs, c.pkg) {
			pkgs = append(pkgs, c.pkg)
		}
		if name := regexp.QuoteMeta(c.name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	o := builds.Options{
		Patterns: pkgs, Bench: "^(" + strings.Join(names, "|") + ")$", Timeout: s.o.Timeout, AB: how,
	}
	if again != nil {
		o.VaryLayout, o.Only = again.VaryLayout, s.subjectsOf(from, again.Subjects)
		if len(o.Only) == 0 && again.Subjects != nil {
			return nil
		}
	}
	var err error
	if a, err = from.side(a, s.scratch.Dir); err != nil {
		return err
	}
	if b, err = from.side(b, s.scratch.Dir); err != nil {
		return err
	}
	var one Measured
	if err := s.run(ctx, a, b, o, &one); err != nil {
		return err
	}
	for i := range one.AB.Subjects {
		one.AB.Subjects[i].Name = from.label(one.AB.Subjects[i].Name)
	}
	if m.AB == nil {
		m.AB = one.AB
		return nil
	}
	m.AB.Subjects = append(m.AB.Subjects, one.AB.Subjects...)
	m.AB.Elapsed += one.AB.Elapsed
	m.AB.Inside += one.AB.Inside
	m.AB.Interrupted = m.AB.Interrupted || one.AB.Interrupted
	return nil
}

// run compares two builds, and sets the result.
func (s *Set) run(ctx context.Context, a, b builds.Side, o builds.Options, m *Measured) error {
	defer s.clearTrial()
	a.Env, b.Env = slices.Concat(s.scratch.TrialEnv(), a.Env), slices.Concat(s.scratch.TrialEnv(), b.Env)
	o.AB.OfEffect = cmp.Or(o.AB.OfEffect, enoughOfEffect)
	r, err := s.o.Run(ctx, a, b, o)
	if err != nil {
		return err
	}
	m.AB = &r.Result
	return nil
}

// Shares reports whether the CPU time of a subject was measured while both sides shared a CPU.
func (m *Measured) Shares(name string) bool {
	return slices.ContainsFunc(m.AB.Subjects, func(s ab.SubjectResult) bool {
		return s.Name == name && slices.ContainsFunc(s.Units, func(u ab.Unit) bool { return u.Shared })
	})
}

// UnitOf returns the unit to measure subjects again in: "" for the default one if CPU time does not decide for all.
func (m *Measured) UnitOf(names []string) string {
	for _, s := range m.AB.Subjects {
		if s.Unpinned && slices.Contains(names, s.Name) {
			return ""
		}
	}
	return m.AB.Unit
}
