package fix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/fix"
)

// tagged is a module whose results, speed and tests depend on how it is built and run.
const tagged = `
-- go.mod --
module example.com/tagged

go 1.26
-- join.go --
package tagged

import "os"

var eager = os.Getenv("TAGGED_EAGER") != ""

// Join joins words.
func Join(words []string) (joined string) {
	if eager {
		return fast(words)
	}
	return join(words)
}
-- fast.go --
package tagged

import "strings"

func fast(words []string) string { return strings.Join(words, "") }
-- slow.go --
//go:build !quick && !broken && !wrong

package tagged

func join(words []string) (joined string) {
	for _, w := range words {
		joined += w
	}
	return joined
}
-- quick.go --
//go:build quick

package tagged

func join(words []string) string { return fast(words) }
-- wrong.go --
//go:build wrong

package tagged

func join(words []string) string { return "" }
-- join_test.go --
package tagged

import (
	"strings"
	"testing"
)

func TestJoin(t *testing.T) {
	if Join([]string{"a", "b"}) != "ab" {
		t.Error("not joined")
	}
}

func BenchmarkJoin(b *testing.B) {
	words := strings.Split(strings.Repeat("word ", 200), " ")
	for b.Loop() {
		Join(words)
	}
}
`

// TestSettings tries settings that gain, fail and do nothing, and leaves the module unchanged.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(tagged)).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	place := []find.Place{{File: "join.go", Line: 9, EndLine: 12}}
	setting := func(places []find.Place, build, run []string) find.Finding {
		return find.Finding{
			Title: "set", Why: "it is a test", Needs: rules.Settings, Places: places,
			Fix: &find.Fix{Message: "Set it", Setting: &rules.Setting{Build: build, Run: run}},
		}
	}
	in := &find.Result{Module: "example.com/tagged", Dir: dir, Findings: []find.Finding{
		setting(place, []string{"-tags=quick"}, nil),
		setting(nil, nil, []string{"TAGGED_EAGER=1"}), // measured where other findings are
		setting(place, []string{"-tags=broken"}, nil),
		setting(place, []string{"-tags=wrong"}, nil),
		setting(nil, []string{"-pgo=default.pgo"}, nil),
	}}
	o := options()
	o.Settings, o.Temp = true, t.TempDir()
	r, err := fix.Run(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Attempts) != 0 || len(r.Settings) != len(in.Findings) || r.WithSettings == nil || r.Total != nil {
		t.Fatalf("%d attempts, %d settings, total %v, with settings %v; %v", len(r.Attempts), len(r.Settings), r.Total,
			r.WithSettings, r.Warnings)
	}
	if want := [2]string{"original", "all kept rewrites and settings"}; r.WithSettings.AB.Sides != want {
		t.Errorf("sides %q, want %q", r.WithSettings.AB.Sides, want)
	}
	for i, want := range []struct {
		stage  fix.Stage
		reason string
	}{
		{fix.StageKept, ""},
		{fix.StageKept, ""},
		{fix.StageBuild, "undefined: join"},
		{fix.StageTest, "not joined"},
		{fix.StageNeeds, "whet pgo"},
	} {
		a := &r.Settings[i]
		if a.Stage != want.stage || !strings.Contains(a.Reason, want.reason) || a.Diff != "" {
			t.Errorf("%s: at %s: %s, want %s: %s", a.Finding.Fix.Setting, a.Stage, a.Reason, want.stage, want.reason)
		}
	}
	if patches := r.Patches("a <a@b>"); len(patches) != 0 {
		t.Errorf("%d patches of settings", len(patches))
	}
}
