package scratch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Test is a test of the module, by the import path of its package and its name, which has slashes
// for a subtest. Without a name it is the package as a whole.
type Test struct{ Package, Name string }

// String returns the import path and the name, with a dot between them.
func (t Test) String() string {
	if t.Name == "" {
		return t.Package
	}
	return t.Package + "." + t.Name
}

// top returns the name of the function: that of a subtest without what follows the slash.
func (t Test) top() string {
	name, _, _ := strings.Cut(t.Name, "/")
	return name
}

// Names lists at most some of the functions of packages, and says how many more there are; "" if there are none.
func Names(functions map[string][]string, most int) string {
	var names []string
	for _, pkg := range slices.Sorted(maps.Keys(functions)) {
		for _, name := range functions[pkg] {
			names = append(names, Test{Package: pkg, Name: name}.String())
		}
	}
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", and %d more", n)
	}
	return strings.Join(names, ", ")
}

func compareTests(a, b Test) int {
	return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
}

// An outcome is the outcome of a test, as in the Action of cmd/test2json.
type outcome string

const (
	passed  outcome = "pass"
	failed  outcome = "fail"
	skipped outcome = "skip"
)

// A testRun is the output of one or more runs of go test.
type testRun struct {
	outcomes map[Test]outcome
	begun    map[Test]bool   // tests that began
	outputs  map[Test]string // beginnings of their output
	took     map[Test]time.Duration
	last     map[string]Test // the last one that began, by package
	ended    map[string]bool // packages whose tests ran to the end
	unbuilt  map[string]bool // packages whose tests do not build
	rest     tail            // output that belongs to no test, such as the compiler's errors
	shown    func(text string) string
	line     []byte // an unfinished line
}

// maxTestOutput is how much output of each test is kept.
const maxTestOutput = 16 << 10

// newTestRun returns an empty run. shown returns a line of output as it is kept.
func newTestRun(shown func(line string) string) *testRun {
	return &testRun{
		shown:    shown,
		outcomes: map[Test]outcome{}, begun: map[Test]bool{}, outputs: map[Test]string{}, took: map[Test]time.Duration{},
		last: map[string]Test{}, ended: map[string]bool{}, unbuilt: map[string]bool{},
	}
}

// maxLine is how much of a line of the go command's output is read.
const maxLine = 1 << 20

// Write reads output of go test -json. Lines that are not JSON are the go command's own.
func (r *testRun) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.line = append(r.line, p[:min(len(p), maxLine-min(maxLine, len(r.line)))]...)
			return n, nil
		}
		r.add(append(r.line, p[:min(i, maxLine)]...))
		r.line, p = r.line[:0], p[i+1:]
	}
}

func (r *testRun) add(line []byte) {
	var e struct {
		Action, Package, Test, Output, FailedBuild string
		Elapsed                                    float64 // in seconds
	}
	isEvent := bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &e) == nil
	switch {
	case !isEvent || e.Action == "":
		_, _ = r.rest.Write([]byte(r.shown(string(line)) + "\n"))
		return
	case e.Action == "build-output":
		_, _ = r.rest.Write([]byte(r.shown(e.Output)))
		return
	case e.Package == "":
		return
	}
	t := Test{e.Package, e.Test}
	switch e.Action {
	case "run":
		r.begun[t], r.last[t.Package] = true, t
	case "output":
		if have := r.outputs[t]; len(have) < maxTestOutput {
			text := r.shown(e.Output)
			r.outputs[t] = have + text[:min(len(text), maxTestOutput-len(have))]
		}
		if t.Name == "" && (e.Output == "FAIL\n" || e.Output == "PASS\n") {
			r.ended[t.Package] = true
		}
	case string(passed), string(failed), string(skipped):
		r.outcomes[t] = outcome(e.Action)
		r.took[t] = time.Duration(e.Elapsed * float64(time.Second))
		if e.FailedBuild != "" {
			r.unbuilt[t.Package] = true
		}
	}
}

// killed notes why tests of packages did not end, or did not begin.
func (r *testRun) killed(packages []string, why string) {
	for t := range r.begun {
		if r.outcomes[t] == "" {
			r.outputs[t] += why
		}
	}
	for _, pkg := range packages {
		if whole := (Test{Package: pkg}); r.outcomes[whole] == "" {
			r.outcomes[whole] = failed
			r.outputs[whole] += why
		}
	}
}

// failures returns the tests that failed or did not end. A test is left out if subtests of it are in
// the list, and a package if tests of it are.
func (r *testRun) failures() []Test {
	var list []Test
	has := map[Test]bool{} // a test or subtest of it is in the list
	add := func(t Test) {
		list = append(list, t)
		for name := t.Name; ; {
			has[Test{t.Package, name}] = true
			i := strings.LastIndexByte(name, '/')
			if name == "" {
				break
			}
			name = name[:max(i, 0)]
		}
	}
	var bad []Test
	for t := range r.begun {
		if o := r.outcomes[t]; o == failed || o == "" {
			bad = append(bad, t)
		}
	}
	for t, o := range r.outcomes {
		if o == failed && !r.begun[t] {
			bad = append(bad, t)
		}
	}
	// The deepest first.
	slices.SortFunc(bad, func(a, b Test) int {
		return cmp.Or(cmp.Compare(depth(b), depth(a)), compareTests(a, b))
	})
	for _, t := range bad {
		if !has[t] {
			add(t)
		}
	}
	slices.SortFunc(list, compareTests)
	return list
}

// notPassed returns the tests of a package that failed, did not end or were skipped: the package, if its process
// ended early or did not start.
func (r *testRun) notPassed(pkg string) (list []Test) {
	whole := Test{Package: pkg}
	if r.cutShort(pkg) || r.unbuilt[pkg] {
		return []Test{whole}
	}
	for _, tests := range [2][]Test{slices.Collect(maps.Keys(r.begun)), slices.Collect(maps.Keys(r.outcomes))} {
		for _, t := range tests {
			if t.Package == pkg && t != whole && r.outcomes[t] != passed && !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	if len(list) == 0 && r.outcomes[whole] == failed {
		return []Test{whole}
	}
	return list
}

// addPassed adds the outcomes of a package's tests that have passed in another run.
func (r *testRun) addPassed(o *testRun, pkg string) {
	for t, what := range o.outcomes {
		if t.Package == pkg && what != failed {
			r.outcomes[t], r.begun[t], r.took[t], r.ended[pkg] = what, o.begun[t], o.took[t], o.ended[pkg]
		}
	}
}

// depth returns how deep a test is below its package.
func depth(t Test) int {
	if t.Name == "" {
		return 0
	}
	return 1 + strings.Count(t.Name, "/")
}

// cutShort reports whether a package's process ended before all of its tests, as after a panic, a
// timeout or an exit.
func (r *testRun) cutShort(pkg string) bool {
	return r.outcomes[Test{Package: pkg}] == failed && !r.ended[pkg]
}

// culprits returns the functions that may have ended the process of a package's tests: those that
// panicked, or else those that did not end, or else the last one. Known ones are left out.
func (r *testRun) culprits(pkg string, known []string) []string {
	var panicked, open []string
	for t := range r.begun {
		if t.Package != pkg || slices.Contains(known, t.top()) {
			continue
		}
		if says := "\n" + r.outputs[t]; strings.Contains(says, "\npanic: ") || strings.Contains(says, "\nfatal error: ") {
			panicked = append(panicked, t.top())
		}
		if r.outcomes[t] == "" {
			open = append(open, t.top())
		}
	}
	for _, list := range [][]string{panicked, open, {r.last[pkg].top()}} {
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) > 0 && list[0] != "" && !slices.Contains(known, list[0]) {
			return list
		}
	}
	return nil
}

// test runs tests. skip has the names of functions that are left out, by package; more are flags of
// go test.
func (m *Module) test(ctx context.Context, more, packages []string, skip map[string][]string) *testRun {
	r := newTestRun(m.Relative)
	var together []string
	for _, pkg := range packages {
		if len(skip[pkg]) == 0 {
			together = append(together, pkg)
			continue
		}
		m.testOnce(ctx, r, slices.Concat(more, []string{"-skip=" + patternOf(skip[pkg])}), []string{pkg})
	}
	if len(together) > 0 {
		m.testOnce(ctx, r, more, together)
	}
	return r
}

// patternOf returns the pattern, for go test's -skip and -run, of functions; "" if there are none.
func patternOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}

func (m *Module) testOnce(ctx context.Context, r *testRun, more, packages []string) {
	args := []string{"-json"}
	if m.options.Timeout > 0 {
		args = append(args, "-timeout="+m.options.Timeout.String())
	}
	cmd := m.command(ctx, more, "test", slices.Concat(args, packages))
	cmd.Stdout, cmd.Stderr = r, r
	before := len(r.outcomes)
	killed, err := m.newGuard().run(cmd)
	if killed != "" {
		r.killed(packages, "killed: "+killed+"\n")
	}
	if err != nil && len(r.outcomes) == before { // it did not get to the tests
		for _, pkg := range packages {
			r.outcomes[Test{Package: pkg}] = failed
		}
	}
	_ = m.ClearTrial() // else Close does
}
