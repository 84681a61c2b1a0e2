package copies

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/collect/testoutput"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// A GoTest is a command that builds and runs tests.
type GoTest struct {
	flags    []string // of go build
	patterns []string // of packages
	given    []string // flags of test binaries: -test.run=…
	args     []string // what the tests define, after them
}

// IsTest reports whether a command begins with go test.
func IsTest(command []string) bool {
	return len(command) > 1 && filepath.Base(command[0]) == "go" && command[1] == "test"
}

// The flags of go test that a test binary takes, too, by whether they have a value, and those of go build.
func testFlags() (test, build map[string]bool) {
	test = map[string]bool{
		"run": true, "skip": true, "count": true, "cpu": true, "parallel": true, "shuffle": true, "timeout": true,
		"benchtime": true, "short": false, "v": false, "failfast": false, "fullpath": false,
	}
	build = map[string]bool{
		"tags": true, "mod": true, "modfile": true, "ldflags": true, "gcflags": true, "asmflags": true, "p": true,
		"pgo": true, "race": false, "trimpath": false, "buildvcs": false,
	}
	return test, build
}

// ParseTest splits a command of the form go test [FLAGS] [PACKAGES] [FLAGS] [-args ARGUMENTS].
func ParseTest(command []string) (*GoTest, error) {
	bad := func(what, hint string) error {
		return &diag.Error{
			Op: "capture", Subject: strings.Join(command, " "), Err: errors.New(what), Kind: diag.Usage, Hint: hint,
		}
	}
	test, build := testFlags()
	t := &GoTest{}
	for rest := command[2:]; len(rest) > 0; {
		word := rest[0]
		rest = rest[1:]
		name, isFlag := strings.CutPrefix(word, "-")
		if !isFlag {
			t.patterns = append(t.patterns, word)
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if name == "args" && !has {
			t.args, rest = rest, nil
			continue
		}
		ofTest, isTest := test[strings.TrimPrefix(name, "test.")]
		ofBuild, isBuild := build[name]
		switch {
		case name == "bench" || name == "test.bench":
			return nil, bad("-bench is not supported with go test", "record benchmarks with whet record PACKAGES --bench REGEXP")
		case !isTest && !isBuild:
			return nil, bad("-"+name+" is not supported with --capture",
				"leave it out; flags that the tests define come after -args")
		}
		if !has && (ofTest || ofBuild) {
			if len(rest) == 0 {
				return nil, bad("-"+name+" has no value", "give -"+name+"=VALUE")
			}
			value, has, rest = rest[0], true, rest[1:]
		}
		flag := "-" + name
		if isTest {
			flag = "-test." + strings.TrimPrefix(name, "test.")
		}
		if has {
			flag += "=" + value
		}
		if isTest {
			t.given = append(t.given, flag)
		} else {
			t.flags = append(t.flags, flag)
		}
	}
	if len(t.patterns) == 0 {
		t.patterns = []string{"."}
	}
	return t, nil
}

// binaryArgs returns the arguments of test binaries, with further ones before those that the tests define.
func (t *GoTest) binaryArgs(more ...string) []string {
	args := append(more, "-test.paniconexit0")
	if !slices.ContainsFunc(t.given, func(arg string) bool { return strings.HasPrefix(arg, "-test.timeout=") }) {
		args = append(args, "-test.timeout=10m")
	}
	return slices.Concat(args, t.given, t.args)
}

// EndArgs are the arguments with which a test binary that copies writes what it has copied when its tests have ended.
func (t *GoTest) EndArgs() []string {
	return t.binaryArgs("-test.bench=^"+instrument.EndBenchmark+"$", "-test.benchtime=1x")
}

// Check returns an error for a command that is neither go run PACKAGE nor go test PACKAGES.
func Check(command []string) (err error) {
	if IsTest(command) {
		_, err = ParseTest(command)
	} else {
		_, err = Parse(command)
	}
	return err
}

// Build builds the test binaries of packages in a directory below temp. Those that do not build are reported to fail;
// the error is for when none is left.
func (t *GoTest) Build(
	ctx context.Context, dir, temp string, note func(format string, args ...any), fail func(error),
) (all []*gotest.Binary, err error) {
	pkgs, err := t.packages(ctx, dir)
	if err != nil {
		return nil, err
	}
	for i, p := range pkgs {
		note("building the tests of %s", p.ImportPath)
		file := filepath.Join(temp, strconv.Itoa(i), path.Base(p.ImportPath)+".test") // views show its name
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		b, err := gotest.Compile(ctx, gotest.Source{Dir: dir, Flags: t.flags}, p, file)
		if err != nil {
			fail(err)
			continue
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		return nil, &diag.Error{Op: "record tests", Err: errors.New("none could be built")}
	}
	return all, nil
}

// Profile runs the tests of a package with a CPU and an allocation profile, cpu and allocs in a new directory, and
// returns what they printed. A limit other than 0 ends them early; then there are no profiles.
func (t *GoTest) Profile(
	ctx context.Context, b *gotest.Binary, dir string, limit time.Duration,
) (printed []byte, early bool, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, false, err
	}
	run := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	cmd := exec.CommandContext(run, b.Path, t.binaryArgs("-test.outputdir="+dir, "-test.cpuprofile=cpu",
		"-test.memprofile=allocs")...)
	cmd.Dir = b.Package.Dir
	procgroup.OwnAndKill(cmd)
	var out testoutput.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	switch {
	case run.Err() != nil:
		return out.Bytes(), true, &diag.Error{
			Op: "record tests of", Subject: b.Package.ImportPath,
			Err:  errors.New("ended before they wrote their profiles, which are lost"),
			Hint: "give more time with -d, or omit it",
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return out.Bytes(), false, &diag.Error{
			Op: "run the tests of", Subject: b.Package.ImportPath, Err: errors.New(testoutput.Failure(out.Bytes(), err)),
			Hint: "go test " + b.Package.ImportPath + " runs them alone",
		}
	}
	return out.Bytes(), false, nil
}

// packages lists the packages with tests. It is an error if there are none.
func (t *GoTest) packages(ctx context.Context, dir string) (all []gotest.Package, err error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Name}}\t{{.Dir}}{{end}}"
	args := slices.Concat([]string{"list", "-f", format}, t.flags, []string{"--"}, t.patterns)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var out, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := procgroup.RunGo(cmd); err != nil {
		return nil, &diag.Error{
			Op: "list packages", Subject: strings.Join(t.patterns, " "),
			Err: fmt.Errorf("%w: %.*s", err, maxOutput, strings.TrimSpace(stderr.String())),
		}
	}
	for line := range strings.Lines(out.String()) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
			all = append(all, gotest.Package{ImportPath: f[0], Name: f[1], Dir: f[2], Main: f[1] == "main"})
		}
	}
	if len(all) == 0 {
		return nil, &diag.Error{
			Op: "capture", Subject: strings.Join(t.patterns, " "), Err: errors.New("no package has tests"),
			Hint: "name packages with tests: -- go test ./...",
		}
	}
	return all, nil
}
