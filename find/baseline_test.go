package find_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

const accepted = `package service

import "regexp"

func first(s string) bool {
	return regexp.MustCompile("a+").MatchString(s)
}

func second(s string) bool {
	return regexp.MustCompile("b+").MatchString(s)
}
`

// findIn runs Find on a module with one file, in which every line that compiles a regular
// expression is hot.
func findIn(t *testing.T, source string) *find.Result {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/service\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "match.go"), source)
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	compile := b.Location(1, profile.None, false, profile.Line{
		Function: b.Function(profile.Function{Name: "regexp.compile", File: "/go/src/regexp/regexp.go"}), Line: 1,
	})
	own := b.Function(profile.Function{Name: "example.com/service.f", File: "example.com/service/match.go"})
	for i, line := range strings.Split(source, "\n") {
		if strings.Contains(line, "MustCompile") {
			at := b.Location(uint64(i+2), profile.None, false, profile.Line{Function: own, Line: int32(i + 1)})
			if err := b.Sample([]uint32{compile, at}, nil, 1000); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := find.Find(t.Context(), find.Profiles{CPU: b.Profile(nil)}, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBaseline checks that findings are accepted after the code around them has changed, but no
// more of them than the baseline contains, and that stale entries are listed.
func TestBaseline(t *testing.T) {
	before := findIn(t, accepted)
	if len(before.Findings) != 2 {
		t.Fatalf("%+v", before.Findings)
	}
	written, err := json.Marshal(before.Baseline())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	third := "\nfunc third(s string) bool {\n\treturn regexp.MustCompile(\"c+\").MatchString(s)\n}\n"
	again := strings.Replace(accepted, "\treturn regexp.MustCompile(\"a+\").MatchString(s)",
		"\tif !regexp.MustCompile(\"a+\").MatchString(s) {\n\t\treturn false\n\t}\n\tx := s\n\ts = x\n\treturn "+
			"regexp.MustCompile(\"a+\").MatchString(s)", 1)
	for _, test := range []struct {
		name, source string
		fresh        []string // functions of new findings
		stale        []string
	}{
		{"the same", accepted, nil, nil},
		{"lines moved", strings.Replace(accepted, "func first",
			"// A comment.\n// And another.\n\nvar unused = 1\n\nfunc first", 1), nil, nil},
		{"formatted otherwise", strings.Replace(accepted, "return regexp.MustCompile(\"a+\")",
			"return   regexp.MustCompile( /* why */ \"a+\" )", 1), nil, nil},
		{"one more", accepted + third, []string{"third"}, nil},
		{"another expression", strings.Replace(accepted, `"b+"`, `"bb+"`, 1), []string{"second"}, []string{"second"}},
		{
			"fixed", strings.Replace(accepted, "regexp.MustCompile(\"b+\").MatchString(s)", "s == \"\"", 1), nil,
			[]string{"second"},
		},
		{"twice in one function", again, []string{"first"}, nil},
	} {
		for form, text := range map[string][]byte{"baseline": written, "result": whole} {
			t.Run(test.name+"/"+form, func(t *testing.T) {
				b, err := find.ReadBaseline(strings.NewReader(string(text)), "accepted.json")
				if err != nil {
					t.Fatal(err)
				}
				r := findIn(t, test.source)
				if err := r.Accept(b, "accepted.json", func(string) bool { return true }); err != nil {
					t.Fatal(err)
				}
				var fresh, stale []string
				for _, f := range r.Findings {
					if !f.Known {
						fresh = append(fresh, f.Function)
					}
				}
				for _, id := range r.Against.Stale {
					stale = append(stale, id.Function)
				}
				if !slices.Equal(fresh, test.fresh) || !slices.Equal(stale, test.stale) || r.Against.New != len(fresh) ||
					r.Against.Known != len(r.Findings)-len(fresh) {
					t.Errorf("new %q, stale %q; want %q, %q; %+v", fresh, stale, test.fresh, test.stale, r.Against)
				}
			})
		}
	}
	// Entries of rules that did not run are not stale.
	none := findIn(t, strings.Replace(accepted, "regexp.MustCompile(\"b+\").MatchString(s)", "s == \"\"", 1))
	if err := none.Accept(before.Baseline(), "b", func(string) bool { return false }); err != nil ||
		len(none.Against.Stale) > 0 {
		t.Errorf("%v, %+v", err, none.Against)
	}
	other := before.Baseline()
	other.Module = "example.com/other"
	if err := none.Accept(other, "b", nil); err == nil || !strings.Contains(err.Error(), `"example.com/other"`) {
		t.Errorf("another module's: %v", err)
	}
}

// TestReadFindings reads results of the current schema and of the previous one.
func TestReadFindings(t *testing.T) {
	for _, schema := range []string{find.Schema, "whet.find/1"} {
		text := `{"schema":"` + schema + `","module":"m","findings":[{"identity":{"rule":"x"}}],"warnings":["y"]}`
		b, err := find.ReadBaseline(strings.NewReader(text), "b.json")
		if err != nil || len(b.Accepted) != 1 || b.Accepted[0].Rule != "x" {
			t.Errorf("%s: %+v, %v", schema, b, err)
		}
	}
}

// TestReadBaseline checks that errors state what is wrong with a file, and where.
func TestReadBaseline(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "unexpected end of JSON input",
		"{\n\"schema\": x}":       "line 2: invalid character",
		"{}":                      `unknown schema ""`,
		`{"schema":"whet.top/2"}`: `unknown schema "whet.top/2"`,
		`{"schema":"whet.find-baseline/1","accepted":[{}]}`:    "entry 1 has no rule",
		`{"schema":"whet.find-baseline/1","accepted":[1]}`:     "cannot unmarshal",
		`{"schema":"whet.find/2","findings":[{"rule":"old"}]}`: "entry 1 has no rule",
	} {
		if _, err := find.ReadBaseline(strings.NewReader(text), "b.json"); err == nil ||
			!strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "read baseline b.json: ") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadBaseline(f *testing.F) {
	f.Add(`{"schema":"whet.find-baseline/1","module":"m","accepted":[{"rule":"x","function":"f","code":"a ( )"}]}`)
	f.Add(`{"schema":"whet.find/2","findings":[{"identity":{"rule":"x"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		b, err := find.ReadBaseline(strings.NewReader(text), "b")
		if err != nil {
			return
		}
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := find.ReadBaseline(strings.NewReader(string(data)), "b")
		if err != nil || len(again.Accepted) != len(b.Accepted) {
			t.Fatalf("%v: %+v, %+v", err, b, again)
		}
	})
}

func TestOpenBaseline(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "accepted.json")
	if _, err := find.OpenBaseline(file); !errors.Is(err, os.ErrNotExist) ||
		diag.Hint(err) != "create one with --write-baseline" {
		t.Errorf("%v, hint %q", err, diag.Hint(err))
	}
	data := `{"schema": "` + find.BaselineSchema + `", "module": "example.com/x"}`
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := find.OpenBaseline(file); err != nil || b.Module != "example.com/x" {
		t.Errorf("%+v, %v", b, err)
	}
}
