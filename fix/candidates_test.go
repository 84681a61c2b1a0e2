package fix_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/recording"
)

// joins is a module whose Join is expensive.
const joins = `package text

// Join joins the words that are not empty.
func Join(words []string) string {
	joined := ""
	for _, w := range words {
		if w != "" {
			joined += w + ","
		}
	}
	return joined
}
`

// hot writes that module, and returns what find finds in a profile of its line.
func hot(t *testing.T) (*find.Result, fix.Options) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/j\n\ngo 1.26\n", "text/text.go": joins,
		"text/text_test.go": "package text\n\nimport \"testing\"\n\nfunc BenchmarkJoin(b *testing.B) {\n" +
			"\twords := []string{\"one\", \"two\", \"three\", \"four\", \"five\", \"six\"}\n" +
			"\tfor b.Loop() {\n\t\tJoin(words)\n\t}\n}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	file := filepath.Join(dir, "text", "text.go")
	join := b.Location(0, profile.None, false, profile.Line{
		Function: b.Function(profile.Function{Name: "example.com/j/text.Join", File: file, StartLine: 4}), Line: 8,
	})
	grow := b.Location(0, profile.None, false, profile.Line{
		Function: b.Function(profile.Function{Name: "runtime.concatstrings", File: "/go/src/runtime/string.go"}), Line: 40,
	})
	if err := b.Sample([]uint32{grow, join}, nil, 100); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Profiles = find.Profiles{CPU: b.Profile(nil)}
	o.Find.Own = func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/j/") }
	look := o.Find
	look.Dir = dir
	x, err := find.Find(t.Context(), o.Profiles, look)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Findings {
		x.Findings[i].Fix = nil // whet's own rewrite is not the subject
	}
	o.Temp = t.TempDir()
	return x, o
}

// changed returns a patch of Join.
func changed(t *testing.T, from, to string) string {
	t.Helper()
	after := strings.Replace(joins, from, to, 1)
	if after == joins {
		t.Fatalf("%q is not there", from)
	}
	return prove.Changes{"text/text.go": {Before: []byte(joins), After: []byte(after)}}.Diff()
}

// writer writes a shell script that keeps its input, and writes the file of a round.
func writer(t *testing.T, rounds ...string) (command []string, orders func() []workorder.Order) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh:", err)
	}
	dir := t.TempDir()
	for i, text := range rounds {
		if err := os.WriteFile(filepath.Join(dir, "answer"+string(rune('1'+i))), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `n=1; while [ -e "$0/order$n" ]; do n=$((n+1)); done; cat >"$0/order$n"
		if [ -e "$0/answer$n" ]; then cat "$0/answer$n"; fi`
	return []string{sh, "-c", script, dir}, func() (list []workorder.Order) {
		names, err := filepath.Glob(filepath.Join(dir, "order*"))
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var o workorder.Order
			if err := json.Unmarshal(text, &o); err != nil {
				t.Fatal(err)
			}
			list = append(list, o)
		}
		return list
	}
}

// recorded returns a recording with sampled calls; "" for none.
func recorded(t *testing.T, calls string) *recording.Recording {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.whet")
	w, err := recording.Create(name, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if calls != "" {
		if err := w.AddJSON("arguments/calls.json", json.RawMessage(calls)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // was only read
	return r
}

// TestCandidates has a program that writes what is no patch, a change that behaves differently, and one that is faster.
// Each work order has the reasons why those before failed.
// The module with what was kept gets work orders, too.
func TestCandidates(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	x, o := hot(t)
	wrong := changed(t, "if w != \"\" {", "if len(w) > 1 {")
	builder := changed(t, joins[strings.Index(joins, "\tjoined :="):], "\tn := 0\n\tfor _, w := range words {\n"+
		"\t\tn += len(w) + 1\n\t}\n\tjoined := make([]byte, 0, n)\n\tfor _, w := range words {\n\t\tif w != \"\" {\n"+
		"\t\t\tjoined = append(append(joined, w...), ',')\n\t\t}\n\t}\n\treturn string(joined)\n}\n")
	command, orders := writer(t, "no patch", wrong, builder)
	o.Candidates = fix.Candidates{Command: command}
	o.Recordings = []*recording.Recording{recorded(t, ""), recorded(t, `{"schema": "whet.arguments/1", "functions": [
		{"package": "example.com/j/text", "name": "Join", "parameters": ["words"], "taken": 40, "rate": 1250, "calls": [
			{"arguments": [{"kind": "slice", "type": "[]string", "len": 3}]}]}]}`)}
	r, err := fix.Run(t.Context(), x, o)
	if err != nil {
		t.Fatal(err)
	}
	list := orders()
	// The last order is for the module with the candidate that was kept.
	if len(list) != 4 || len(r.Attempts) != 3 || !strings.Contains(list[3].Source.Text, "make([]byte") ||
		len(list[3].Failed) != 0 {
		t.Fatalf("%d orders, attempts %v, warnings %v", len(list), r.Attempts, r.Warnings)
	}
	first := list[0]
	if first.Schema != workorder.Schema || first.Module != "example.com/j" || first.File != "text/text.go" ||
		first.Line != 8 ||
		first.Function != "Join" || first.Share < 0.99 || len(first.Evidence) != 1 || first.Source.First != 3 ||
		!strings.HasSuffix(first.Source.Text, "return joined\n}") || len(first.Failed) != 0 ||
		!slices.Equal(first.Benchmarks, []string{"text.BenchmarkJoin"}) ||
		len(first.Callees) != 1 || first.Callees[0].Function != "runtime.concatstrings" {
		t.Errorf("the first order: %+v", first)
	}
	for i, order := range list { // also of the module that was changed
		if c := order.Captured; c == nil || c.Rate != 1250 || len(c.Parameters) != 1 ||
			c.Parameters[0].Name != "words" || !slices.Equal(c.Parameters[0].Lengths, []int{3, 3, 3}) {
			t.Errorf("order %d has the captured arguments %+v", i+1, c)
		}
	}
	if f := list[1].Failed; len(f) != 1 || f[0].Outcome != prove.OutcomeBroken || f[0].Diff != "no patch" ||
		!strings.Contains(f[0].Reason, "changes no files") {
		t.Errorf("the second order: %+v", f)
	}
	if f := list[2].Failed; len(f) != 2 || f[0].Outcome != prove.OutcomeDifferent || f[0].Diff != wrong ||
		!strings.Contains(f[0].Reason, "Join behaves differently") ||
		!strings.Contains(f[0].Test, "func TestReproduce_Join(") {
		t.Errorf("the third order: %+v", f)
	}
	if a := r.Attempts[2]; !a.Kept() || a.Candidate != 3 || a.Diff != builder {
		t.Errorf("the third candidate: %v, candidate %d\n%s", a, a.Candidate, a.Diff)
	}
	if p := r.Patches("a <a@b>"); len(p) != 1 || !strings.Contains(p[0].Text, "Apply a candidate of sh") &&
		!strings.Contains(p[0].Text, "apply a candidate of sh") {
		t.Errorf("patches: %v", p)
	}
	if err := r.Apply(t.Context(), true); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(x.Dir, "text", "text.go"))
	if err != nil || !strings.Contains(string(text), "make([]byte") {
		t.Errorf("applied: %v\n%s", err, text)
	}
}

// TestCandidateSuspect has a program that writes a cache: it is faster where a benchmark repeats its input, and not
// kept.
func TestCandidateSuspect(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	x, o := hot(t)
	cache := strings.NewReplacer(
		"package text\n", "package text\n\nimport \"slices\"\n\nvar (\n\tlastWords []string\n\tlast      string\n)\n",
		"\tjoined := \"\"\n",
		"\tif slices.Equal(words, lastWords) {\n\t\treturn last\n\t}\n\tjoined := \"\"\n",
		"\treturn joined\n", "\tlastWords, last = slices.Clone(words), joined\n\treturn joined\n",
	).Replace(joins)
	command, orders := writer(t, prove.Changes{"text/text.go": {Before: []byte(joins), After: []byte(cache)}}.Diff())
	o.Candidates = fix.Candidates{Command: command, Rounds: 2}
	r, err := fix.Run(t.Context(), x, o)
	if err != nil {
		t.Fatal(err)
	}
	list := orders()
	if len(r.Attempts) != 1 || r.Attempts[0].Kept() || r.Attempts[0].Outcome != prove.OutcomeUnproven ||
		!strings.Contains(r.Attempts[0].Reason, "between calls") {
		t.Fatalf("attempts %v, warnings %v", r.Attempts, r.Warnings)
	}
	if len(list) != 2 || len(list[1].Failed) != 1 || list[1].Failed[0].Outcome != prove.OutcomeUnproven ||
		!strings.Contains(list[1].Failed[0].Reason, "between calls") {
		t.Errorf("orders %+v", list)
	}
}

// TestCandidatesRefused has programs that fail, hang, write too much, or change what they must not: each is a
// warning or an attempt with a reason.
func TestCandidatesRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	x, o := hot(t)
	test := "--- a/text/text_test.go\n+++ b/text/text_test.go\n@@ -1 +1 @@\n-package text\n+package text // no tests\n"
	outside := "--- /dev/null\n+++ b/../x.go\n@@ -0,0 +1 @@\n+package x\n"
	added := "--- /dev/null\n+++ b/text/x.go\n@@ -0,0 +1 @@\n+package text\n"
	for name, c := range map[string]struct {
		script  string // of sh
		answer  string
		reason  string // of an attempt
		warning string
	}{
		"fails":        {script: "echo out of order >&2; exit 3", warning: "exit status 3: out of order"},
		"hangs":        {script: "sleep 1000 & wait", warning: "did not end within"},
		"floods":       {script: "yes", warning: "wrote more than 1048576 bytes"},
		"says nothing": {script: "cat >/dev/null"},
		"a test":       {answer: test, reason: "is not a source file of the program"},
		"outside":      {answer: outside, reason: "outside the repository"},
		"a new file":   {answer: added, reason: "adds or removes text/x.go"},
	} {
		t.Run(name, func(t *testing.T) {
			provetest.Part(t)
			o := o
			command, _ := writer(t, c.answer)
			if c.script != "" {
				command[2] = c.script
			}
			o.Candidates = fix.Candidates{Command: command, Timeout: 10 * time.Second, Rounds: 1}
			r, err := fix.Run(t.Context(), x, o)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.reason == "" && len(r.Attempts) > 0, c.reason != "" && len(r.Attempts) != 1:
				t.Fatalf("attempts: %v", r.Attempts)
			case c.reason != "" && !strings.Contains(r.Attempts[0].Reason, c.reason):
				t.Errorf("the attempt: %v", r.Attempts[0])
			case !strings.Contains(strings.Join(r.Warnings.Texts(), "\n"), c.warning):
				t.Errorf("the warnings: %v", r.Warnings.Texts())
			}
		})
	}
}
