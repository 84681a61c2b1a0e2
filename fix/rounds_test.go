package fix_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// words has no benchmarks: program determines how its builds compare.
const words = `
-- go.mod --
module example.com/service

go 1.26
-- text/text.go --
package text

// Greet is slow1 and slow2.
func Greet(name string) string {
	first := "Hello, " + name
	second := first + "!"
	return second
}

// Part is slow3.
func Part(s string) string { return s + "" }
-- user/user.go --
package user

import "example.com/service/text"

// Shout uses Greet.
func Shout(s string) string { return text.Greet(s) }
-- user/user_test.go --
package user

import "testing"

func TestShout(t *testing.T) {
	if Shout("you") != "Hello, you!" {
		t.Error("wrong")
	}
}
-- other/other.go --
// Package other has nothing to do with text.
package other
`

// write writes the files of an archive to a directory.
func write(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// textOf returns the text of a side's file, or of its overlay.
func textOf(t *testing.T, s builds.Side) string {
	t.Helper()
	name := filepath.Join(s.Dir, "text", "text.go")
	for _, flag := range s.Flags {
		over, ok := strings.CutPrefix(flag, "-overlay=")
		if !ok {
			continue
		}
		data, err := os.ReadFile(over)
		if err != nil {
			t.Fatal(err)
		}
		var o struct{ Replace map[string]string }
		if err := json.Unmarshal(data, &o); err != nil {
			t.Fatal(err)
		}
		if to, ok := o.Replace[name]; ok {
			name = to
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// program measures without running anything: each "fast" that a build contains more than the other
// is a gain, and a gain below least is not detected.
func program(t *testing.T, least int) func(context.Context, builds.Side, builds.Side) (*ab.Result, error) {
	return func(_ context.Context, a, b builds.Side) (*ab.Result, error) {
		gain := strings.Count(textOf(t, b), "/* fast */") - strings.Count(textOf(t, a), "/* fast */")
		u := ab.Unit{Unit: "sec/op", Better: "lower", Ratio: 0.5, Low: 0.4, High: 0.6, Verdict: ab.Better}
		switch {
		case gain < 0:
			u.Ratio, u.Low, u.High, u.Verdict = 2, 1.9, 2.1, ab.Worse
		case gain == 0:
			u.Ratio, u.Low, u.High, u.Verdict = 1, 1, 1, ab.Same
		case gain < least:
			u.Low, u.High, u.Verdict = 0.2, 1.2, ab.Undecided
		}
		return &ab.Result{Subjects: []ab.SubjectResult{{Name: "service", Units: []ab.Unit{u}}}}, nil
	}
}

// quick returns options with little work for the fuzzer. Many of the rewrites are only comments: with a flag for the
// compiler, machine code is not compared.
func quick() fix.Options {
	o := options()
	o.Flags = []string{"-gcflags=-e"}
	o.FuzzInputs = 400
	return o
}

func byTitle(r *fix.Result, title string) []fix.Attempt {
	return slices.DeleteFunc(slices.Clone(r.Attempts), func(a fix.Attempt) bool { return a.Finding.Title != title })
}

// TestRounds checks that overlapping rewrites are tried again on top of what was kept, as are those
// that another rewrite makes possible; what was dropped for good is not tried again unless its
// rewrite has changed.
func TestRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, dir, words)
	o := quick()
	o.CompareWith(program(t, 1))
	const second = "first + \"!\"\n\treturn second"
	again := 0
	o.LookWith(func(_ context.Context, scratch string) (*find.Result, error) {
		again++
		r := &find.Result{Module: "example.com/service", Dir: scratch}
		switch again {
		case 1:
			r.Findings = []find.Finding{
				finding(t, scratch, "overlaps", "first + \"!\" /* fast */", `first + "!" /* fast */ /* fast */`),
				finding(t, scratch, "no gain", `s + ""`, `"" + s`),
				finding(t, scratch, "another", `s + ""`, `s /* fast */`),
				finding(t, scratch, "follows", `"Hello, " + name`, `"Hello, " /* fast */ + name`),
			}
			r.Findings[2].Title = "no gain"
		case 2:
			r.Findings = []find.Finding{finding(t, scratch, "wrong", `"Hello, "`, `"Hullo, " /* fast */`)}
		}
		return r, nil
	})
	r, err := fix.Run(t.Context(), &find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{
		finding(t, dir, "kept", second, "first + \"!\" /* fast */\n\treturn second"),
		finding(t, dir, "overlaps", second, "first /* fast */ + \"!\"\n\treturn second"),
		finding(t, dir, "no gain", `s + ""`, `"" + s`),
		finding(t, dir, "gone", second+"\n}\n", "first + \"!\"\n\t/* fast */return second\n}\n"),
	}}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range r.Attempts {
		got = append(got, a.Finding.Title+": "+string(a.Stage))
		if len(a.Took) == 0 && a.Stage != fix.StageRewrite {
			t.Errorf("%s: %v", a.Finding.Title, a.Took)
		}
	}
	want := []string{
		"kept: kept", "no gain: measure", "gone: rewrite",
		"overlaps: kept", "no gain: kept", "follows: kept", "wrong: test",
	}
	if !slices.Equal(got, want) || r.Rounds != 3 || again != 2 {
		t.Errorf("got %q, want %q; %d rounds, looked again %d times", got, want, r.Rounds, again)
	}
	if gone := byTitle(r, "gone"); len(gone) != 1 || !strings.Contains(gone[0].Reason, "nothing is left to rewrite") {
		t.Errorf("%+v", gone)
	}
	if wrong := byTitle(r, "wrong"); len(wrong) != 1 || wrong[0].Round != 3 ||
		!strings.Contains(wrong[0].Reason, "TestShout") {
		t.Errorf("%+v", wrong)
	}
	if r.Service == nil || r.Total != nil || r.Service.AB.Subjects[0].Units[0].Verdict != ab.Better {
		t.Errorf("total %+v, service %+v", r.Total, r.Service)
	}
	samePatches(t, r, dir)
}

// TestTogether keeps rewrites together that each gain too little alone.
func TestTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	for _, least := range []int{2, 3} {
		dir := t.TempDir()
		write(t, dir, words)
		o := quick()
		o.CompareWith(program(t, least))
		r, err := fix.Run(t.Context(), &find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{
			finding(t, dir, "one", `first + "!"`, `first + "!" /* fast */`),
			finding(t, dir, "no gain", `s + ""`, `"" + s`),
			finding(t, dir, "two", `"Hello, " + name`, `"Hello, " + name /* fast */`),
		}}, o)
		if err != nil {
			t.Fatal(err)
		}
		one, two := byTitle(r, "one"), byTitle(r, "two")
		if len(one) != 1 || len(two) != 1 || len(r.Attempts) != 3 {
			t.Fatalf("%+v", r.Attempts)
		}
		if least == 3 {
			if one[0].Kept() || two[0].Kept() || !strings.Contains(one[0].Reason, "; together with 1 other") {
				t.Errorf("%s; %s", one[0].Reason, two[0].Reason)
			}
			continue
		}
		if !one[0].Kept() || !two[0].Kept() || one[0].Together != 1 || r.Attempts[0].Finding.Title != "no gain" {
			t.Errorf("%+v", r.Attempts)
		}
		samePatches(t, r, dir)
	}
}

// TestWhole undoes a rewrite that makes a test fail although no import connects them.
func TestWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, dir, words+`
-- other/other_test.go --
package other

import (
	"os"
	"strings"
	"testing"
)

func TestOther(t *testing.T) {
	text, err := os.ReadFile("../text/text.go")
	if err != nil || !strings.Contains(string(text), "first + \"!\"\n") {
		t.Error("it was changed")
	}
}
`)
	o := quick()
	o.CompareWith(program(t, 1))
	r, err := fix.Run(t.Context(), &find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{
		finding(t, dir, "harmless", `s + ""`, `s /* fast */`),
		finding(t, dir, "harms", `first + "!"`, `first + "!" /* fast */`),
	}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Attempts; len(a) != 2 || !a[0].Kept() ||
		a[1].Stage != fix.StageWhole || !strings.Contains(a[1].Reason, "it was changed") {
		t.Errorf("%+v\nfailing %v, warnings %v, took %v", a, r.Failing, r.Warnings, r.Took)
	}
	if patches := samePatches(t, r, dir); patches != 1 {
		t.Errorf("%d patches", patches)
	}
}

// TestBroken continues when some packages do not build, and rewrites nothing in them.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	write(t, dir, words+`
-- broken/broken.go --
package broken

import "example.com/service/missing"

var _ = missing.X
-- wrong/wrong.go --
package wrong

var x int = ""
-- needs/needs.go --
package needs

import _ "example.com/service/wrong"
`)
	o := quick()
	o.CompareWith(program(t, 1))
	inBroken := finding(t, dir, "in broken", `s + ""`, `s /* fast */`)
	inBroken.Places[0].File, inBroken.Fix.Files[0].File = "wrong/wrong.go", "wrong/wrong.go"
	inBroken.Fix.Files[0].Edits[0].From, inBroken.Fix.Files[0].Edits[0].To, inBroken.Fix.Files[0].Edits[0].Text =
		0, 0, "// A comment.\n"
	r, err := fix.Run(t.Context(), &find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{
		finding(t, dir, "harmless", `s + ""`, `s /* fast */`),
		inBroken,
	}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Attempts; len(a) != 2 || !a[0].Kept() ||
		a[1].Stage != fix.StageBuild || !strings.Contains(a[1].Reason, "its package does not build") {
		t.Errorf("%+v", a)
	}
	var broken []string
	for _, b := range r.Broken {
		broken = append(broken, b.Package+": "+b.Reason)
	}
	if len(broken) != 3 ||
		!strings.Contains(broken[0], "missing") ||
		!strings.Contains(broken[1], "service/needs: it needs example.com/service/wrong") ||
		!strings.Contains(broken[2], "wrong.go:3") ||
		len(r.Warnings) != 3 {
		t.Errorf("%q, %v", broken, r.Warnings)
	}
}

// samePatches checks that the patches and Apply change the module in the same way, and returns the
// number of patches.
func samePatches(t *testing.T, r *fix.Result, dir string) int {
	t.Helper()
	patches := r.Patches("A Tool <tool@localhost>")
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "add", ".")
	git(t, dir, "", "commit", "-qm", "as it was")
	for _, p := range patches {
		git(t, dir, p.Text, "am", "-q")
	}
	patched := files(t, filepath.Join(dir, "text"))
	git(t, dir, "", "reset", "-q", "--hard", "HEAD~"+string(rune('0'+len(patches))))
	if err := r.Apply(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for file, text := range files(t, filepath.Join(dir, "text")) {
		if patched[file] != text {
			t.Errorf("%s: applied\n%s\npatched\n%s", file, text, patched[file])
		}
	}
	return len(patches)
}
