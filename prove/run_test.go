package prove_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// before is the module that changes are proven on.
const before = `
-- go.mod --
module example.com/p

go 1.26
-- text/text.go --
// Package text joins words.
package text

const limit = 100

// Join joins words.
func Join(words []string) string {
	s := ""
	for _, w := range words {
		s += w + ","
	}
	return s
}

// Short reports whether s is short.
func Short(s string) bool { return len(s) < limit }
-- text/text_test.go --
package text

import "testing"

func TestJoin(t *testing.T) {
	if Join([]string{"a", "b"}) != "a,b," {
		t.Error("not joined")
	}
}

func BenchmarkJoin(b *testing.B) {
	words := []string{"one", "two", "three", "four", "five", "six"}
	b.ReportAllocs()
	for b.Loop() {
		Join(words)
	}
}
-- main.go --
package main

import "example.com/p/text"

func main() { println(text.Join(nil)) }
`

const fastJoin = `	var s []byte
	for _, w := range words {
		s = append(append(s, w...), ',')
	}
	return string(s)`

// semicolons changes the results.
var semicolons = strings.Replace(fastJoin, "','", "';'", 1)

const short = "// Short reports whether s is short.\nfunc Short(s string) bool { return len(s) < limit }\n"

const slowJoin = `	s := ""
	for _, w := range words {
		s += w + ","
	}
	return s`

func writeModule(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func proveDirs(t *testing.T, a, b string, more func(*prove.Request)) *prove.Result {
	t.Helper()
	return proveDirsUntil(t.Context(), t, a, b, more)
}

// proveDirsUntil proves until ctx ends.
func proveDirsUntil(ctx context.Context, t *testing.T, a, b string, more func(*prove.Request)) *prove.Result {
	t.Helper()
	v, err := prove.Dirs(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	q := prove.Request{Versions: v, Options: prove.Options{
		FuzzInputs: 1000, Timeout: 20 * time.Minute, Temp: t.TempDir(), RunBenchmarks: provetest.ByAllocations,
		AB: ab.Options{
			MaxTime: 2 * time.Second, Plans: []ab.Plan{{Length: 20 * time.Millisecond}}, Trial: 200 * time.Millisecond,
		},
	}}
	if more != nil {
		more(&q)
	}
	r, err := prove.Run(ctx, q)
	if r != nil {
		for _, m := range r.Missing {
			if m.Do == "" {
				t.Errorf("nothing says what would decide: %s", m.What)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRun judges changes of every kind.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	a := writeModule(t, before)
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(before) }
	for _, test := range []struct {
		name, after string
		before      string // "" is the constant
		tests       bool   // those of B are accepted
		outcome     prove.Outcome
		reason      string // part of it
		missing     string // part of what is missing
	}{
		{name: "nothing", after: before, outcome: prove.OutcomeSameSpeed, reason: "only comments"},
		{
			name: "comments", after: replace("// Join joins words.", "// Join joins words with commas."),
			outcome: prove.OutcomeSameSpeed, reason: "only comments",
		},
		{
			name: "documentation", after: before + "-- README.md --\nIt joins.\n-- .github/ci.yml --\non: push\n",
			outcome: prove.OutcomeSameSpeed, reason: "only comments, layout or documentation",
		},
		{
			name: "only a file that a program may read", after: before + "-- text/page.tmpl --\n{{.}}\n",
			outcome: prove.OutcomeUnproven, reason: "no code has changed, and other files are not compared",
			missing: "text/page.tmpl changed",
		},
		{
			name: "code with the same machine code, and a profile for the compiler",
			after: replace("_, w := range words {\n\t\ts += w", "_, word := range words {\n\t\ts += word") +
				"-- default.pgo --\nx\n",
			outcome: prove.OutcomeUnproven, reason: "not everything", missing: "default.pgo changed",
		},
		{
			name: "other names", after: replace("_, w := range words {\n\t\ts += w", "_, word := range words {\n\t\ts += word"),
			outcome: prove.OutcomeSameSpeed, reason: "the compiler makes the same machine code",
		},
		{
			name: "faster", after: replace(slowJoin, fastJoin),
			outcome: prove.OutcomeFaster, reason: "Join allocs/op -50.0%",
		},
		{
			name: "slower", after: replace(`s += w + ","`, "s += w\n\t\ts += \",\""),
			outcome: prove.OutcomeSlower, reason: "regression: Join allocs/op: +",
		},
		{
			name: "a test fails", after: replace(slowJoin, semicolons),
			outcome: prove.OutcomeDifferent, reason: "TestJoin",
		},
		{
			name: "a test fails that the change edits", after: replace(slowJoin, semicolons, `"a,b,"`, `"a;b;"`),
			outcome: prove.OutcomeDifferent, reason: "TestJoin",
		},
		{
			name: "the edited test is accepted", after: replace(slowJoin, semicolons, `"a,b,"`, `"a;b;"`), tests: true,
			outcome: prove.OutcomeDifferent, reason: "Join behaves differently",
		},
		{
			name: "an input differs",
			after: replace(slowJoin, strings.Replace(fastJoin, "return string(s)",
				"if len(words) > 2 && words[1] == \"\" {\n\t\treturn \"\"\n\t}\n\treturn string(s)", 1)),
			outcome: prove.OutcomeDifferent, reason: "Join behaves differently",
		},
		{name: "not Go", after: replace(slowJoin, "return {"), outcome: prove.OutcomeBroken, reason: "text.go:"},
		{name: "does not build", after: replace(slowJoin, "return 1"), outcome: prove.OutcomeBroken, reason: "cannot use 1"},
		{
			name: "vet", after: replace(slowJoin, fastJoin+"\n\treturn \"\""),
			outcome: prove.OutcomeBroken, reason: "unreachable code",
		},
		{
			name: "a constant", after: replace(slowJoin, fastJoin, "limit = 100", "limit = 101"),
			outcome: prove.OutcomeDifferent, reason: "Short (which uses limit) behaves differently",
		},
		{
			name: "a constant in another form", after: replace(slowJoin, fastJoin, "limit = 100", "limit = 10 * 10"),
			outcome: prove.OutcomeFaster, reason: "Join allocs/op -50.0%",
		},
		{
			name: "an exported variable", after: replace(slowJoin, fastJoin, "= 100", "= 100\n\nvar Sep = 1 + 1"),
			before:  replace("= 100", "= 100\n\nvar Sep = 2"),
			outcome: prove.OutcomeFaster, reason: "Join allocs/op -50.0%",
		},
		{
			name: "an exported variable with another value", after: replace(slowJoin, fastJoin, "= 100", "= 100\n\nvar Sep = 3"),
			before:  replace("= 100", "= 100\n\nvar Sep = 2"),
			outcome: prove.OutcomeUnproven, reason: "not everything",
			missing: "text.var Sep has changed, and other modules can use it",
		},
		{
			name: "an exported function is gone", after: replace(slowJoin, fastJoin, short, ""),
			outcome: prove.OutcomeUnproven, missing: "text.Short is gone",
		},
		{
			name: "a suspect", after: replace(slowJoin, "\truntime.GC()\n"+fastJoin, "text\n\nconst",
				"text\n\nimport \"runtime\"\n\nconst"),
			outcome: prove.OutcomeUnproven, missing: "runtime.GC",
		},
		{
			name: "a cost elsewhere", after: replace(slowJoin, fastJoin, "= 100", "= 100\n\nvar table = make([]byte, 1<<20)"),
			outcome: prove.OutcomeUnproven, reason: "there are costs elsewhere",
			missing: "memory allocated by the initialization of packages",
		},
		{
			name: "a new package", after: replace(slowJoin, fastJoin, "text\n\nconst",
				"text\n\nimport _ \"example.com/p/more\"\n\nconst") + "-- more/more.go --\npackage more\n",
			outcome: prove.OutcomeUnproven, missing: `text.import "example.com/p/more" has changed`,
		},
		{
			name: "a new package that does not build", after: before + "-- more/more.go --\npackage more\n\nvar x int = y\n",
			outcome: prove.OutcomeBroken, reason: "undefined: y",
		},
		{
			name:    "a file moves",
			after:   replace(slowJoin, fastJoin, short, "") + "-- text/short.go --\npackage text\n\n" + short,
			outcome: prove.OutcomeFaster, reason: "allocs/op -50.0%",
		},
		{
			name: "a file of another build", after: before + "-- text/text_plan9.go --\npackage text\n\nfunc init() {}\n",
			outcome: prove.OutcomeUnproven,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			a := a
			if test.before != "" {
				a = writeModule(t, test.before)
			}
			b := writeModule(t, test.after)
			r := proveDirs(t, a, b, func(q *prove.Request) { q.AcceptTests = test.tests })
			missing := ""
			for _, m := range r.Missing {
				missing += m.What + "\n"
			}
			if r.Outcome != test.outcome || !strings.Contains(r.Reason, test.reason) ||
				!strings.Contains(missing, test.missing) ||
				(r.Outcome == prove.OutcomeUnproven) != (missing != "") {
				t.Errorf("%s: %s\nmissing: %s\nwant %s: %s, missing %s\n%+v", r.Outcome, r.Reason, missing, test.outcome,
					test.reason, test.missing, r.Changed)
			}
		})
	}
}

// TestPackages judges only changes of packages that are named, and lists the others.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const more = "-- more/more.go --\npackage more\n\nfunc F(n int) int { return n + 1 }\n"
	a := writeModule(t, before+more)
	b := writeModule(t, strings.NewReplacer(slowJoin, fastJoin, "n + 1", "n + 2").Replace(before+more))
	for _, test := range []struct {
		packages  []string
		outcome   prove.Outcome
		reason    string // part of it
		notJudged string
	}{
		{nil, prove.OutcomeDifferent, "F behaves differently", ""},
		{[]string{"./text"}, prove.OutcomeFaster, "; packages other than ./text also changed", "more.F"},
		{[]string{"./more/..."}, prove.OutcomeDifferent, "F behaves differently", "text.Join"},
		{[]string{"."}, prove.OutcomeSameSpeed, "in .; packages other than . also changed", "more.F text.Join"},
		{[]string{"example.com/p/..."}, prove.OutcomeDifferent, "F behaves differently", ""},
	} {
		r := proveDirs(t, a, b, func(q *prove.Request) { q.Packages = test.packages })
		if got := strings.Join(r.Changed.NotJudged, " "); r.Outcome != test.outcome ||
			!strings.Contains(r.Reason, test.reason) || got != test.notJudged {
			t.Errorf("%q: %s: %s, not judged: %s", test.packages, r.Outcome, r.Reason, got)
		}
	}
	v, err := prove.Dirs(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = prove.Run(t.Context(), prove.Request{Versions: v, Packages: []string{"./none"}})
	if err == nil || !strings.Contains(err.Error(), `no package of the module matches "./none"`) {
		t.Error(err)
	}
}
