package ruletest

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/golden"
)

//go:embed values/values.go
var valuesSource embed.FS

// seeds is the number of inputs for comparing before and after.
const seeds = 3000

// Run tests a rule on the packages in the directories of testdata.
func Run(t *testing.T, rule *rules.Rule) {
	t.Helper()
	RunIn(t, rule, "testdata")
}

// RunIn tests a rule on the packages in the directories of another directory.
func RunIn(t *testing.T, rule *rules.Rule, testdata string) {
	t.Helper()
	cases, err := os.ReadDir(testdata)
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string][]string{} // packages by the version of Go that they are written for
	for _, c := range cases {
		if !c.IsDir() {
			t.Fatalf("%s/%s is not a directory: each package has one", testdata, c.Name())
		}
		version := newest
		if text, err := os.ReadFile(filepath.Join(testdata, c.Name(), versionFile)); err == nil {
			version = strings.TrimSpace(string(text))
		}
		modules[version] = append(modules[version], c.Name())
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no package", testdata)
	}
	var all []report
	quiet := 0
	for version, names := range modules {
		reported, q := module(t, rule, testdata, version, names)
		all, quiet = append(all, reported...), quiet+q
	}
	for _, complaint := range unreasoned(rule, all) {
		t.Error(complaint)
	}
	if len(all) == 0 {
		t.Errorf("the rule reports nothing in %s", testdata)
	}
	if quiet == 0 {
		t.Errorf("%s has no function on which the rule must be quiet", testdata)
	}
}

// A report is a diagnostic with its place.
type report struct {
	analysis.Diagnostic
	Place string // file:line, with the directory of the package
}

// unreasoned returns a complaint for each report without a fix that does not say why: with a reason for
// the place if the cause has fixes at other places, or else with the cause's.
func unreasoned(rule *rules.Rule, all []report) []string {
	fixed := map[string]bool{} // by category
	for _, r := range all {
		fixed[r.Category] = fixed[r.Category] || len(r.SuggestedFixes) > 0
	}
	var complaints []string
	for _, r := range all {
		switch c := rule.Cause(r.Category); {
		case len(r.SuggestedFixes) > 0 || rules.Reason(r.Diagnostic) != "" || c == nil || c.Setting != nil:
		case fixed[r.Category]:
			complaints = append(complaints, r.Place+": neither a fix nor a reason for having none (rules.None)")
		case c.ByHand == "":
			complaints = append(complaints, r.Place+": neither a fix nor the cause's ByHand")
		}
	}
	return complaints
}

// newest is the version of Go of packages without a versionFile, which contains another, such as 1.17.
const (
	newest      = "1.26"
	versionFile = "go.version"
)

// module tests a rule on packages in testdata, in a module for a version of Go. It returns the
// diagnostics, and the number of packages where the rule is quiet.
func module(t *testing.T, rule *rules.Rule, testdata, version string, names []string) (all []report, quiet int) {
	t.Helper()
	dir := t.TempDir()
	values, err := valuesSource.ReadFile("values/values.go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), []byte("module test\n\ngo "+version+"\n"))
	if version == newest { // the generator of inputs is written for it
		write(t, filepath.Join(dir, "values", "values.go"), values)
	}
	for _, name := range names {
		if err := os.CopyFS(filepath.Join(dir, "before", name), os.DirFS(filepath.Join(testdata, name))); err != nil {
			t.Fatal(err)
		}
	}
	var tried []string
	for _, pkg := range load(t, dir, "./before/...") {
		name := filepath.Base(pkg.PkgPath)
		reported := check(t, pkg, rule)
		for _, d := range reported {
			p := pkg.Fset.Position(d.Pos)
			all = append(all, report{d, fmt.Sprintf("%s/%s:%d", name, filepath.Base(p.Filename), p.Line)})
		}
		if len(reported) == 0 || slices.ContainsFunc(pkg.Syntax, func(f *ast.File) bool { return hasQuiet(f, reported) }) {
			quiet++
		}
		fixed(t, dir, testdata, name, pkg, reported)
		if pkg.Types.Scope().Lookup("Try") != nil {
			tried = append(tried, name)
		}
	}
	load(t, dir, "./after/...")
	try(t, dir, tried)
	return all, quiet
}

// load loads packages and fails if one does not build.
func load(t *testing.T, dir, pattern string) []*packages.Package {
	t.Helper()
	pkgs, err := driver.Load(t.Context(), driver.Options{Dir: dir}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) == 0 {
		t.Fatalf("no package matches %s", pattern)
	}
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Errorf("%s: %v", pkg.PkgPath, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return pkgs
}

// hasQuiet reports whether a file has a function without a diagnostic.
func hasQuiet(f *ast.File, reported []analysis.Diagnostic) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Name.Name != "Try" &&
			!slices.ContainsFunc(reported, func(r analysis.Diagnostic) bool {
				return fn.Pos() <= r.Pos && r.Pos < fn.End()
			})
	})
}

// want matches a comment with the expected diagnostics on its line.
var want = regexp.MustCompile("// want ((?:`[^`]*` ?)+)$")

// check runs the rule and compares its diagnostics with the comments.
func check(t *testing.T, pkg *packages.Package, rule *rules.Rule) []analysis.Diagnostic {
	t.Helper()
	found, err := driver.Run(t.Context(), pkg, []*analysis.Analyzer{rule.Analyzer})
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		file string
		line int
	}
	wanted := map[line][]*regexp.Regexp{}
	for _, name := range pkg.GoFiles {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(string(data), "\n") {
			m := want.FindStringSubmatch(strings.TrimSpace(text))
			if m == nil {
				if strings.Contains(text, "// want") {
					t.Errorf("%s:%d: // want needs regular expressions in backquotes", filepath.Base(name), i+1)
				}
				continue
			}
			for _, expr := range strings.Split(strings.Trim(m[1], "` "), "` `") {
				wanted[line{name, i + 1}] = append(wanted[line{name, i + 1}], regexp.MustCompile(expr))
			}
		}
	}
	for _, d := range found[rule.Analyzer] {
		p := pkg.Fset.Position(d.Pos)
		if rule.Cause(d.Category) == nil {
			t.Errorf("%s: the category %q is none of the rule's causes", p, d.Category)
		}
		if !d.End.IsValid() || d.End <= d.Pos {
			t.Errorf("%s: the report has no end", p)
		}
		at := line{p.Filename, p.Line}
		text := d.Message
		if reason := rules.Reason(d); reason != "" {
			text += "; no rewrite: " + reason
		}
		i := slices.IndexFunc(wanted[at], func(re *regexp.Regexp) bool { return re.MatchString(text) })
		if i < 0 {
			t.Errorf("%s:%d: unwanted: %s",
				filepath.Join(filepath.Base(filepath.Dir(p.Filename)), filepath.Base(p.Filename)), p.Line, text)
			continue
		}
		wanted[at] = slices.Delete(wanted[at], i, i+1)
	}
	for at, exprs := range wanted {
		for _, re := range exprs {
			t.Errorf("%s:%d: nothing reported that matches %q", filepath.Base(at.file), at.line, re)
		}
	}
	return found[rule.Analyzer]
}

// fixed applies all fixes to the package, and compares the changed files with the golden ones.
func fixed(
	t *testing.T, dir, testdata, name string, pkg *packages.Package, reported []analysis.Diagnostic,
) {
	t.Helper()
	edits := map[string][]rewrite.Edit{}
	made := map[string]bool{}
	for _, d := range reported {
		if len(d.SuggestedFixes) > 1 {
			t.Errorf("%s: several fixes (want at most one)", pkg.Fset.Position(d.Pos))
		}
		for _, fix := range d.SuggestedFixes {
			// Diagnostics may share a fix, as in package find: it is applied once.
			key := ""
			for _, e := range fix.TextEdits {
				key += fmt.Sprintf("%d %d %q\n", e.Pos, e.End, e.NewText)
			}
			if made[key] {
				continue
			}
			made[key] = true
			for _, e := range fix.TextEdits {
				f := pkg.Fset.File(e.Pos)
				end := e.End
				if !end.IsValid() {
					end = e.Pos
				}
				edits[f.Name()] = append(edits[f.Name()], rewrite.Edit{
					From: f.Offset(e.Pos), To: f.Offset(end),
					Text: string(e.NewText),
				})
			}
		}
	}
	names := map[string]string{}
	for p, imported := range pkg.Imports {
		names[p] = imported.Name
	}
	for _, file := range pkg.GoFiles {
		base := filepath.Base(file)
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		after := before
		if len(edits[file]) > 0 {
			if after, err = rewrite.Apply(before, edits[file], names); err != nil {
				t.Fatalf("%s: %v", base, err)
			}
		}
		write(t, filepath.Join(dir, "after", name, base), after)
		// A file without fixes has no golden file.
		stored := filepath.Join(testdata, name, base+".golden")
		if !bytes.Equal(before, after) {
			golden.Check(t, stored, after)
			continue
		}
		if golden.Update() {
			_ = os.Remove(stored)
		}
		if _, err := os.Stat(stored); err == nil {
			t.Errorf("%s: no fix changes %s (make goldens)", stored, base)
		}
	}
}

// try compares the behavior of the packages before and after.
func try(t *testing.T, dir string, names []string) {
	t.Helper()
	if len(names) == 0 {
		return
	}
	var main bytes.Buffer
	main.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"math/rand/v2\"\n\t\"os\"\n\n")
	for i, name := range names {
		fmt.Fprintf(&main, "\tb%d \"test/before/%s\"\n\ta%d \"test/after/%s\"\n", i, name, i, name)
	}
	main.WriteString(`)

func outcome(try func(*rand.Rand) string, seed uint64) (got string) {
	defer func() {
		if bad := recover(); bad != nil {
			got = fmt.Sprint("panic: ", bad)
		}
	}()
	return try(rand.New(rand.NewPCG(seed, 1)))
}

func compare(name string, before, after func(*rand.Rand) string) {
	different := map[string]bool{}
	for seed := range uint64(` + fmt.Sprint(seeds) + `) {
		b, a := outcome(before, seed), outcome(after, seed)
		different[b] = true
		if b != a {
			fmt.Printf("%s, seed %d:\nbefore %q\nafter  %q\n", name, seed, b, a)
			os.Exit(1)
		}
	}
	if len(different) < 2 {
		fmt.Printf("%s: Try returns the same for every seed\n", name)
		os.Exit(1)
	}
}

func main() {
`)
	for i, name := range names {
		fmt.Fprintf(&main, "\tcompare(%q, b%d.Try, a%d.Try)\n", name, i, i)
	}
	main.WriteString("}\n")
	write(t, filepath.Join(dir, "try", "main.go"), main.Bytes())
	cmd := exec.CommandContext(t.Context(), "go", "run", "./try")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("behavior changed: %v\n%s", err, out)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
