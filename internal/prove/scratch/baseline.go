package scratch

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Baseline is what the tests of the module do before any change. Each test is compared with
// itself: one that already fails is ignored, but the others of its package still count.
type Baseline struct {
	before *testRun
	// alone has the functions, by package, that end the process of the tests, or that were left out at first;
	// without them the others of the package run.
	alone map[string][]string
	// flaky has the tests whose outcome varies.
	flaky map[Test]bool
}

// maxCutShort is how often the tests of a package are run again without those that end the process.
const maxCutShort = 5

// maxAgain is how often tests are run again before a change, if they fail with it.
const maxAgain = 3

// Baseline runs the tests of packages before any change, without some functions by package. If ctx ends, it is
// not complete.
func (m *Module) Baseline(ctx context.Context, packages []string, without map[string][]string) *Baseline {
	return m.baseline(ctx, m.test(ctx, nil, packages, without), without)
}

// TestBoth runs the tests of packages with a change and, at the same time, those of some of these packages
// without it, which takes less time where tests wait. Of the other packages, only tests that do not pass run
// without the change, too: what passes counts as passed before. It returns what Baseline and Compare do. Tests
// that seem to fail, or to differ, run again alone: those of the other run may have disturbed them.
func (m *Module) TestBoth(ctx context.Context, changed Trial, packages, both []string) (*Baseline, error) {
	second, err := changed.Module.Second()
	if err != nil {
		return nil, err
	}
	var before, after *testRun
	var group sync.WaitGroup
	group.Go(func() { before = m.test(ctx, nil, both, nil) })
	group.Go(func() { after = second.test(ctx, changed.Flags, packages, nil) })
	group.Wait()
	for _, pkg := range packages {
		if !slices.Contains(both, pkg) && ctx.Err() == nil {
			before.addPassed(after, pkg)
			if rest := after.notPassed(pkg); len(rest) > 0 {
				before.again(ctx, Trial{Module: m}, pkg, rest, nil)
			}
		}
	}
	for _, pkg := range packagesOf(before.failures()) {
		if ctx.Err() == nil {
			before.again(ctx, Trial{Module: m}, pkg, before.failures(), nil)
		}
	}
	b := m.baseline(ctx, before, nil)
	var differing []Test
	for _, e := range b.differing(after, packages) {
		differing = append(differing, e.Test)
	}
	for pkg := range b.alone {
		differing = append(differing, Test{Package: pkg})
	}
	for _, pkg := range packagesOf(differing) {
		if ctx.Err() == nil {
			after.again(ctx, changed, pkg, differing, b.alone)
		}
	}
	return b, b.compare(ctx, after, Trial{Module: m}, packages)
}

// packagesOf returns the packages of tests, sorted.
func packagesOf(tests []Test) (pkgs []string) {
	for _, t := range tests {
		pkgs = append(pkgs, t.Package)
	}
	slices.Sort(pkgs)
	return slices.Compact(pkgs)
}

// functionsOf returns the functions of those of some tests that are of a package; nil for all of them if one of
// these is the package.
func functionsOf(tests []Test, pkg string) (functions []string) {
	for _, t := range tests {
		if t.Package == pkg && t.Name == "" {
			return nil
		}
		if t.Package == pkg && !slices.Contains(functions, t.top()) {
			functions = append(functions, t.top())
		}
	}
	return functions
}

// again runs those of some tests that are of a package again, or all of its tests if one of these is the package,
// and replaces their outcomes. skip has the names of functions that are left out, by package.
func (r *testRun) again(ctx context.Context, of Trial, pkg string, tests []Test, skip map[string][]string) {
	functions := functionsOf(tests, pkg)
	flags := slices.Concat(of.Flags, []string{"-count=1"})
	all := functions == nil || r.cutShort(pkg)
	if !all {
		flags = append(flags, "-run="+patternOf(functions))
	}
	o := of.Module.test(ctx, flags, []string{pkg}, skip)
	is := func(t Test) bool {
		return t.Package == pkg && (all || t.Name == "" || slices.Contains(functions, t.top()))
	}
	maps.DeleteFunc(r.outcomes, func(t Test, _ outcome) bool { return is(t) })
	maps.DeleteFunc(r.begun, func(t Test, _ bool) bool { return is(t) })
	maps.DeleteFunc(r.outputs, func(t Test, _ string) bool { return is(t) })
	delete(r.ended, pkg)
	delete(r.unbuilt, pkg)
	maps.Copy(r.outcomes, o.outcomes)
	maps.Copy(r.begun, o.begun)
	maps.Copy(r.outputs, o.outputs)
	maps.Copy(r.took, o.took)
	maps.Copy(r.last, o.last)
	maps.Copy(r.ended, o.ended)
	maps.Copy(r.unbuilt, o.unbuilt)
	_, _ = r.rest.Write(o.rest.Bytes()) // it never fails
}

// baseline completes a run of the tests before any change, without some functions by package: failing ones run
// again.
func (m *Module) baseline(ctx context.Context, before *testRun, without map[string][]string) *Baseline {
	b := &Baseline{before: before, alone: map[string][]string{}, flaky: map[Test]bool{}}
	for pkg, functions := range without {
		b.alone[pkg] = slices.Clone(functions)
	}
	again := map[string]bool{}
	for _, t := range b.before.failures() {
		again[t.Package] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(again)) {
		for range maxCutShort {
			if ctx.Err() != nil || !b.before.cutShort(pkg) {
				break
			}
			culprits := b.before.culprits(pkg, b.alone[pkg])
			if len(culprits) == 0 {
				break
			}
			b.alone[pkg] = append(b.alone[pkg], culprits...)
			b.before.merge(m.test(ctx, nil, []string{pkg}, b.alone), pkg)
		}
		// Failures may differ from run to run.
		second := m.test(ctx, []string{"-count=1"}, []string{pkg}, b.alone)
		for _, t := range b.before.failures() {
			if t.Package == pkg && !b.isAlone(t) && (second.outcomes[t] != failed || second.says(t) != b.before.says(t)) {
				b.flaky[t] = true
			}
		}
		b.addFlaky(second, pkg, nil)
	}
	return b
}

// isAlone reports whether a test is left out because it ends the process.
func (b *Baseline) isAlone(t Test) bool { return slices.Contains(b.alone[t.Package], t.top()) }

// merge adds a further run of a package, in which other tests ran.
func (r *testRun) merge(o *testRun, pkg string) {
	whole := Test{Package: pkg}
	for t, what := range o.outcomes {
		if t != whole {
			r.outcomes[t] = what
		}
	}
	maps.Copy(r.begun, o.begun)
	maps.Copy(r.took, o.took)
	r.last[pkg] = o.last[pkg]
	for t, text := range o.outputs {
		if t != whole {
			r.outputs[t] = text
		}
	}
	r.ended[pkg] = o.ended[pkg]
}

// addFlaky marks the tests of a package that had a different outcome in another run of the same
// code, which was of some functions; nil means of all.
func (b *Baseline) addFlaky(o *testRun, pkg string, functions []string) {
	for t, what := range b.before.outcomes {
		if t.Package == pkg && t.Name != "" && !b.isAlone(t) && o.outcomes[t] != what &&
			(functions == nil || slices.Contains(functions, t.top())) {
			b.flaky[t] = true
		}
	}
}

// Ignored returns how many tests of packages are ignored.
func (b *Baseline) Ignored(packages []string) int {
	ignored := maps.Clone(b.flaky)
	for _, t := range b.Failing() {
		ignored[t] = true
	}
	n := 0
	for t := range ignored {
		if slices.Contains(packages, t.Package) {
			n++
		}
	}
	return n
}

// WithTests returns the number of packages that have a test.
func (b *Baseline) WithTests(packages []string) int {
	have := map[string]bool{}
	for t := range b.before.outcomes {
		if t.Name != "" && slices.Contains(packages, t.Package) {
			have[t.Package] = true
		}
	}
	return len(have)
}

// Skip returns the pattern, for go test's -skip, of the tests of a package that are ignored; "" if there
// are none.
func (b *Baseline) Skip(pkg string) string { return patternOf(b.ignored(pkg)) }

// Without returns the functions of packages, by package, that are ignored, and those of more.
func (b *Baseline) Without(packages []string, more map[string][]string) map[string][]string {
	all := map[string][]string{}
	for _, pkg := range packages {
		if list := slices.Concat(b.ignored(pkg), more[pkg]); len(list) > 0 {
			all[pkg] = list
		}
	}
	return all
}

// ignored returns the functions of a package's tests that are ignored.
func (b *Baseline) ignored(pkg string) []string {
	names := slices.Clone(b.alone[pkg])
	for _, t := range slices.Concat(b.Failing(), b.Flaky()) {
		if t.Package == pkg && t.Name != "" && !slices.Contains(names, t.top()) {
			names = append(names, t.top())
		}
	}
	return names
}

// Failing returns the tests that fail before any change. They are ignored if they fail the same way
// with it.
func (b *Baseline) Failing() []Test { return b.before.failures() }

// Flaky returns the tests whose outcome varies without a change. They are ignored.
func (b *Baseline) Flaky() []Test { return slices.SortedFunc(maps.Keys(b.flaky), compareTests) }

// A TestError is a test whose outcome differs with a change.
type TestError struct {
	Test   Test
	What   string // such as "fails"
	Built  bool   // unset if the tests of its package do not build
	Output string // the last lines of what it printed
}

func (e *TestError) Error() string {
	text := e.Test.String() + " " + e.What
	if e.Output != "" {
		text += ":\n" + e.Output
	}
	return text
}

// A Trial is code to test: a module, or a copy of it, with flags of the go command that change it.
type Trial struct {
	Module *Module
	Flags  []string
}

// Passes runs the tests of packages, without some functions by package, and reports whether all pass. It is
// false if ctx ends.
func (t Trial) Passes(ctx context.Context, packages []string, without map[string][]string) bool {
	r := t.Module.test(ctx, t.Flags, packages, without)
	return ctx.Err() == nil && len(r.failures()) == 0
}

// Slow returns the functions of packages, by package, that remain if the fastest ones run for at most some
// time, without those that are ignored.
func (b *Baseline) Slow(packages []string, limit time.Duration) map[string][]string {
	ignored := b.Without(packages, nil)
	var all []Test
	for t := range b.before.took {
		if slices.Contains(packages, t.Package) && t.Name != "" && t.Name == t.top() &&
			!slices.Contains(ignored[t.Package], t.Name) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(x, y Test) int {
		return cmp.Or(cmp.Compare(b.before.took[x], b.before.took[y]), compareTests(x, y))
	})
	slow := map[string][]string{}
	for _, t := range all {
		if limit -= b.before.took[t]; limit < 0 {
			slow[t.Package] = append(slow[t.Package], t.Name)
		}
	}
	return slow
}

// Ran reports whether a test has passed.
func (b *Baseline) Ran() bool {
	for t, what := range b.before.outcomes {
		if t.Name != "" && what == passed {
			return true
		}
	}
	return false
}

// Compare runs the tests of packages with a change. It returns nil if every test that passed before
// passes, and every other one fails as before; otherwise a *TestError. Tests that seem to differ
// run again in original: one that differs there, too, is flaky. If that has no module, nothing runs
// again. If ctx ends, the result is not complete.
func (b *Baseline) Compare(ctx context.Context, changed, original Trial, packages []string) error {
	return b.compare(ctx, changed.Module.test(ctx, changed.Flags, packages, b.alone), original, packages)
}

// compare is Compare for a run with the change.
func (b *Baseline) compare(ctx context.Context, after *testRun, original Trial, packages []string) error {
	differing := b.differing(after, packages)
	for n := 0; original.Module != nil && n < maxAgain && len(differing) > 0 && ctx.Err() == nil; n++ {
		var tests []Test
		for _, e := range differing {
			tests = append(tests, e.Test)
		}
		for _, pkg := range packagesOf(tests) {
			functions := functionsOf(tests, pkg)
			flags := slices.Concat(original.Flags, []string{"-count=1"})
			if functions != nil {
				flags = append(flags, "-run="+patternOf(functions))
			}
			b.addFlaky(original.Module.test(ctx, flags, []string{pkg}, b.alone), pkg, functions)
		}
		differing = b.differing(after, packages)
	}
	if ctx.Err() != nil || len(differing) == 0 {
		return ctx.Err()
	}
	return differing[0]
}

// differing returns the tests whose outcome differs: failing ones first, and subtests before their
// test.
func (b *Baseline) differing(after *testRun, packages []string) []*TestError {
	var list []*TestError
	bad := map[string]bool{} // packages
	add := func(t Test, what string) {
		list = append(list, &TestError{
			Test: t, What: what, Built: !after.unbuilt[t.Package], Output: LastLines(after.outputs[t]),
		})
		bad[t.Package] = true
	}
	all := map[Test]bool{}
	for _, tests := range []map[Test]outcome{b.before.outcomes, after.outcomes} {
		for t := range tests {
			if t.Name != "" && slices.Contains(packages, t.Package) && !b.flaky[t] && !b.isAlone(t) {
				all[t] = true
			}
		}
	}
	for t := range all {
		if what := b.differs(after, t); what != "" {
			add(t, what)
		}
	}
	for _, whole := range after.failures() {
		// A package that fails without a test: it does not build, or its process ended early.
		if pkg := whole.Package; whole.Name == "" && slices.Contains(packages, pkg) && !bad[pkg] &&
			(b.before.outcomes[whole] != failed || b.before.cutShort(pkg) != after.cutShort(pkg)) {
			add(whole, "fails")
			list[len(list)-1].Output = LastLines(after.outputs[whole] + after.rest.String())
		}
	}
	slices.SortFunc(list, func(a, b *TestError) int {
		return cmp.Or(
			strings.Compare(a.What, b.What), cmp.Compare(depth(b.Test), depth(a.Test)), compareTests(a.Test, b.Test),
		)
	})
	return list
}

// differs returns how the outcome of a test differs from that before; "" if it does not.
func (b *Baseline) differs(after *testRun, t Test) string {
	was, is := b.before.outcomes[t], after.outcomes[t]
	switch {
	case was == failed:
		if is == failed && b.before.says(t) != after.says(t) {
			return "fails in a different way than before"
		}
		return ""
	case is == failed:
		return "fails"
	case was == passed && is == skipped:
		return "is skipped"
	case was == passed && is == "" && after.begun[t]:
		return "does not end"
	case was == passed && is == "":
		return "no longer runs"
	}
	return ""
}

// changing matches what may differ between runs in the output of a failing test: addresses, numbers
// and durations.
var changing = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+(\.[0-9]+)?(ns|µs|us|ms|s)?`)

// says returns the output of a test, without parts that vary from run to run.
func (r *testRun) says(t Test) string {
	text, _, _ := strings.Cut(r.outputs[t], "\ngoroutine ")
	return changing.ReplaceAllString(text, "0")
}
