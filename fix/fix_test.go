package fix_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// service has a function for each way in which a rewrite may fail, and one with a gain.
const service = `
-- go.mod --
module example.com/service

go 1.26
-- text/text.go --
package text

import (
	"os"
	"strings"
)

// Join joins, slowly.
func Join(words []string) string {
	joined := ""
	for _, w := range words {
		joined += w + ","
	}
	return joined
}

// Lengths has nil for no words.
func Lengths(words []string) []int {
	var lengths []int
	for _, w := range words {
		lengths = append(lengths, len(w))
	}
	return lengths
}

// Upper is tested.
func Upper(s string) string { return strings.ToUpper(s) }

// Unreached has no benchmark.
func Unreached(s string, f *os.File) string { return s + s }

// Written has none either.
func Written(words []string) string {
	all := ""
	for _, w := range words {
		all += w + ";"
	}
	return all
}

// Same is as fast as it can be.
func Same(a, b int) int { return a + b }

// Long takes many words.
func Long(words []string) string {
	if len(words) < 50 {
		panic("too few")
	}
	all := ""
	for _, w := range words {
		all += w + "|"
	}
	return all
}

// Quiet returns nothing that depends on its input.
func Quiet(words []string) int {
	all := ""
	for _, w := range words {
		all += w + "/"
	}
	return len(all) - len(all)
}
-- text/text_test.go --
package text

import "testing"

func TestUpper(t *testing.T) {
	if Upper("é") != "É" {
		t.Error("not upper")
	}
}

func BenchmarkJoin(b *testing.B) {
	words := make([]string, 200)
	for i := range words {
		words[i] = "word"
	}
	for b.Loop() {
		Join(words)
	}
}

func BenchmarkLong(b *testing.B) {
	for b.Loop() {
		Long(make([]string, 200))
	}
}

func BenchmarkQuiet(b *testing.B) {
	for b.Loop() {
		Quiet(make([]string, 200))
	}
}

func BenchmarkLengths(b *testing.B) {
	for b.Loop() {
		Lengths([]string{"a", "b"})
	}
}

func BenchmarkUpper(b *testing.B) {
	for b.Loop() {
		Upper("a")
	}
}

func BenchmarkSame(b *testing.B) {
	n := 0
	for b.Loop() {
		n = Same(n, 1)
	}
}
`

// module writes the service into a new directory.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(service)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// finding returns a finding whose fix replaces old by text in text.go.
func finding(t *testing.T, dir, title, old, text string) find.Finding {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(dir, "text", "text.go"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := findingIn(string(source), title, old, text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func findingIn(source, title, old, text string) (find.Finding, error) {
	at := strings.Index(source, old)
	if at < 0 {
		return find.Finding{}, fmt.Errorf("%s: %q is not there", title, old)
	}
	line := 1 + strings.Count(source[:at], "\n")
	return find.Finding{
		ID: title, Rule: "test", Title: title, Why: "it is a test", Function: title, Needs: rules.Free,
		Places: []find.Place{{File: "text/text.go", Line: line, EndLine: line + strings.Count(old, "\n")}},
		Fix: &find.Fix{Message: "Change it", Files: []find.FileEdit{{
			File: "text/text.go", Edits: []rewrite.Edit{{From: at, To: at + len(old), Text: text}},
		}}},
	}, nil
}

func found(t *testing.T, dir string) *find.Result {
	t.Helper()
	loops := func(sep, v string) string {
		return v + " := \"\"\n\tfor _, w := range words {\n\t\t" + v + " += w + \"" + sep + "\"\n\t}\n\treturn " + v
	}
	builder := func(sep string) string {
		return "var b strings.Builder\n\tfor _, w := range words {\n\t\tb.WriteString(w)\n\t\tb.WriteByte('" + sep +
			"')\n\t}\n\treturn b.String()"
	}
	return &find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{
		finding(t, dir, "gains", loops(",", "joined"), builder(",")),
		finding(t, dir, "overlaps", "joined += w + \",\"", "joined = joined + w + \",\""),
		finding(t, dir, "no Go", "return s + s", "return s +"),
		finding(t, dir, "does not build", "return s + s", "return s + 1"),
		finding(t, dir, "fails vet", "return strings.ToUpper(s)", "return strings.ToUpper(s); return s"),
		finding(t, dir, "fails a test", "return strings.ToUpper(s)", "return strings.ToLower(s)"),
		finding(t, dir, "differs", "var lengths []int", "lengths := make([]int, 0, len(words))"),
		finding(t, dir, "unmeasured", "return s + s", "return strings.Repeat(s, 2)"),
		finding(t, dir, "written", loops(";", "all"), builder(";")),
		finding(t, dir, "no gain", "return a + b", "return b + a"),
		finding(t, dir, "panics", "for _, w := range words {\n\t\tall += w + \"|\"\n\t}",
			"all = strings.Join(words, \"|\") + \"|\""),
		finding(t, dir, "constant", "all += w + \"/\"\n\t}\n\treturn len(all)", "all = w\n\t}\n\treturn len(all)"),
	}}
}

// fuzzInputs limits the fuzzer by its work, since how much it does in a given time depends on the
// load of the machine.
const fuzzInputs = 1000

func options() fix.Options {
	o := fix.Options{
		FuzzInputs: fuzzInputs, Timeout: 20 * time.Minute,
		AB: ab.Options{
			MaxTime: 3 * time.Second, Plans: []ab.Plan{{Length: 20 * time.Millisecond}}, Trial: 200 * time.Millisecond,
		},
	}
	o.BenchWith(provetest.ByAllocations)
	return o
}

// files returns the contents of all files in a directory by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		all[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRun keeps rewrites with a gain and drops the others, each at its stage, without changing a
// file of the user's.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := module(t)
	before := files(t, dir)
	o := options()
	o.Temp = t.TempDir()
	r, err := fix.Run(t.Context(), found(t, dir), o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		stage  fix.Stage
		reason string
	}{
		"gains":          {fix.StageKept, ""},
		"overlaps":       {fix.StageRewrite, "changes the same code"},
		"no Go":          {fix.StageRewrite, "do not result in valid Go"},
		"does not build": {fix.StageBuild, "text.go"},
		"fails vet":      {fix.StageVet, "unreachable code"},
		"fails a test":   {fix.StageTest, "not upper"},
		"differs":        {fix.StageCompare, "Lengths behaves differently"},
		"unmeasured": {
			fix.StageMeasure,
			"no benchmark runs this line; write one, or measure the service under load (--service); " +
				"no benchmark can be written: Unreached cannot be compared: parameter f: os.File",
		},
		"written":  {fix.StageKept, ""},
		"no gain":  {fix.StageCode, "the compiler makes the same machine code"},
		"panics":   {fix.StageUnproven, "needs review: Long was compared on "},
		"constant": {fix.StageUnproven, "needs review: Quiet gives the same answer to all "},
	}
	if len(r.Attempts) != len(want) || r.Interrupted || len(r.Failing) > 0 {
		t.Errorf("%d attempts, interrupted %v, failing %v", len(r.Attempts), r.Interrupted, r.Failing)
	}
	for _, a := range r.Attempts {
		w := want[a.Finding.Title]
		if a.Stage != w.stage || !strings.Contains(a.Reason, w.reason) || a.Kept() != (a.Reason == "") {
			t.Errorf("%s: %s, %q; want %s, %q", a.Finding.Title, a.Stage, a.Reason, w.stage, w.reason)
		}
	}
	kept := r.Attempts[0]
	if kept.Answers == nil || kept.Answers.Inputs < fuzzInputs/2 || len(kept.Answers.Functions) != 1 ||
		kept.Measured == nil || len(kept.Measured.Benchmarks) != 1 || kept.Measured.Benchmarks[0] != "text.BenchmarkJoin" ||
		kept.Measured.AB.Sides != [2]string{"without the rewrite", "with the rewrite"} {
		t.Errorf("answers %+v, measured %+v", kept.Answers, kept.Measured)
	}
	for _, a := range r.Attempts {
		if a.Finding.Title == "written" && (a.Measured == nil || a.Measured.Benchmarks[0] != "text.BenchmarkWhet_Written" ||
			!strings.Contains(a.Measured.Written, "func BenchmarkWhet_Written(b *testing.B)") ||
			!strings.Contains(r.Patches("a <a@b>")[1].Text, "whet generated one")) {
			t.Errorf("written: %+v", a.Measured)
		}
	}
	if r.Total == nil || r.Total.AB.Subjects[0].Units[0].Ratio > 0.7 ||
		r.Total.AB.Sides != [2]string{"original", "all kept rewrites"} {
		t.Errorf("total: %+v", r.Total)
	}
	if left, err := os.ReadDir(o.Temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for name, text := range files(t, dir) {
		if before[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	apply(t, r, dir)
}

// git runs git in a directory.
func git(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git",
		append([]string{"-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// apply checks that the patches and Apply change the module in the same way.
func apply(t *testing.T, r *fix.Result, dir string) {
	t.Helper()
	patches := r.Patches("A Tool <tool@localhost>")
	if len(patches) != 2 || !strings.HasPrefix(patches[0].Name, "0001-test-gains") {
		t.Fatalf("%+v", patches)
	}
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "add", ".")
	git(t, dir, "", "commit", "-qm", "as it was")
	for _, p := range patches {
		git(t, dir, p.Text, "am", "-q")
	}
	log := git(t, dir, "", "log", "-2", "--format=%an%n%s%n%b")
	for _, want := range []string{"A Tool", "text: change it (gains)", "behave the same on", "Join allocs/op: -"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not in the commit:\n%s", want, log)
		}
	}
	patched := files(t, filepath.Join(dir, "text"))
	git(t, dir, "", "reset", "-q", "--hard", "HEAD~2")

	// Uncommitted changes are refused, and so is a file that has changed since.
	name := filepath.Join(dir, "text", "text.go")
	original, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(original, "// more\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if err := r.Apply(t.Context(), force); err == nil {
			t.Errorf("applied to a file that was changed, force %v", force)
		}
	}
	if err := os.WriteFile(name, original, 0o600); err != nil {
		t.Fatal(err)
	}
	// An uncommitted change elsewhere is refused unless forced, and is then left alone.
	mod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mod, append(text, "// more\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Apply(t.Context(), false); err == nil || !strings.Contains(err.Error(), "uncommitted changes") {
		t.Errorf("applied next to a change: %v", err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(original) {
		t.Errorf("refused, and written: %v", err)
	}
	if err := r.Apply(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(mod); err != nil || string(now) != string(text)+"// more\n" {
		t.Errorf("go.mod: %q, %v", now, err)
	}
	for file, text := range files(t, filepath.Join(dir, "text")) {
		if patched[file] != text {
			t.Errorf("%s: applied\n%s\npatched\n%s", file, text, patched[file])
		}
	}
}

// TestUnproven checks that rewrites whose results were not compared are dropped unless
// Options.Review is set.
func TestUnproven(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := module(t)
	x := found(t, dir)
	x.Findings = x.Findings[len(x.Findings)-2:]
	for _, review := range []bool{false, true} {
		o := options()
		o.Review = review
		r, err := fix.Run(t.Context(), x, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"Long was compared on ", "Quiet gives the same answer to all "} {
			a := r.Attempts[i]
			if a.Answers == nil || len(a.Answers.Functions) > 0 || a.Answers.Inputs != 0 || len(a.Answers.Compared) != 1 ||
				a.Answers.Compared[0].Inputs < fuzzInputs/2 || a.Measured == nil || !strings.Contains(a.Unproven, want) {
				t.Errorf("review %v: %s: %+v, %q", review, a.Finding.Title, a.Answers, a.Unproven)
			}
			if a.Kept() != review || !review && (a.Stage != fix.StageUnproven || a.Reason != "needs review: "+a.Unproven) {
				t.Errorf("review %v: %s: %s, %q", review, a.Finding.Title, a.Stage, a.Reason)
			}
		}
		if patches := r.Patches("a <a@b>"); review && (len(patches) != 2 ||
			!strings.Contains(patches[0].Text, "Unproven, needs review: Long was compared on ")) {
			t.Errorf("the patches do not say why they need review: %v", patches)
		}
	}
}

// TestInterrupted checks that an interrupted run returns what is known, leaves no files, and
// reports the interruption.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := module(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options()
	o.Temp = t.TempDir()
	o.Progress = func(what string) {
		if strings.HasPrefix(what, "2 of ") {
			cancel()
		}
	}
	x := found(t, dir)
	x.Findings = x.Findings[:3]
	r, err := fix.Run(ctx, x, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || len(r.Attempts) > 2 || r.Total != nil {
		t.Errorf("interrupted %v, %d attempts, a comparison of all: %v", r.Interrupted, len(r.Attempts), r.Total != nil)
	}
	if left, err := os.ReadDir(o.Temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestNeeds tries rewrites that need review only on request, and never those that need a
// dependency.
func TestNeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := module(t)
	x := found(t, dir)
	x.Findings = x.Findings[3:5]
	x.Findings[0].Needs, x.Findings[1].Needs = rules.Review, rules.Dependency
	for _, review := range []bool{false, true} {
		o := options()
		o.Review = review
		r, err := fix.Run(t.Context(), x, o)
		if err != nil {
			t.Fatal(err)
		}
		first := fix.StageNeeds
		if review {
			first = fix.StageBuild
		}
		if r.Attempts[0].Stage != first || r.Attempts[1].Stage != fix.StageNeeds ||
			!strings.Contains(r.Attempts[1].Reason, "dependency") {
			t.Errorf("review %v: %+v", review, r.Attempts)
		}
	}
}

// TestDoesNotBuild expects an error before anything is tried.
func TestDoesNotBuild(t *testing.T) {
	dir := module(t)
	x := found(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "text", "broken.go"), []byte("package text\n\nvar x int = \"\"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fix.Run(t.Context(), x, options()); err == nil || !strings.Contains(err.Error(), "broken.go") {
		t.Errorf("%v", err)
	}
}
