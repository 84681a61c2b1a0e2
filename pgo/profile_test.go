package pgo

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// compilersProfile returns a real profile that every Go installation has.
func compilersProfile(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src", "cmd", "compile", "default.pgo")
}

func readProfile(t *testing.T, path string) *profile.Profile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(data, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func writeProfile(t *testing.T, path string, p *profile.Profile) {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// preprofile returns what the compiler uses of a profile.
func preprofile(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "preprofile", "-i", path).CombinedOutput()
	if err != nil {
		t.Fatalf("preprofile: %v\n%s", err, out)
	}
	return string(out)
}

// TestReduceOracle checks that the compiler sees the same in a reduced profile, and that Edges
// returns what it sees.
func TestReduceOracle(t *testing.T) {
	path := compilersProfile(t)
	want := preprofile(t, path)
	p := readProfile(t, path)
	if got := asPreprofile(Edges(p)); got != want {
		t.Error("Edges differ from what preprofile makes of the profile")
	}
	reduced, err := Reduce(p)
	if err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "small.pgo")
	writeProfile(t, small, reduced)
	if got := preprofile(t, small); got != want {
		t.Error("preprofile makes something else of the reduced profile")
	}
	if got := asPreprofile(Edges(readProfile(t, small))); got != want {
		t.Error("Edges of the reduced profile differ")
	}
	before, after := size(t, path), size(t, small)
	if after >= before {
		t.Errorf("reduced from %d to %d bytes", before, after)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Size()
}

// asPreprofile writes edges as cmd/preprofile does.
func asPreprofile(edges []Edge) string {
	var b strings.Builder
	b.WriteString("GO PREPROFILE V1\n")
	for _, e := range edges {
		b.WriteString(e.Caller + "\n" + e.Callee + "\n" + strconv.Itoa(e.Offset) + " " + strconv.Itoa(int(e.Weight)) + "\n")
	}
	return b.String()
}

// handmade returns a profile with one ordinary stack, main.leaf called by main.work twelve lines
// below its start, a recursion, and a frame without symbols.
func handmade(t *testing.T, startLine int64, types ...profile.ValueType) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(types...)
	leaf := b.Function(profile.Function{Name: "main.leaf", File: "main.go", StartLine: startLine})
	work := b.Function(profile.Function{Name: "main.work", File: "main.go", StartLine: startLine * 2})
	root := b.Function(profile.Function{Name: "main.main", File: "main.go", StartLine: startLine * 3})
	in := func(addr uint64, lines ...profile.Line) uint32 {
		return b.Location(addr, profile.None, false, lines...)
	}
	sample := func(stack ...uint32) {
		values := make([]int64, len(types))
		for i := range values {
			values[i] = int64(i) + 5
		}
		if err := b.Sample(stack, []profile.Label{{Key: "k", Str: "v"}}, values...); err != nil {
			t.Fatal(err)
		}
	}
	inlined := in(1, profile.Line{Function: leaf, Line: 11}, profile.Line{Function: work, Line: 32})
	caller := in(2, profile.Line{Function: root, Line: 31})
	again := in(3, profile.Line{Function: work, Line: 33})
	unknown := in(4)
	sample(inlined, caller)
	sample(inlined, caller, caller)
	sample(again, again, caller)
	sample(inlined, inlined)
	sample(unknown, caller)
	sample(unknown)
	return b.Profile(nil)
}

func cpu() []profile.ValueType {
	return []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}
}

func TestReduceHandmade(t *testing.T) {
	p := handmade(t, 10, cpu()...)
	dir := t.TempDir()
	writeProfile(t, filepath.Join(dir, "full"), p)
	reduced, err := Reduce(p)
	if err != nil {
		t.Fatal(err)
	}
	if reduced.HasLabels() {
		t.Error("labels are left")
	}
	writeProfile(t, filepath.Join(dir, "small"), reduced)
	want := preprofile(t, filepath.Join(dir, "full"))
	if got := preprofile(t, filepath.Join(dir, "small")); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := asPreprofile(Edges(p)); got != want {
		t.Errorf("Edges: got\n%swant\n%s", got, want)
	}
	if !strings.Contains(want, "main.work\nmain.leaf\n12 15\n") {
		t.Errorf("not the edge that was made:\n%s", want)
	}
}

func TestReduceErrors(t *testing.T) {
	heap := []profile.ValueType{{Type: "alloc_space", Unit: "bytes"}}
	for _, tt := range []struct {
		name string
		p    *profile.Profile
		err  error
		hint string
	}{
		{"heap", handmade(t, 10, heap...), ErrNotCPU, "/debug/pprof/profile"},
		{"no start lines", handmade(t, 0, cpu()...), ErrNoStartLine, "Go 1.20"},
		{"empty", profile.NewBuilder(cpu()...).Profile(nil), ErrEmpty, "while it is busy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Reduce(tt.p)
			if !errors.Is(err, tt.err) || !strings.Contains(diag.Hint(err), tt.hint) {
				t.Errorf("error %v, hint %q", err, diag.Hint(err))
			}
		})
	}
}

func TestRename(t *testing.T) {
	reduced, err := Reduce(handmade(t, 10, cpu()...))
	if err != nil {
		t.Fatal(err)
	}
	there, err := renamePackage(reduced, "main", "example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	if e := Edges(there)[0]; e.Caller != "example.com/m.work" || e.Callee != "example.com/m.leaf" {
		t.Errorf("renamed edge %+v", e)
	}
	back, err := renamePackage(there, "example.com/m", "main")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asPreprofile(Edges(back)), asPreprofile(Edges(reduced)); got != want {
		t.Errorf("there and back: got\n%swant\n%s", got, want)
	}
}

func TestHot(t *testing.T) {
	edges := []Edge{{Weight: 900}, {Weight: 95}, {Weight: 4}, {Weight: 1}}
	if got := len(hotEdges(edges)); got != 2 {
		t.Errorf("%d hot edges, want 2: 995 of 1000 are more than 99%%", got)
	}
	if got := hotEdges(nil); len(got) != 0 {
		t.Errorf("hot edges of nothing: %v", got)
	}
}
