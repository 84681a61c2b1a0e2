package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
)

const slowService = `
-- go.mod --
module example.com/slow

go 1.26
-- clean.go --
package slow

import "strings"

// Clean is slow on purpose.
func Clean(name string) string {
	return strings.NewReplacer(":", "_", "|", "_", "@", "_").Replace(name)
}
-- clean_test.go --
package slow

import "testing"

func TestClean(t *testing.T) {
	if got := Clean("a:b"); got != "a_b" {
		t.Error(got)
	}
}

func BenchmarkClean(b *testing.B) {
	for b.Loop() {
		Clean("a:b|c@d")
	}
}
`

// slowModule writes the service and profiles of its benchmark to the current directory.
func slowModule(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range txtar.Parse([]byte(slowService)).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	out, err := exec.CommandContext(t.Context(), "go", "test", "-run=^$", "-bench=.", "-benchtime=2000000x",
		"-cpuprofile=cpu.pb.gz", "-memprofile=allocs.pb.gz",
		"-o="+filepath.Join(t.TempDir(), "slow.test")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestFind runs whet find on a profiled module, in each format and with gates.
func TestFind(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := slowModule(t)
	code, stdout, stderr := runWhet(t, "find", "cpu.pb.gz", "allocs.pb.gz")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{
		"1 finding in example.com/slow", "1. strings.Replacer built on each call", "clean.go:7  Clean",
		"saves at most ", "why: a replacer is built", "compiler, line 7:", "+var cleanReplacer = strings.NewReplacer(",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if code, stdout, stderr = runWhet(t, "find", "--format", "markdown", "-o", "findings.md", "cpu.pb.gz"); code != 0 ||
		stdout != "" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if md, err := os.ReadFile("findings.md"); err != nil ||
		!strings.Contains(string(md), "### 1. strings.Replacer built on each call") ||
		!strings.Contains(string(md), "```diff\n") {
		t.Errorf("%v\n%s", err, md)
	}
	if code, stdout, stderr = runWhet(t, "find", "--format", "html", "cpu.pb.gz"); code != 0 ||
		!strings.HasPrefix(stdout, "<!doctype html>") ||
		!strings.Contains(stdout, `<span class="add">+var cleanReplacer = `) || strings.Contains(stdout, "<script") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
	findingSARIF(t)
	code, stdout, _ = runWhet(t, "find", "--json", "--gate", "--dir", dir, "cpu.pb.gz")
	var r find.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 3 || r.Schema != find.Schema ||
		len(r.Findings) != 1 || r.Findings[0].Fix == nil {
		t.Errorf("exit code %d, %v: %+v", code, err, r)
	}
	if code, stdout, _ = runWhet(t, "find", "--gate", "--min-share", "100%", "cpu.pb.gz"); code != 0 ||
		!strings.HasPrefix(stdout, "0 findings") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	hotNotes(t)
}

// hotNotes checks that the compiler's notes on the most expensive line come first, and only those
// of the requested kinds.
func hotNotes(t *testing.T) {
	t.Helper()
	code, stdout, stderr := runWhet(t, "notes", "--recording", "cpu.pb.gz", "--recording", "allocs.pb.gz", "--json",
		"--kind", "inline,escape")
	var r lines.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 0 || r.Schema != lines.Schema ||
		len(r.Totals) != 3 || r.Found != len(r.Lines) {
		t.Fatalf("exit code %d, %v, %s\n%s", code, err, stderr, stdout)
	}
	hot := r.Lines[0]
	if hot.File != "clean.go" || hot.Line != 7 || hot.Share < 0.3 || len(hot.Evidence) != 3 ||
		!strings.Contains(hot.Code, "strings.NewReplacer(") {
		t.Errorf("the first line: %+v", hot)
	}
	for i, l := range r.Lines {
		if i > 0 && l.Share > r.Lines[i-1].Share {
			t.Errorf("%s:%d is not in the order of cost", l.File, l.Line)
		}
		for _, n := range l.Notes {
			if n.Group != lines.Inline && n.Group != lines.Escape || n.Line != l.Line {
				t.Errorf("%s:%d has %+v", l.File, l.Line, n)
			}
		}
	}
	if code, stdout, stderr = runWhet(t, "notes", "--recording", "cpu.pb.gz", "-n", "1"); code != 0 ||
		!strings.Contains(stdout, "\nclean.go:7  CPU ") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, stdout)
	}
}

// findingSARIF checks the place, rule and rewrite of the finding in SARIF.
func findingSARIF(t *testing.T) {
	t.Helper()
	code, stdout, stderr := runWhet(t, "find", "--format", "sarif", "cpu.pb.gz")
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           struct{ StartLine int }
					}
				}
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct {
							DeletedRegion   struct{ ByteOffset, ByteLength int }
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &log); err != nil || code != 0 || log.Version != "2.1.0" ||
		len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatalf("exit code %d, %v: %s\n%s", code, err, stderr, stdout)
	}
	run := log.Runs[0]
	r := run.Results[0]
	place := r.Locations[0].PhysicalLocation
	if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.RuleID != "percall" || r.Level != "warning" ||
		place.ArtifactLocation.URI != "clean.go" || place.Region.StartLine != 7 {
		t.Errorf("%+v", r)
	}
	source, err := os.ReadFile("clean.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range r.Fixes[0].ArtifactChanges[0].Replacements {
		if edit.InsertedContent.Text == "cleanReplacer" {
			at := edit.DeletedRegion
			got := string(source[at.ByteOffset : at.ByteOffset+at.ByteLength])
			if !strings.HasPrefix(got, "strings.NewReplacer(") || !strings.HasSuffix(got, `"_")`) {
				t.Errorf("the call that is replaced: %q", got)
			}
			return
		}
	}
	t.Errorf("%+v", r.Fixes)
}

// TestFix keeps a rewrite, writes its patch, and applies it with --apply.
func TestFix(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := slowModule(t)
	before, err := os.ReadFile("clean.go")
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runWhet(t, "fix", "--max-time", "30s", "--fuzz-time", "1s", "--precision", "10%",
		"--patches", "patches", "--json", "-o", "fix.json", "cpu.pb.gz", "allocs.pb.gz")
	if code != 0 || stdout != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	data, err := os.ReadFile("fix.json")
	if err != nil {
		t.Fatal(err)
	}
	var r fix.Result
	if err := json.Unmarshal(data, &r); err != nil || len(r.Attempts) != 1 || !r.Attempts[0].Kept() || r.Total == nil {
		t.Fatalf("%v: %s", err, data)
	}
	if after, err := os.ReadFile("clean.go"); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
	patch, err := os.ReadFile(filepath.Join(dir, "patches", "0001-percall-Clean.patch"))
	if err != nil || !strings.Contains(string(patch), "Subject: [PATCH 1/1] main: build it once") {
		t.Errorf("%v\n%s", err, patch)
	}
}
