package differ

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ/counts"
	"github.com/whet-go/whet/internal/prove/differ/declarations"
	"github.com/whet-go/whet/internal/prove/differ/fuzzlog"
	"github.com/whet-go/whet/internal/prove/differ/importers"
	"github.com/whet-go/whet/internal/prove/differ/makers"
	"github.com/whet-go/whet/internal/prove/differ/pace"
	"github.com/whet-go/whet/internal/prove/differ/reproducer"
	"github.com/whet-go/whet/internal/prove/differ/support"
	"github.com/whet-go/whet/internal/prove/differ/twin"
	"github.com/whet-go/whet/internal/prove/differ/vocabulary"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// Options configure Compare.
type Options struct {
	Flags []string // of go build
	Env   []string // KEY=value, for the go command and the processes it starts

	FuzzTime string        // per function, as in go test's -fuzztime
	Pace     *pace.Pace    // of the functions, instead of FuzzTime; may be nil
	Timeout  time.Duration // of a process
	Corpus   string        // directory for the inputs that the fuzzer finds; "" discards them
	// Joined is set if writers may get the same bytes divided differently.
	Joined bool
	// Captured are calls that a program made, whose arguments are inputs; nil is none.
	Captured *captured.Calls
	// Inputs and Seed replace FuzzTime for the tests that run in two processes.
	Inputs int
	Seed   uint64
}

// A Comparison is what Compare has found for a package, without a difference.
type Comparison struct {
	Outcomes    []Outcome
	NotCompared []string // declarations that were not compared, and why
	// Blocks is the number of basic blocks on changed lines, and Reached how many of them inputs ran.
	Blocks, Reached int
	// Outside has the exported constants, variables and types that have changed, as "const Limit", with why
	// users of other modules are not known to see the same, or "" if they are. Those that are not in it were
	// not looked at.
	Outside map[string]string
	// Separate is why both versions cannot be compiled into one program; "" if they were. Then nothing was
	// called, and Files and Tests, which are as Dump returns them, do it in two.
	Separate string
	Files    map[string][]byte
	Tests    []Test
}

// A BehaviorError reports a function that behaves differently.
type BehaviorError struct {
	Function string
	Output   string // of the test: the input, and both results
	// Record is the input, and what the old function does with it; nil if it is unknown. Package is what
	// tests of it are for, without the names of the versions, and Dir its directory in the module.
	Record  *reproducer.Record
	Dir     string
	Package reproducer.Package
}

func (e *BehaviorError) Error() string {
	return fmt.Sprintf("%s behaves differently:\n%s", e.Function, e.Output)
}

// Compare compares the package in a directory of m with its new version, which has the changes: it calls
// the functions that the changes concern in both, with the same inputs. It writes files into m while it
// runs. A *BehaviorError is the first difference.
func Compare(
	ctx context.Context, m *scratch.Module, dir string, changes scratch.Changes, o Options,
) (_ *Comparison, err error) {
	if !changesCode(changes, dir) {
		return &Comparison{}, nil
	}
	c := &comparer{Copy: twin.New(m, changes)}
	defer func() { err = errors.Join(err, c.Remove()) }()
	old, now, err := c.load(ctx, dir, o)
	var separate *twin.SeparateError
	if err != nil && !errors.As(err, &separate) {
		return nil, err
	}
	g := c.newTestFile(dir, old, now)
	var entries []entry
	var errs []error
	var e *effectFinder
	if now != nil {
		entries, errs, e = g.plan(old, now, c.imports.Importable(old.PkgPath))
	} else {
		entries, errs = g.entries(append(g.mentioned(changes, m), g.assembled...))
	}
	r := &Comparison{}
	for _, err := range errs {
		r.NotCompared = append(r.NotCompared, err.Error())
	}
	if now != nil {
		err = c.compareAll(ctx, g, now, dir, entries, e, r, o)
		if err == nil || !errors.As(err, &separate) {
			return r, err
		}
		g = c.newTestFile(dir, old, now)
		entries, _, e = g.plan(old, now, c.imports.Importable(old.PkgPath))
		r.NotCompared = append(r.NotCompared, e.Unproven()...)
	}
	if len(entries) == 0 {
		return r, nil
	}
	r.Separate = separate.Reason
	r.Files, r.Tests, err = g.dumps(entries, o.Inputs, o.Seed, o.Captured)
	return r, err
}

// changesCode reports whether a package's own files change, and not only its tests.
func changesCode(changes scratch.Changes, dir string) bool {
	return slices.ContainsFunc(changes.In(dir), func(name string) bool { return twin.IsCode(path.Base(name)) })
}

// A comparer compares the two versions of a package.
type comparer struct {
	*twin.Copy
	narrowing []string         // see vocabulary.Vocabulary.Narrowing
	imports   *importers.Graph // of the module; nil: not read yet
	pkgName   string
	own       importers.Package   // that is compared
	others    []importers.Package // that are copied, too
}

// newTestFile returns an empty test file for both versions of the package in dir.
func (c *comparer) newTestFile(dir string, old, now *packages.Package) *testFile {
	g := newTestFile(old, now)
	g.assembled = c.assembled(dir, old, now)
	return g
}

// load writes the new version of the package in dir, and of what it needs, and loads both versions of the
// package. If the error is a *twin.SeparateError, old is set.
func (c *comparer) load(ctx context.Context, dir string, o Options) (old, now *packages.Package, err error) {
	options := driver.Options{Dir: c.Module.Dir, Flags: o.Flags, Env: o.Env}
	if c.imports == nil {
		if c.imports, err = readImports(ctx, c.Module, c.Changes, o); err != nil {
			return nil, nil, err
		}
	}
	all, err := driver.Load(ctx, options, "./"+dir)
	if err != nil {
		return nil, nil, err
	}
	if len(all) != 1 || len(all[0].GoFiles) == 0 || all[0].IllTyped {
		return nil, nil, fmt.Errorf("the package in %s cannot be loaded", dir)
	}
	old = all[0]
	c.pkgName = old.Name
	if err := c.copyAll(ctx, c.imports.Between(dir), o); err != nil {
		return old, nil, err
	}
	both, err := driver.Load(ctx, options, "./"+dir, "./"+path.Join(dir, twin.Dir))
	if err != nil {
		return nil, nil, err
	}
	for _, pkg := range both {
		if strings.HasSuffix(pkg.PkgPath, "/"+twin.Dir) {
			now = pkg
		} else {
			old = pkg
		}
	}
	if now == nil || now.IllTyped || len(now.Errors) > 0 {
		return old, nil, &twin.SeparateError{Reason: "the copy of its new version does not build"}
	}
	return old, now, nil
}

// mentioned returns the functions of the package that are in changed files, for when nothing more
// is known about the new version.
func (g *testFile) mentioned(changes scratch.Changes, m *scratch.Module) (changed []types.Object) {
	declarations.Each(g.pkg, func(_, text string, obj types.Object) {
		if _, ok := obj.(*types.Func); !ok {
			return
		}
		source, _, _ := strings.Cut(text, declarations.TextEnd)
		for file, c := range changes {
			if g.pkg.Fset.Position(obj.Pos()).Filename == m.Path(file) && !strings.Contains(string(c.After), source) {
				changed = append(changed, obj)
			}
		}
	})
	return changed
}

// twinSupport names files that are written for the copy.
func twinSupport(part string) string { return "zz_whet_" + part + ".go" }

// files returns the files of both versions, by their names in the directory of the package.
func (g *testFile) twins(
	c *comparer, now *packages.Package, entries []entry, o Options,
) (map[string][]byte, []Test, error) {
	var tests []Test
	for i, e := range entries {
		settings := g.settings(e.call.fn, now.Types, setForRun)
		set := settings
		if e.inner {
			set += "s.Inner = true; "
		}
		g.addf("func whetEntry%d(s *whetlib.Source) {\n%s(%s)(s)\n}\n\n", i, set, e.call.manyCalls(e.call.fn.Name()))
		test := Test{
			Function: g.within + e.name(), Name: fmt.Sprintf("FuzzWhetDiffer%d", i+1), Fixed: e.call.fixed() && settings == "",
			called: e.call.Function, inner: e.inner, certain: e.certain,
			alone: e.self && !e.inner && !e.call.fn.Exported(),
		}
		for _, fn := range e.inside {
			if d := g.declOf(fn); d != nil {
				test.inside = append(test.inside, FuncName(d))
			}
		}
		tests = append(tests, test)
	}
	l := libraryOf(g.pkg, support.Comparison, usesNet(g.pkg.Types) || usesNet(now.Types))
	g.captured(l, o.Captured)
	delete(g.Imports, "testing")
	var runs strings.Builder
	fmt.Fprintf(&runs, "// WhetEntry returns a function that is compared.\nfunc WhetEntry(n int) func(*%[1]s.Source) {\n"+
		"\treturn []func(*%[1]s.Source){", support.Name)
	for i := range entries {
		fmt.Fprintf(&runs, "whetEntry%d, ", i)
	}
	runs.WriteString("}[n]\n}\n\n")
	copied, err := g.source(now.Types.Name(), runs.String(), c.Imported)
	if err != nil {
		return nil, nil, err
	}
	words := vocabulary.Of(slices.Concat([]*packages.Package{g.pkg}, g.more, []*packages.Package{now})...)
	words.Add(o.Captured.Texts(g.pkg.PkgPath))
	c.narrowing = words.Narrowing()
	files := l.Files
	files[twin.Dir+"/"+twinSupport("differ")] = copied
	files[twin.Dir+"/"+twinSupport("vocabulary")] = words.Source(now.Types.Name(), l.Path, false,
		c.hiddenIn(g.pkg.Types, now.Types, true))

	importedAs := g.Import(g.pkg.PkgPath+"/"+twin.Dir, twin.Dir)
	testing := g.Import("testing", "testing")
	g.Imports[g.pkg.PkgPath+"/"+twin.Dir+"/whetlast"] = "_"
	var fuzz strings.Builder
	for i, t := range tests {
		fmt.Fprintf(&fuzz, "func %[1]s(f *%[2]s.F) {\n\t%[3]s.Seeds(f, whetCaptured)\n"+
			"\tnow := %[3]s.There(%[4]s.WhetEntry(%[5]d), %[6]q, %[7]q)\n"+
			"\tf.Fuzz(func(t *%[2]s.T, data []byte) { %[3]s.Compare(t, data, %[3]s.Here(whetEntry%[5]d), now) })\n}\n\n",
			t.Name, testing, support.Name, importedAs, i, "/"+twin.Dir, twin.MainName+".")
	}
	source, err := g.source(g.pkg.Types.Name(), fuzz.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	files[testFileName] = source
	files[supportName("vocabulary")] = words.Source(g.pkg.Types.Name(), l.Path, true,
		c.hiddenIn(g.pkg.Types, now.Types, false))
	return files, tests, g.registries(c, files)
}

// registries adds two packages that are initialized before and after the copy. In between, the
// default registries of flags, handlers and metrics are replaced, since most reject the same name
// twice.
func (g *testFile) registries(c *comparer, files map[string][]byte) error {
	var imports, first, last strings.Builder
	fmt.Fprintf(&imports, "\t%q\n", "flag")
	first.WriteString("\tFlags = flag.CommandLine\n")
	last.WriteString("\tflag.CommandLine = whetfirst.Flags\n")
	swap := "\tflag.CommandLine = flag.NewFlagSet(\"\", flag.ContinueOnError)\n"
	if makers.Dependency(g.pkg.Types, "net/http") != nil {
		fmt.Fprintf(&imports, "\t%q\n", "net/http")
		first.WriteString("\tMux = http.DefaultServeMux\n")
		last.WriteString("\thttp.DefaultServeMux = whetfirst.Mux\n")
		swap += "\thttp.DefaultServeMux = http.NewServeMux()\n"
	}
	if metrics := "github.com/prometheus/client_golang/prometheus"; makers.Dependency(g.pkg.Types, metrics) != nil {
		fmt.Fprintf(&imports, "\t%q\n", metrics)
		first.WriteString("\tRegisterer, Gatherer = prometheus.DefaultRegisterer, prometheus.DefaultGatherer\n")
		last.WriteString("\tprometheus.DefaultRegisterer, prometheus.DefaultGatherer = whetfirst.Registerer, " +
			"whetfirst.Gatherer\n")
		swap += "\tr := prometheus.NewRegistry()\n\tprometheus.DefaultRegisterer, prometheus.DefaultGatherer = r, r\n"
	}
	// The package's imports are initialized before that, with the usual registries.
	var others strings.Builder
	for _, p := range g.pkg.Types.Imports() {
		if p.Path() != "unsafe" && !strings.Contains(imports.String(), "\""+p.Path()+"\"") {
			fmt.Fprintf(&others, "\t_ %q\n", p.Path())
		}
	}
	at := g.pkg.PkgPath + "/" + twin.Dir
	files[twin.Dir+"/whetfirst/first.go"] = []byte("package whetfirst\n\nimport (\n" + imports.String() + others.String() +
		")\n\nvar (\n" + first.String() + ")\n\nfunc init() {\n" + swap + "}\n")
	files[twin.Dir+"/whetlast/last.go"] = []byte("package whetlast\n\nimport (\n" + imports.String() +
		"\t_ \"" + at + "\"\n\t\"" + at + "/whetfirst\"\n)\n\nfunc init() {\n" + last.String() + "}\n")
	// The copies must be initialized after the first one. Their files come in the order of their names.
	after := "\n\nimport _ \"" + at + "/whetfirst\"\n"
	files[twin.Dir+"/"+twinSupport("first")] = []byte("package " + c.name(g.pkg) + after)
	return c.initializeAfter(at, after)
}

func (c *comparer) name(old *packages.Package) string {
	if old.Name == "main" {
		return twin.MainName
	}
	return old.Name
}

// compareAll calls the functions of a package, and then those of other packages that what has changed
// concerns. A *twin.SeparateError means that the first of these cannot be compared.
func (c *comparer) compareAll(
	ctx context.Context, g *testFile, now *packages.Package, dir string, entries []entry, e *effectFinder, r *Comparison,
	o Options,
) error {
	lines := twin.ChangedLines(g.pkg, now, FuncName)
	lines.Path = now.PkgPath
	if len(entries) > 0 {
		if err := c.compare(ctx, g, now, dir, entries, lines, r, o); err != nil {
			return err
		}
	}
	called, err := c.compareUsers(ctx, g.pkg, now, e, lines, r, o)
	if err != nil {
		return err
	}
	r.NotCompared = append(r.NotCompared, e.Unproven()...)
	r.Outside = e.Outside()
	if len(entries) == 0 && !called {
		return nil
	}
	if len(entries) == 0 {
		c.narrowing = vocabulary.Of(g.pkg, now).Narrowing()
	}
	r.NotCompared = append(r.NotCompared, lines.Unreached()...)
	for _, name := range c.narrowing {
		r.NotCompared = append(r.NotCompared,
			name+" converts more integers to 16 bits than before, and few inputs are that large")
	}
	r.Blocks, r.Reached = lines.Blocks()
	return nil
}

// compare builds both versions into one program and fuzzes them. lines are those whose coverage is recorded,
// of the package or of one that it depends on.
func (c *comparer) compare(
	ctx context.Context, g *testFile, now *packages.Package, dir string, entries []entry, lines *twin.Coverage,
	r *Comparison, o Options,
) error {
	files, tests, err := g.twins(c, now, entries, o)
	if err != nil {
		return err
	}
	uses := g.usedLines(now)
	covered := "-coverpkg=" + now.PkgPath + "," + lines.Path
	run, err := c.build(ctx, dir, files, o, "-fuzz=.", "-cover", covered)
	if err != nil {
		return err
	}
	defer func() { _ = run.remove() }()
	open := map[string]*BehaviorError{} // inner functions that their callers decide; nil without a difference
	for i, t := range tests {
		if !t.certain && !slices.ContainsFunc(t.inside, func(inner string) bool { _, ok := open[inner]; return ok }) {
			continue
		}
		if o.Pace != nil && o.Pace.Over() {
			r.NotCompared = append(r.NotCompared, t.Function+" was not compared: the time for that was up")
			continue
		}
		outcome, why, err := run.fuzz(ctx, t, leftAfter(tests[i:]), lines, &uses.Coverage)
		var differs *BehaviorError
		if errors.As(err, &differs) {
			differs.Dir = dir
			differs.Package = reproducer.Package{Name: g.pkg.Name, Function: t.called, Declares: g.Declares}
		}
		switch {
		case differs != nil && t.inner:
			open[t.called] = differs
			if differs.Record != nil { // what its callers may pass, too
				run.learned = []string{"WHET_LEARNED=" + string(differs.Record.Learned)}
			}
		case differs != nil && t.alone && fuzzlog.BesideError(differs.Output):
			r.NotCompared = append(r.NotCompared, nextToError(t.Function, differs))
		case err != nil:
			return err
		case why != "":
			r.NotCompared = append(r.NotCompared, why)
		default:
			r.Outcomes = append(r.Outcomes, outcome)
			if t.inner && (outcome.Outside > 0 || outcome.Unproven != "") {
				open[t.called] = nil
			}
		}
	}
	r.NotCompared = append(r.NotCompared, uses.Unreached()...)
	return r.settle(open, tests)
}

// leftAfter returns the number of tests after the first one that certainly run.
func leftAfter(tests []Test) (n int) {
	for _, t := range tests[1:] {
		if t.certain {
			n++
		}
	}
	return n
}

// settle decides what the comparison of inner functions left open, by that of their callers. A difference
// that no caller shows needs a reviewer, because callers may never pass such arguments. An inner function
// that was called with too few inputs was compared as its callers call it.
func (r *Comparison) settle(open map[string]*BehaviorError, tests []Test) error {
	for _, name := range slices.Sorted(maps.Keys(open)) {
		var callers []string
		for _, t := range tests {
			if slices.Contains(t.inside, name) && slices.ContainsFunc(r.Outcomes, func(o Outcome) bool {
				return o.Function == t.Function && o.Unproven == ""
			}) {
				callers = append(callers, t.called)
			}
		}
		switch differs := open[name]; {
		case differs != nil && len(callers) == 0 && fuzzlog.BesideError(differs.Output):
			r.NotCompared = append(r.NotCompared, nextToError(name, differs))
		case differs != nil && len(callers) == 0:
			return differs
		case differs != nil:
			r.NotCompared = append(r.NotCompared,
				fmt.Sprintf("%s behaves differently with arguments that %s did not pass when called:\n%s",
					name, strings.Join(callers, ", "), differs.Output))
		case len(callers) > 0:
			r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o Outcome) bool { return o.Function == name && o.Unproven != "" })
		}
	}
	return nil
}

// nextToError describes a difference of an unexported function that nothing shows its callers to see.
func nextToError(function string, differs *BehaviorError) string {
	return fmt.Sprintf("%s differs in what it returns next to an error, and no exported function was called that shows "+
		"it:\n%s", function, differs.Output)
}

// build writes files, by their names relative to the package, and builds both versions into one program,
// with further flags. A *twin.SeparateError is why it cannot be built or started.
func (c *comparer) build(
	ctx context.Context, dir string, files map[string][]byte, o Options, flags ...string,
) (_ *twinRun, err error) {
	for name, text := range files {
		if err := c.Write(path.Join(dir, name), text); err != nil {
			return nil, err
		}
	}
	temp, err := os.MkdirTemp(c.Module.Temp, "twins")
	if err != nil {
		return nil, err
	}
	run := &twinRun{
		binary: filepath.Join(temp, "twins.test"), temp: temp, dir: c.Module.Path(dir), o: o, module: c.Module,
		pkg: c.own.Path,
	}
	defer func() {
		if err != nil {
			_ = run.remove()
		}
	}()
	over, err := c.withoutTests(dir, files, o)
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"-c", "-o", run.binary, "-vet=off"}, over, flags, []string{"./" + dir})
	if err := c.buildProgram(ctx, dir, files, args, o); err != nil {
		return nil, err
	}
	out, err := run.process(ctx, nil, "-test.run=^$")
	if err != nil && ctx.Err() == nil && strings.Contains(out, "panic: ") {
		if err := c.delayRegistering(); err != nil {
			return nil, err
		}
		if err := c.buildProgram(ctx, dir, files, args, o); err != nil {
			return nil, err
		}
		out, err = run.process(ctx, nil, "-test.run=^$")
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &twin.SeparateError{Reason: "both versions cannot be started as one program: " + fuzzlog.LastLine(out)}
	}
	return run, nil
}

// buildProgram builds the package in dir, for which files were written, with arguments of go test. A
// *twin.SeparateError is why it cannot be built.
func (c *comparer) buildProgram(
	ctx context.Context, dir string, files map[string][]byte, args []string, o Options,
) error {
	out, err := c.Module.With(o.Flags, o.Env).Go(ctx, nil, "test", append([]string{support.ExitFlag(o.Flags)}, args...)...)
	if err != nil && ctx.Err() == nil && strings.Contains(out, "exithook") { // of another release of Go
		for name := range files {
			if strings.Contains(name, support.Dir+"/") && path.Base(name) == support.ExitPart {
				if err := os.Remove(c.Module.Path(path.Join(dir, name))); err != nil {
					return err
				}
			}
		}
		out, err = c.Module.With(o.Flags, o.Env).Go(ctx, nil, "test", args...)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &twin.SeparateError{Reason: "both versions do not build as one program: " + scratch.LastLines(out)}
	}
	return nil
}

// withoutTests returns the flag for a build of the package in dir without its own tests, which may not build, or
// end the process before any function is called. files are those that were written for the program.
func (c *comparer) withoutTests(dir string, files map[string][]byte, o Options) (flags []string, err error) {
	if slices.ContainsFunc(o.Flags, func(flag string) bool { return strings.Contains(flag, "-overlay") }) {
		return nil, nil // there can be only one
	}
	entries, err := os.ReadDir(c.Module.Path(dir))
	if err != nil {
		return nil, err
	}
	hidden := map[string][]byte{}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, "_test.go") && files[name] == nil {
			hidden[path.Join(dir, name)] = nil
		}
	}
	if len(hidden) == 0 {
		return nil, nil
	}
	return c.Module.Overlay(hidden)
}

// A twinRun is the program with both versions.
type twinRun struct {
	module            *scratch.Module
	binary, temp, dir string
	o                 Options
	pkg               string   // the import path of the old version
	ended             string   // the stack of the goroutine that ended the last process; "" if none did, or it is unknown
	learned           []string // environment with what values are made of, besides the package's constants
}

// corpus returns the directory with the inputs that the fuzzer found, in one directory per target.
func (r *twinRun) corpus() string { return cmp.Or(r.o.Corpus, filepath.Join(r.temp, "corpus")) }

// plainFile is the file in the corpus that says that no other methods are called before the compared ones.
const plainFile = "whet-plain"

// plain reports whether no other methods of a receiver are called before the compared one.
func (r *twinRun) plain() bool {
	_, err := os.Stat(filepath.Join(r.corpus(), plainFile))
	return err == nil
}

// makePlain has later processes, also of a Mutated, call no other methods before the compared one, and make only trees
// of what looks like nodes of one.
func (r *twinRun) makePlain() error {
	if err := os.MkdirAll(r.corpus(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.corpus(), plainFile), nil, 0o600)
}

func (r *twinRun) remove() error { return os.RemoveAll(r.temp) }

func (r *twinRun) process(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.binary, append(args, "-test.timeout="+r.o.Timeout.String())...)
	cmd.Dir = r.dir
	cmd.Env = slices.Concat(
		os.Environ(), r.module.TrialEnv(), []string{ignoreConflicts}, r.o.Env, r.learned, env,
	)
	if r.plain() {
		cmd.Env = append(cmd.Env, "WHET_PLAIN=1")
	}
	cmd.WaitDelay = 5 * time.Second
	procgroup.OwnAndKill(cmd)
	out, err := r.module.Output(cmd)
	r.ended = fuzzlog.Ended(out)
	return asOriginal(out), err
}

// ignoreConflicts has generated code of protocol buffers register the same message twice.
const ignoreConflicts = "GOLANG_PROTOBUF_REGISTRATION_CONFLICT=ignore"

// asOriginal returns text in which files and functions of the copy have the names of the originals.
func asOriginal(text string) string {
	return strings.NewReplacer("/"+twin.Dir+".", ".", twin.Dir+"/", "").Replace(text)
}

// fuzz runs a fuzz target, after which left others run. why is the reason why it does not compare anything.
func (r *twinRun) fuzz(
	ctx context.Context, t Test, left int, lines ...*twin.Coverage,
) (o Outcome, why string, err error) {
	limit, o, why, err := r.fuzzOnce(ctx, t, left, lines)
	if why != "" && err == nil && !r.plain() {
		if err := r.makePlain(); err != nil {
			return o, why, err
		}
		limit, o, why, err = r.fuzzOnce(ctx, t, left, lines)
	}
	d, timed := time.ParseDuration(limit)
	slow := !o.Fixed && o.Returned < counts.MinReturned && o.Inputs+o.Outside < counts.FirstInputs
	if err != nil || timed != nil || why != "" || !slow {
		return o, why, err
	}
	p := r.o.Pace
	if p == nil {
		p = &pace.Pace{}
	}
	longer, enough := p.Longer(d, left)
	if !enough {
		return o, why, err
	}
	return r.fuzzFor(ctx, t, lines, longer.String())
}

// fuzzOnce runs a fuzz target for its time, which it returns.
func (r *twinRun) fuzzOnce(
	ctx context.Context, t Test, left int, lines []*twin.Coverage,
) (limit string, o Outcome, why string, err error) {
	if r.o.Pace == nil {
		o, why, err = r.fuzzFor(ctx, t, lines, r.o.FuzzTime)
		return r.o.FuzzTime, o, why, err
	}
	began, d := time.Now(), r.o.Pace.For(left+1)
	o, why, err = r.fuzzFor(ctx, t, lines, d.String())
	r.o.Pace.Took(d, time.Since(began))
	return d.String(), o, why, err
}

// manySeeds is the number of random inputs that come before the fuzzer, and fewSeeds the number that the fuzzer
// begins with: one process calls both functions with them many times faster than the fuzzer's workers do.
const (
	manySeeds = 4 * counts.FirstInputs
	fewSeeds  = counts.FirstInputs / 4
)

// leastRandom is the least time for random inputs.
const leastRandom = 100 * time.Millisecond

// fuzzFor runs a fuzz target for some time, half of which are random inputs, or with a number of inputs.
func (r *twinRun) fuzzFor(
	ctx context.Context, t Test, lines []*twin.Coverage, limit string,
) (o Outcome, why string, err error) {
	count := filepath.Join(r.temp, "counts")
	defer func() { _ = os.RemoveAll(r.failing(t)) }()
	if err := os.WriteFile(count, nil, 0o600); err != nil { // it has those of another function
		return o, "", err
	}
	var env []string
	if r.o.Joined {
		env = append(env, "WHET_JOINED=1") // a cache or a buffer writes in different pieces
	}
	counting := append(slices.Clone(env), counts.Env+"="+count)
	seeds, again := 0, []string{"WHET_CORPUS=" + r.corpus()}
	d, err := time.ParseDuration(limit)
	if err == nil {
		again = append(again, LimitEnv+"="+max(d, leastRandom).String())
	}
	if err == nil && !t.Fixed {
		seeds = fewSeeds
		began := time.Now()
		first := append(slices.Clone(env), SeedsEnv+"="+strconv.Itoa(manySeeds))
		counted := append(slices.Clone(first), counts.Env+"="+count, LimitEnv+"="+max(d/2, leastRandom).String())
		if kept := filepath.Join(r.corpus(), t.Name); os.MkdirAll(kept, 0o700) == nil {
			counted = append(counted, "WHET_KEEP="+kept)
		}
		out, err := r.covered(ctx, t, lines, counted...)
		if err != nil {
			return r.failed(ctx, t, first, out)
		}
		limit = max(d-time.Since(began), d/2, 1).String() // 0 would be no limit
	}
	before, err := os.ReadFile(count)
	if err != nil {
		return o, "", err
	}
	if seeds > 0 {
		env, counting = append(env, SeedsEnv+"="+strconv.Itoa(seeds)), append(counting, SeedsEnv+"="+strconv.Itoa(seeds))
	}
	args := []string{
		"-test.run=^$", "-test.fuzz=^" + t.Name + "$", "-test.fuzztime=" + limit,
		"-test.fuzzminimizetime=100x", "-test.fuzzcachedir=" + r.corpus(),
	}
	var out string
	for range 4 {
		if err := os.WriteFile(count, before, 0o600); err != nil {
			return o, "", err
		}
		if out, err = r.process(ctx, counting, args...); err == nil || !fuzzlog.TimeWasUp(out) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return r.failed(ctx, t, env, out)
	}
	counted, err := os.ReadFile(count)
	if err != nil {
		return o, "", err
	}
	if _, err := r.covered(ctx, t, lines, append(env, again...)...); err != nil {
		for _, l := range lines {
			l.Lost()
		}
	}
	return counts.Read(t.Function, t.Fixed, counted), "", ctx.Err()
}

// failing returns the directory for the input on which the fuzzer fails.
func (r *twinRun) failing(t Test) string { return filepath.Join(r.dir, "testdata", "fuzz", t.Name) }

// covered runs a fuzz target with its first inputs, and adds what they ran to lines.
func (r *twinRun) covered(
	ctx context.Context, t Test, lines []*twin.Coverage, env ...string,
) (out string, err error) {
	profile := filepath.Join(r.temp, "cover.out")
	_ = os.Remove(profile)
	out, err = r.process(ctx, env, "-test.run=^"+t.Name+"$", "-test.failfast", "-test.coverprofile="+profile)
	if err != nil {
		return out, err
	}
	text, err := os.ReadFile(profile)
	for _, l := range lines {
		l.Add(string(text))
	}
	return out, err
}

// failed tells what the failure of a fuzz target means. why is the reason why nothing is compared.
func (r *twinRun) failed(ctx context.Context, t Test, env []string, out string) (o Outcome, why string, err error) {
	if ctx.Err() != nil {
		return o, "", ctx.Err()
	}
	if !strings.Contains(out, "the results differ") {
		if r.oldEnded() {
			return o, fmt.Sprintf("%s cannot be compared: it ends the process: %s", t.Function, fuzzlog.LastLine(out)), nil
		}
		alone := append(slices.Clone(env), "WHET_ALONE=1", "WHET_CORPUS="+filepath.Dir(r.failing(t)))
		if out, err := r.process(ctx, alone, "-test.run=^"+t.Name+"$"); err != nil && ctx.Err() == nil {
			return o, fmt.Sprintf("%s cannot be compared: it ends the process: %s", t.Function, fuzzlog.LastLine(out)), nil
		}
	}
	return o, "", &BehaviorError{Function: t.Function, Output: fuzzlog.Difference(out), Record: r.record(ctx, t, env, out)}
}

// oldEnded reports whether the old version has ended the last process, and the new one has not: a call that was given
// up because it takes long may do so later, while another one runs.
func (r *twinRun) oldEnded() bool {
	return strings.Contains(r.ended, r.pkg+".") && !strings.Contains(r.ended, "/"+twin.Dir)
}

// record runs a fuzz target again with the input on which it fails, and returns a record of the run; nil
// if there is none.
func (r *twinRun) record(ctx context.Context, t Test, env []string, out string) *reproducer.Record {
	pattern := "^" + t.Name + "$"
	found, _ := filepath.Glob(filepath.Join(r.dir, "testdata", "fuzz", t.Name, "*"))
	if name := fuzzlog.FailedInput(out); name != "" {
		pattern += "/^" + regexp.QuoteMeta(name) + "$"
	} else if len(found) > 0 {
		pattern += "/^" + filepath.Base(found[0]) + "$"
	}
	name := filepath.Join(r.temp, "record.json")
	if _, err := r.process(ctx, append(slices.Clone(env), "WHET_SCRIPT="+name), "-test.run="+pattern); err == nil {
		return nil // it differs by chance
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	record, err := reproducer.Read(text)
	if err != nil {
		return nil
	}
	return record
}
