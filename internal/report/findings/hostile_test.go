package findings

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/prove"
)

// hostileNames returns hostile names of files that a repository can contain.
func hostileNames() []string {
	return []string{
		`"><script>alert(1)</script>.go`, `'onload='x.go`, "a b/c d.go", "100%41.go", "new\nline.go", "esc\x1b[31mred.go",
		"\u202egnp.go", "mark\u200e.go",
		`back\slash.go`, "c:d.go", "a:b/c.go", "?q=1#f.go", "é/ü.go", "a|b`c.go", "..x/y.go",
	}
}

// hostileFinding is a finding about a file, with a rewrite of it.
func hostileFinding(name string) find.Finding {
	return find.Finding{
		ID: "x/" + name, Rule: "x", Title: "slow", Why: "it is slow", Function: "F", Saving: 0.1,
		Places: []find.Place{
			{File: name, Line: 1, EndLine: 1, Code: "f() // <b>\u202e\x1b["},
			{File: name, Line: 2, EndLine: 2},
		},
		Fix: &find.Fix{
			Message: "Change it", Diff: string(rewrite.Diff(name, []byte("a\n-- a/x\n<i>\n"), []byte("a\n++ b/x\n<u>\n"))),
			Files: []find.FileEdit{{File: name, Edits: []rewrite.Edit{{From: 0, To: 1, Text: "b"}}}},
		},
	}
}

// TestHostileSARIF has URIs that are relative and name the file, whatever it is called.
func TestHostileSARIF(t *testing.T) {
	for _, name := range append(hostileNames(), `C:\src\main.go`, "/abs/x y.go", `\\server\share\x.go`) {
		var out strings.Builder
		if err := WriteFindSARIF(&out, &find.Result{
			Module: "m", Dir: "/src/a b%",
			Findings: []find.Finding{hostileFinding(name)},
		}, nil, "v1"); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal([]byte(out.String()), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if got := run.Bases[sarifBase].URI; got != "file:///src/a%20b%25/" {
			t.Errorf("base %q", got)
		}
		base, err := url.Parse(run.Bases[sarifBase].URI)
		if err != nil {
			t.Fatal(err)
		}
		result := run.Results[0]
		for _, at := range []sarifLocation{
			result.Locations[0].Physical.Artifact, result.Related[0].Physical.Artifact,
			result.Fixes[0].Changes[0].Artifact,
		} {
			for i := range len(at.URI) {
				if c := at.URI[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
					t.Errorf("%q: the URI %q has %q", name, at.URI, c)
				}
			}
			u, err := url.Parse(at.URI)
			if err != nil {
				t.Errorf("%q: %v", name, err)
				continue
			}
			want := "/src/a b%/" + path.Clean(name)
			switch name {
			case `C:\src\main.go`:
				want = "/C:/src/main.go"
			case `\\server\share\x.go`:
				want = "/share/x.go"
			case "/abs/x y.go":
				want = name
			}
			if full := base.ResolveReference(u); full.Scheme != "file" || full.Path != want || full.RawQuery != "" ||
				full.Fragment != "" {
				t.Errorf("%q: %q is %q of %q, want %q", name, at.URI, full.Path, full, want)
			}
			if relative := at.BaseID == sarifBase; relative != (want == "/src/a b%/"+path.Clean(name)) || relative && u.IsAbs() {
				t.Errorf("%q: %+v", name, at)
			}
		}
	}
	for dir, want := range map[string]string{
		"/src": "file:///src", `C:\src\x`: "file:///C:/src/x",
		`\\server\share\x`: "file://server/share/x",
	} {
		if got := fileURI(dir); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}

// TestHostilePages has pages and texts that show such names, and nothing that a browser or a terminal
// obeys.
func TestHostilePages(t *testing.T) {
	for _, name := range hostileNames() {
		x := hostileFinding(name)
		found := &find.Result{
			Module: name, Dir: "/src", Findings: []find.Finding{x},
			Unexplained: []find.HotLine{{Place: x.Places[0], Function: name, Why: name}},
			Stale:       []find.Stale{{Function: name, File: name, Reason: name}},
			Against: &find.BaselineComparison{
				Baseline: name, Stale: []find.Identity{{Rule: "x", Package: name, Code: name}},
			},
		}
		fixed := &fix.Result{
			Module: name, Attempts: []fix.Attempt{
				{Finding: x, Stage: fix.StageKept, Diff: x.Fix.Diff}, {
					Finding: x, Stage: fix.StageTest, Reason: name,
					Diff: x.Fix.Diff,
				}, {Finding: x, Stage: fix.StageNeeds, Reason: name},
			}, Untried: []fix.Untried{{Title: name, File: name, Line: 1, Function: name, Reason: name}},
			Base: prove.Base{Broken: []fix.Broken{{Package: name, Reason: name}}},
		}
		outputs := map[string]*strings.Builder{}
		out := func(kind string) *strings.Builder {
			outputs[kind] = &strings.Builder{}
			return outputs[kind]
		}
		for _, err := range []error{
			Find(found).WritePage(out("find.html")), Fix(fixed).WritePage(out("fix.html")),
			Find(found).Write(out("find.txt"), layout.Style{}),
			Fix(fixed).Write(out("fix.txt"), layout.Style{}), Find(found).WriteMarkdown(out("find.md")),
			Fix(fixed).WriteMarkdown(out("fix.md")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for kind, b := range outputs {
			text := b.String()
			bad := []string{"\x1b", "\u202e", "\u200e"}
			if strings.HasSuffix(kind, ".html") {
				bad = append(bad, "<script", "<b>\ufffd", "<i>\n", "<u>\n", "'onload='")
			}
			for _, s := range bad {
				if strings.Contains(text, s) {
					t.Errorf("%q: %s has %q", name, kind, s)
				}
			}
			if strings.HasSuffix(kind, ".html") &&
				(!strings.Contains(text, `class="del">--- a/x`) || !strings.Contains(text, `class="add">+++ b/x`)) {
				t.Errorf("%q: %s takes lines of code for heads of files", name, kind)
			}
		}
	}
}

// TestHostilePatches feeds patches in mail format whose file names contain header lines.
func TestHostilePatches(t *testing.T) {
	for _, name := range append(hostileNames(), "x\nBcc: y/a.go", "x\n---\n\n--- a/b\n+++ b/b\n/a.go") {
		x := hostileFinding(name)
		r := &fix.Result{Attempts: []fix.Attempt{{Finding: x, Stage: fix.StageKept, Diff: x.Fix.Diff}}}
		patch := r.Patches("a <a@b>")[0]
		head, rest, _ := strings.Cut(patch.Text, "\n\n")
		if n := strings.Count(head, "\n"); n != 2 || strings.Contains(head, "\x1b") {
			t.Errorf("%q: the head is %q", name, head)
		}
		if n := strings.Count(rest, "\n---\n"); n != 1 {
			t.Errorf("%q: %d lines end the message:\n%s", name, n, rest)
		}
		quoted := rewrite.QuoteName("a/" + name)
		if !strings.Contains(rest, "\n--- "+quoted) || strings.Count(rest, "\n+++ ") != 1+1 {
			t.Errorf("%q: want %s in\n%s", name, quoted, rest)
		}
		if strings.ContainsAny(patch.Name, "/\\\n\"<>%\x1b: ") {
			t.Errorf("the file is called %q", patch.Name)
		}
	}
}

func ExampleWriteFindSARIF() {
	fmt.Println(sarifAt("a b/100%.go").URI, sarifAt("c:d.go").URI)
	// Output: a%20b/100%25.go ./c:d.go
}
