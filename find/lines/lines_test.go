package lines

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/profile"
)

func TestParseKinds(t *testing.T) {
	kinds, err := ParseKinds("bounds, escape,bounds")
	if err != nil || !slices.Equal(kinds, []Kind{Bounds, Escape}) {
		t.Errorf("%v, %v", kinds, err)
	}
	for _, list := range []string{"", "bounds,", "heap"} {
		if _, err := ParseKinds(list); err == nil ||
			!strings.Contains(err.Error(), "(want escape, bounds, inline, nil, other)") {
			t.Errorf("%q: %v", list, err)
		}
	}
	for name, want := range map[string]Kind{
		"leak": Escape, "isSliceInBounds": Bounds, "cannotInlineCall": Inline,
		"nilcheck": Nil, "iteration-variable-to-heap": Other,
	} {
		if got := kindOf(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestList expects lines in the order of their cost, and those without a cost by file and line.
func TestList(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go": "package m\n\nfunc A(s []int, i int) int {\n\treturn s[i]\n}\n\nfunc B(s []int, i int) int " +
			"{\n\treturn s[i]\n}\n",
		"a.go": "package m\n\nfunc C(s []int, i int) int {\n\treturn s[i]\n}\r\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for line, value := range map[int32]int64{4: 1000, 8: 3000} {
		at := b.Location(uint64(line), profile.None, false, profile.Line{
			Function: b.Function(profile.Function{Name: "example.com/m.F", File: "/src/m/m.go"}), Line: line,
		})
		if err := b.Sample([]uint32{at}, nil, value); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{
		Dir: dir, Kinds: []Kind{Bounds}, Profiles: &find.Profiles{CPU: b.Profile(nil)},
		Own: profile.OwnMatcher([]string{"example.com/m"}, nil),
	}
	want := func(found int, places ...string) {
		t.Helper()
		r, err := List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range r.Lines {
			got = append(got, l.File+":"+string(rune('0'+l.Line)))
			if strings.TrimSpace(l.Code) != "return s[i]" || len(l.Notes) != 1 || l.Notes[0].Kind != "isInBounds" {
				t.Errorf("%+v", l)
			}
		}
		if r.Found != found || !slices.Equal(got, places) || len(r.Notes) != 1 || r.Notes[0] != (Count{Bounds, 3}) {
			t.Errorf("%d lines, %q, %+v; want %d, %q", r.Found, got, r.Notes, found, places)
		}
	}
	want(3, "m.go:8", "m.go:4", "a.go:4")
	o.N = 1
	want(3, "m.go:8")
	o.N, o.Profiles = 0, nil
	want(3, "a.go:4", "m.go:4", "m.go:8")
}
