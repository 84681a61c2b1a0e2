package upstream_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/find/modcopy/modtest"
	"github.com/whet-go/whet/internal/find/upstream"
	fixupstream "github.com/whet-go/whet/internal/fix/upstream"
	"github.com/whet-go/whet/profile"
)

// service calls a dependency that joins words slowly, and has a benchmark that reaches it.
const service = `
-- go.mod --
module example.com/service

go 1.26

require (
	example.com/extra v0.3.0
	example.com/text v1.2.0
)
-- page/page.go --
package page

import (
	"example.com/extra"
	"example.com/text"
)

// Render renders a page.
func Render(words []string) string { return text.Join(words) + extra.End }
-- page/page_test.go --
package page

import (
	"strings"
	"testing"
)

func BenchmarkRender(b *testing.B) {
	b.ReportAllocs()
	words := strings.Fields(strings.Repeat("some words of a page ", 100))
	for b.Loop() {
		Render(words)
	}
}
-- proxy/example.com/extra@v0.3.0/go.mod --
module example.com/extra

go 1.26
-- proxy/example.com/extra@v0.3.0/extra.go --
package extra

// End ends a page.
const End = "."
-- proxy/example.com/text@v1.2.0/join.go --
// Package text joins.
package text
IMPORT
// Join joins words, slowly.
func Join(words []string) string {
	joined := ""
	for _, w := range words {
		joined += w + ","
	}
	return joined
}
`

// Parts of the archive that differ.
const (
	goMod = `-- proxy/example.com/text@v1.2.0/go.mod --
module example.com/text

go 1.26
`
	tests = `-- proxy/example.com/text@v1.2.0/join_test.go --
package text

import "testing"

func TestJoin(t *testing.T) {
	if got := Join([]string{"a", "b"}); got != "a,b," {
		t.Error(got)
	}
}
`
	importsExtra = `
import "example.com/extra"

// End is used.
const End = extra.End
`
	importsService = `
import "example.com/service/shared"

// End is used.
const End = shared.End
`
	shared = `-- shared/shared.go --
package shared

// End ends a page.
const End = "."
`
)

// look finds what the dependency of a service has, with a profile that spends its time in Join.
func look(t *testing.T, m *modtest.Modules, vendored bool) []*upstream.Module {
	t.Helper()
	source := m.Source("example.com/text@v1.2.0")
	if vendored {
		source = filepath.Join(m.Dir, "vendor/example.com/text")
	}
	own := modtest.Frame{
		Function: "example.com/service/page.Render", File: filepath.Join(m.Dir, "page/page.go"), Code: "text.Join(words)",
	}
	join := modtest.Frame{
		Function: "example.com/text.Join", File: filepath.Join(source, "join.go"), Code: `joined += w + ","`,
	}
	concat := modtest.Frame{Function: "runtime.concatstrings", File: "/go/src/runtime/string.go"}
	p := find.Profiles{CPU: modtest.Profile(t, profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		modtest.Sample{Value: 900, Stack: []modtest.Frame{concat, join, own}},
		modtest.Sample{Value: 100, Stack: []modtest.Frame{own}},
	)}
	o := find.Options{Dir: m.Dir, Env: m.Env}
	o.Own = func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/service/") }
	calls, err := dependencies.Find(t.Context(), dependencies.Input{
		CPU: p.CPU, Own: o.Own, Dir: m.Dir, Env: m.Env, File: func(string) string { return "page/page.go" },
	})
	if len(calls) != 1 || err != nil || calls[0].Module != "example.com/text" {
		t.Fatalf("calls: %+v %v", calls, err)
	}
	modules, err := upstream.Modules(t.Context(), p, o, calls, t.TempDir())
	if err != nil || len(modules) != 1 {
		t.Fatalf("%d modules, %v", len(modules), err)
	}
	return modules
}

// TestRun proves a rewrite in copies of a dependency, and changes neither the module cache nor the module.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, archive string
		vendored      bool
		tested        int
	}{
		{"cached", strings.Replace(service, "IMPORT", "", 1) + goMod + tests, false, 1},
		{"without tests", strings.Replace(service, "IMPORT", "", 1) + goMod, false, 0},
		{"without go.mod", strings.Replace(service, "IMPORT", "", 1) + tests, false, 1},
		// Its go.mod does not name a module that it imports.
		{"needs versions", strings.Replace(service, "IMPORT", importsExtra, 1) + goMod + tests, false, 1},
		{"vendored", strings.Replace(service, "IMPORT", importsExtra, 1) + goMod + tests, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := modtest.Write(t, c.archive)
			m.Tidy(t)
			if c.vendored {
				m.Go(t, "mod", "vendor")
			}
			m.Go(t, "vet", "./...")
			before := m.State(t)
			modules := look(t, m, c.vendored)
			if modules[0].Skipped || modules[0].Found.Version != "v1.2.0" || len(modules[0].Found.Findings) == 0 {
				t.Fatalf("%+v: %v", modules[0], modules[0].Found.Warnings)
			}
			results, err := fixupstream.Run(t.Context(), m.Dir, modules, fix.Options{
				FuzzTime: time.Second, AB: ab.Options{MaxTime: 10 * time.Second, Precision: 0.1}, Temp: t.TempDir(),
			}, t.TempDir())
			if err != nil || len(results) != 1 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			r := results[0]
			if r.Module != "example.com/text" || r.Version != "v1.2.0" || len(r.Kept()) == 0 {
				t.Fatalf("%s@%s: %v %v", r.Module, r.Version, r.Attempts, r.Warnings)
			}
			kept := r.Kept()[0]
			if kept.Tested != c.tested {
				t.Errorf("the tests of %d packages ran, want %d", kept.Tested, c.tested)
			}
			measured := false
			for _, s := range kept.Measured.AB.Subjects {
				measured = measured || s.Name == "service: Render" && s.Error == ""
			}
			if !measured {
				t.Errorf("the module's benchmark does not measure it: %+v", kept.Measured.AB.Subjects)
			}
			checkPatch(t, m, r)
			if diff := cmp.Diff(before, m.State(t)); diff != "" {
				t.Errorf("the module or the module cache has changed:\n%s", diff)
			}
		})
	}
}

// checkPatch applies the patch of a result to the dependency as it was published.
func checkPatch(t *testing.T, m *modtest.Modules, r *fix.Result) {
	t.Helper()
	patches := r.Patches("whet <whet@localhost>")
	if len(patches) == 0 {
		t.Fatal("no patch")
	}
	if !strings.Contains(patches[0].Text, "example.com/text@v1.2.0") {
		t.Errorf("the patch does not name the module:\n%s", patches[0].Text)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(m.Source("example.com/text@v1.2.0"))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"apply", "-"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(patches[0].Text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s\n%s", args[0], err, out, patches[0].Text)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "join.go"))
	if err != nil || strings.Contains(string(data), "joined +=") || !strings.Contains(string(data), "strings.Builder") {
		t.Errorf("%v\n%s", err, data)
	}
}

// TestSkipped says why a dependency that does not build alone is not tried.
func TestSkipped(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, strings.Replace(service, "IMPORT", importsService, 1)+goMod+shared)
	m.Tidy(t)
	before := m.State(t)
	modules := look(t, m, false)
	if !modules[0].Skipped {
		t.Fatal("it builds without the module that it imports")
	}
	results, err := fixupstream.Run(t.Context(), m.Dir, modules, fix.Options{}, t.TempDir())
	if err != nil || len(results) != 1 || len(results[0].Attempts) != 0 || len(results[0].Warnings) != 1 ||
		!strings.Contains(results[0].Warnings[0].Text, "example.com/text@v1.2.0 is not analyzed: build") ||
		!strings.Contains(results[0].Warnings[0].Text, "example.com/service/shared") {
		t.Errorf("%+v %v", results, err)
	}
	if diff := cmp.Diff(before, m.State(t)); diff != "" {
		t.Errorf("the module or the module cache has changed:\n%s", diff)
	}
}

// TestOtherVersion does not look into another version than the recorded one.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, strings.Replace(service, "IMPORT", "", 1)+goMod)
	m.Tidy(t)
	calls := []dependencies.Call{{Hottest: []dependencies.Line{{Module: "example.com/text", Version: "v1.1.0", Share: 1}}}}
	o := find.Options{Dir: m.Dir, Env: m.Env}
	modules, err := upstream.Modules(t.Context(), find.Profiles{}, o, calls, t.TempDir())
	if err != nil || len(modules) != 1 || !modules[0].Skipped ||
		!strings.Contains(modules[0].Found.Warnings[0].Text, "the recording has version v1.1.0") {
		t.Errorf("%+v %v", modules, err)
	}
	if _, err := os.Stat(modules[0].Dir); modules[0].Dir != "" && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a copy: %v", err)
	}
}
