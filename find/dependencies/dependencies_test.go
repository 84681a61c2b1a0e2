package dependencies_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/internal/find/modcopy/modtest"
	"github.com/whet-go/whet/profile"
)

// archive is a service that calls a dependency in two ways that have cheaper ones, and the dependency.
const archive = `
-- go.mod --
module example.com/service

go 1.26

require example.com/text v1.2.0
-- main.go --
package main

import (
	"fmt"

	"example.com/text"
	"example.com/text/match"
)

func main() {
	fmt.Println(handle("a b"))
}

func handle(s string) (string, bool) {
	quoted := text.Quote(s)
	ok := match.Matches("a*", s)
	return quoted, ok
}
-- proxy/example.com/text@v1.2.0/go.mod --
module example.com/text

go 1.26
-- proxy/example.com/text@v1.2.0/text.go --
// Package text quotes.
package text

import "strconv"

// Quote returns s in quotes.
func Quote(s string) string {
	return strconv.Quote(s)
}

// AppendQuote appends s in quotes to dst. It allocates nothing if dst is large enough.
func AppendQuote(dst []byte, s string) []byte { return strconv.AppendQuote(dst, s) }

// AppendNumber has other arguments.
func AppendNumber(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// QuoteTo fills a number, which is no place for a text.
func QuoteTo(dst *int, s string) {}

// WriteQuote is another form.
//
// Deprecated: use AppendQuote.
func WriteQuote(w interface{ Write([]byte) (int, error) }, s string) error { return nil }
-- proxy/example.com/text@v1.2.0/match/match.go --
package match

import (
	"os"
	"regexp"
)

// Matches reports whether s matches a pattern.
func Matches(pattern, s string) bool {
	p, err := Compile(pattern)
	if err != nil {
		return false
	}
	return p.Matches(s)
}

// A Pattern is a compiled pattern.
type Pattern struct{ re *regexp.Regexp }

// Compile compiles a pattern once. Patterns are safe for concurrent use.
func Compile(pattern string) (*Pattern, error) {
	if _, err := os.Open("/settings"); err == nil {
		return nil, nil
	}
	re, err := regexp.Compile(pattern)
	return &Pattern{re}, err
}

// Matches reports whether s matches. It does not compile.
func (p *Pattern) Matches(s string) bool { return p.re.MatchString(s) }

// Match has another result.
func (p *Pattern) Match(s string) int { return len(s) }
`

// find returns the calls of the service, with profiles whose files are named as they were recorded.
func find(t *testing.T, m *modtest.Modules, version string) ([]dependencies.Call, error) {
	t.Helper()
	own := func(code string) modtest.Frame {
		return modtest.Frame{Function: "main.handle", File: filepath.Join(m.Dir, "main.go"), Code: code}
	}
	source := m.Source("example.com/text@v1.2.0")
	dep := func(function, file, code string) modtest.Frame {
		return modtest.Frame{Function: "example.com/text" + function, File: filepath.Join(source, file), Code: code}
	}
	std := func(function string) modtest.Frame { return modtest.Frame{Function: function, File: "/go/src/x.go"} }
	quote := dep(".Quote", "text.go", "return strconv.Quote(s)")
	compile := dep("/match.Compile", "match/match.go", "regexp.Compile(pattern)")
	open := dep("/match.Compile", "match/match.go", `os.Open("/settings")`)
	matches := dep("/match.Matches", "match/match.go", "Compile(pattern)")
	cpu := modtest.Profile(t, profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		modtest.Sample{Value: 200, Stack: []modtest.Frame{
			std("runtime.mallocgc"), std("strconv.Quote"), quote, own("text.Quote"),
		}},
		modtest.Sample{Value: 100, Stack: []modtest.Frame{quote, own("text.Quote")}},
		modtest.Sample{Value: 500, Stack: []modtest.Frame{
			std("regexp/syntax.Parse"), std("regexp.Compile"), compile, matches, own("match.Matches"),
		}},
		modtest.Sample{Value: 150, Stack: []modtest.Frame{
			std("syscall.Open"), std("os.Open"), open, matches, own("match.Matches"),
		}},
		modtest.Sample{Value: 40, Stack: []modtest.Frame{std("strconv.Itoa"), own("text.Quote")}}, // no dependency
		modtest.Sample{Value: 10, Stack: []modtest.Frame{quote, own("return quoted, ok")}},        // too little
	)
	opened := []modtest.Frame{std("os.newFile"), std("os.Open"), open, matches, own("match.Matches")}
	allocs := modtest.ProfileOf(t,
		[]profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}},
		// One sample of a small object, by chance.
		modtest.Sample{Value: 65536, More: []int64{65536 * 8}, Bytes: 8, Stack: opened},
		modtest.Sample{Value: 30000, More: []int64{30000 * 200}, Bytes: 200, Stack: opened},
		modtest.Sample{Value: 5000, More: []int64{5000 * 160}, Stack: []modtest.Frame{
			std("regexp.compile"), compile, matches, own("match.Matches"), // too few samples
		}},
	)
	if version != "v1.2.0" {
		for i := range cpu.Functions {
			cpu.Functions[i].File = strings.ReplaceAll(cpu.Functions[i].File, "@v1.2.0", "@"+version)
		}
	}
	return dependencies.Find(t.Context(), dependencies.Input{
		CPU: cpu, Allocs: allocs, Dir: m.Dir, Env: m.Env, Requests: 100,
		Own:  func(f profile.Function) bool { return strings.HasPrefix(f.Name, "main.") },
		File: func(name string) string { return filepath.Base(name) },
	})
}

// TestFind describes what calls of a dependency do, and other ways to call it.
func TestFind(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	before := m.State(t)
	calls, err := find(t, m, "v1.2.0")
	if err != nil || len(calls) != 2 {
		t.Fatalf("%+v %v", calls, err)
	}
	first, second := calls[0], calls[1]
	if first.Callee != "example.com/text/match.Matches" || first.File != "main.go" || first.Line != 16 ||
		first.CPU.Value != 650 || first.CPU.Share != 0.65 || first.PerRequest != 6 ||
		first.Module != "example.com/text" || first.Version != "v1.2.0" {
		t.Errorf("%+v", first)
	}
	if h := first.Hottest; len(h) != 2 || h[0].File != "match/match.go" || h[0].Share != 0.5 ||
		h[0].Code != "re, err := regexp.Compile(pattern)" || h[0].Module != "example.com/text" {
		t.Errorf("hottest lines: %+v", h)
	}
	if w := first.Work; len(w) != 2 || w[0].Kind != "regexp" || w[0].Share != 0.5 ||
		w[0].Functions[0] != "regexp.Compile" || w[1].Functions[0] != "os.Open" {
		t.Errorf("work: %+v", w)
	}
	if c := first.Counts; len(c) != 1 || c[0].What != "files opened" || c[0].Times != 30000 || c[0].PerRequest != 300 {
		t.Errorf("counts: %+v", c)
	}
	if a := first.Alternatives; len(a) != 1 || a[0].Name != "(*match.Pattern).Matches" ||
		a[0].Form != dependencies.Keeps || a[0].Signature != "func(s string) bool" || a[0].With != "match.Compile" ||
		a[0].WithSignature != "func(pattern string) (*match.Pattern, error)" ||
		a[0].Doc != "Matches reports whether s matches." {
		t.Errorf("alternatives: %+v", a)
	}
	if a := second.Alternatives; len(a) != 1 || a[0].Name != "text.AppendQuote" || a[0].Form != dependencies.Appends ||
		a[0].Doc != "AppendQuote appends s in quotes to dst." {
		t.Errorf("alternatives: %+v", a)
	}
	if diff := cmp.Diff(before, m.State(t)); diff != "" {
		t.Errorf("the module or the module cache has changed:\n%s", diff)
	}
}

// TestFindOther says why it does not read the source of another version than the recorded one.
func TestFindOther(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	calls, err := find(t, m, "v1.1.0")
	if len(calls) == 0 || err != nil || calls[0].Unread == "" || calls[0].Version != "v1.1.0" {
		t.Fatalf("%+v %v", calls, err)
	}
	for _, l := range calls[0].Hottest {
		if l.Code != "" {
			t.Errorf("the line is another one: %+v", l)
		}
	}
}

// TestFindVendored reads vendored source.
func TestFindVendored(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	m.Go(t, "mod", "vendor")
	calls, err := find(t, m, "v1.2.0")
	if err != nil || len(calls) != 2 || len(calls[0].Alternatives) != 1 || calls[0].Hottest[0].Code == "" {
		t.Fatalf("%+v %v", calls, err)
	}
}

// TestFindNothing has no calls where no other module costs.
func TestFindNothing(t *testing.T) {
	t.Parallel()
	calls, err := dependencies.Find(t.Context(), dependencies.Input{
		Own: func(profile.Function) bool { return true }, File: func(string) string { return "" },
	})
	if len(calls) > 0 || err != nil {
		t.Errorf("%v %v", calls, err)
	}
}

// TestFindHostile passes nothing from a profile to the go command that is not an import path.
func TestFindHostile(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	own := modtest.Frame{Function: "main.handle", File: filepath.Join(m.Dir, "main.go"), Code: "text.Quote"}
	var samples []modtest.Sample
	for _, name := range []string{
		"-toolexec=./evil.com/x.F", "./....F", "file=/etc/p.d/x.F", "example.com/....F", "example.com/../x.y/z.F",
		"github.com/[x.F", "example.com/a b.c/x.F",
	} {
		samples = append(samples, modtest.Sample{Value: 10, Stack: []modtest.Frame{{Function: name, File: "/x.go"}, own}})
	}
	calls, err := dependencies.Find(t.Context(), dependencies.Input{
		CPU:  modtest.Profile(t, profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, samples...),
		Dir:  filepath.Join(m.Dir, "none"), // the go command would fail
		Own:  func(f profile.Function) bool { return strings.HasPrefix(f.Name, "main.") },
		File: func(string) string { return "main.go" },
	})
	if err != nil || len(calls) == 0 {
		t.Fatalf("%+v %v", calls, err)
	}
	for _, c := range calls {
		if c.Module != "" || len(c.Alternatives) > 0 {
			t.Errorf("%+v", c)
		}
	}
}

// TestFindClosure says where the closure of a dependency is from that was inlined into own code and has its name.
func TestFindClosure(t *testing.T) {
	t.Parallel()
	m := modtest.Write(t, archive)
	m.Tidy(t)
	own := modtest.Frame{Function: "main.handle", File: filepath.Join(m.Dir, "main.go"), Code: "text.Quote"}
	closure := modtest.Frame{
		Function: "main.handle.Quote.func1", File: m.Source("example.com/text@v1.2.0") + "/text.go",
	}
	cached := modtest.Frame{
		Function: "main.handle.Matches.func2", File: "/root/go/pkg/mod/example.com/text@v1.2.0/match/match.go",
	}
	trimmed := modtest.Frame{Function: "main.handle.Matches.func3", File: "example.com/text@v1.2.0/match/match.go"}
	vendored := modtest.Frame{Function: "main.handle.Quote.func4", File: "/src/service/vendor/example.com/text/text.go"}
	var samples []modtest.Sample
	for _, f := range []modtest.Frame{cached, trimmed, vendored, closure} {
		samples = append(samples, modtest.Sample{Value: 10, Stack: []modtest.Frame{f, own}})
	}
	calls, err := dependencies.Find(t.Context(), dependencies.Input{
		CPU: modtest.Profile(t, profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, samples...), Dir: m.Dir, Env: m.Env,
		Own:  func(f profile.Function) bool { return f.Name == "main.handle" },
		File: func(string) string { return "main.go" },
	})
	if err != nil || len(calls) != 3 { // the name of a directory does not show where its module's path begins
		t.Fatalf("%+v %v", calls, err)
	}
	for _, c := range calls {
		if c.Module != "example.com/text" || c.Hottest[0].Module != "example.com/text" {
			t.Errorf("%+v", c)
		}
	}
}
