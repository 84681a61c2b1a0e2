package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/find/modcopy/modtest"
	"github.com/whet-go/whet/profile"
)

// joiner is a module that calls a dependency which joins words slowly.
const joiner = `
-- go.mod --
module example.com/joiner

go 1.26

require example.com/words v1.2.0
-- joiner.go --
package joiner

import "example.com/words"

// Page is a page.
func Page(list []string) string { return words.Join(list) }
-- proxy/example.com/words@v1.2.0/go.mod --
module example.com/words

go 1.26
-- proxy/example.com/words@v1.2.0/join.go --
package words

// Join joins words, slowly.
func Join(list []string) string {
	joined := ""
	for _, w := range list {
		joined += w + ","
	}
	return joined
}
-- proxy/example.com/words@v1.2.0/join_test.go --
package words

import (
	"strings"
	"testing"
)

func BenchmarkJoin(b *testing.B) {
	b.ReportAllocs()
	list := strings.Fields(strings.Repeat("some words ", 200))
	for b.Loop() {
		Join(list)
	}
}
`

// TestDependencies finds and proves a rewrite in a copy of a dependency, writes its patch, and changes nothing else.
func TestDependencies(t *testing.T) {
	m := modtest.Write(t, joiner)
	m.Tidy(t)
	own := modtest.Frame{
		Function: "example.com/joiner.Page", File: filepath.Join(m.Dir, "joiner.go"), Code: "words.Join(list)",
	}
	join := modtest.Frame{
		Function: "example.com/words.Join", File: filepath.Join(m.Source("example.com/words@v1.2.0"), "join.go"),
		Code: `joined += w + ","`,
	}
	p := modtest.Profile(t, profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, modtest.Sample{
		Value: 1e9, Stack: []modtest.Frame{{Function: "runtime.concatstrings", File: "/go/src/runtime/string.go"}, join, own},
	})
	work := t.TempDir()
	file, err := os.Create(filepath.Join(work, "cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, kv := range m.Env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	before := m.State(t)
	t.Chdir(work)

	code, stdout, stderr := runWhet(t, "find", "--dir", m.Dir, "cpu.pb.gz")
	if code != 0 || !strings.Contains(stdout, "joiner.go:6 calls words.Join") || strings.Contains(stdout, "For upstream") {
		t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
	}
	code, stdout, stderr = runWhet(t, "find", "--dependencies", "--json", "--dir", m.Dir, "cpu.pb.gz")
	var found find.Result
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || code != 0 {
		t.Fatalf("%d %v\n%s", code, err, stderr)
	}
	if len(found.Upstream) != 1 || found.Upstream[0].Module != "example.com/words" ||
		len(found.Upstream[0].Findings) == 0 || found.Upstream[0].Dir != m.Source("example.com/words@v1.2.0") {
		t.Errorf("%+v", found.Upstream)
	}

	code, stdout, stderr = runWhet(t, "fix", "--dependencies", "--json", "--dir", m.Dir, "--patches", "patches",
		"--max-time", "10s", "--precision", "10%", "--fuzz-time", "1s", "--settings=false", "cpu.pb.gz")
	var fixed fix.Result
	if err := json.Unmarshal([]byte(stdout), &fixed); err != nil || code != 0 {
		t.Fatalf("%d %v\n%s", code, err, stderr)
	}
	if len(fixed.Upstream) != 1 || len(fixed.Upstream[0].Kept()) == 0 || len(fixed.Kept()) != 0 {
		t.Fatalf("%v %v\n%s", fixed.Upstream[0].Attempts, fixed.Upstream[0].Warnings, stderr)
	}
	patches, err := filepath.Glob("patches/example.com_words@v1.2.0/0001-*.patch")
	if err != nil || len(patches) != 1 || !strings.Contains(stderr, "for example.com/words to patches") {
		t.Fatalf("%v %v\n%s", patches, err, stderr)
	}
	if text, err := os.ReadFile(patches[0]); err != nil || !strings.Contains(string(text), "--- a/join.go") ||
		!strings.Contains(string(text), "For example.com/words@v1.2.0.") {
		t.Errorf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(before, m.State(t)); diff != "" {
		t.Errorf("the module or the module cache has changed:\n%s", diff)
	}
}
