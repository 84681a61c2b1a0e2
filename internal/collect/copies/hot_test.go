package copies

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/whet-go/whet/profile"
)

// TestSymbolOf returns the declared function that a function of a profile is in, and the literal.
func TestSymbolOf(t *testing.T) {
	for name, want := range map[string][2]string{
		"main.f":                              {"main.f", ""},
		"example.com/a.b/c.(*T).Method":       {"example.com/a.b/c.(*T).Method", ""},
		"example.com/a.(*T).Method-fm":        {"example.com/a.(*T).Method", ""},
		"example.com/a.T.Method.func2":        {"example.com/a.T.Method", "example.com/a.T.Method.func2"},
		"example.com/a.f.func1.2.1":           {"example.com/a.f", "example.com/a.f.func1.2.1"},
		"example.com/a.f.func1.f.func2.func3": {"example.com/a.f.func1.f", "example.com/a.f.func1.f.func2.func3"},
		"example.com/a.f.gowrap1":             {"example.com/a.f", "example.com/a.f.gowrap1"},
		"example.com/a.f.func1.deferwrap1":    {"example.com/a.f", "example.com/a.f.func1.deferwrap1"},
		"example.com/a.f-range1":              {"example.com/a.f", ""},
		"example.com/a.f.func1-range2":        {"example.com/a.f", "example.com/a.f.func1"},
		"example.com/a.Map[go.shape.int,...]": {"example.com/a.Map", ""},
		"example.com/a.Map[...].func1":        {"example.com/a.Map", "example.com/a.Map.func1"},
		"example.com/a.(*Set[...]).Add.func1": {"example.com/a.(*Set).Add", "example.com/a.(*Set).Add.func1"},
		"main.main.func1":                     {"main.main.func1", "main.main.func1"},
		"main.main":                           {"main.main", ""},
		"example.com/a.init.func1":            {"example.com/a.init.func1", "example.com/a.init.func1"},
		"example.com/a.init.0.func1":          {"example.com/a.init.0.func1", "example.com/a.init.0.func1"},
		"example.com/a.func1":                 {"example.com/a", "example.com/a.func1"},
	} {
		if symbol, literal := symbolOf(name); symbol != want[0] || literal != want[1] {
			t.Errorf("%s: %q, %q, want %q", name, symbol, literal, want)
		}
	}
}

// stacks makes a CPU profile: each stack has its weight, and then its functions, leaf first.
func stacks(t *testing.T, weights map[string]int64) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for stack, weight := range weights {
		var at []uint32
		for name := range strings.SplitSeq(stack, " ") {
			fn := b.Function(profile.Function{Name: name, File: name + ".go"})
			at = append(at, b.Location(0, profile.None, false, profile.Line{Function: fn, Line: 1}))
		}
		if err := b.Sample(at, nil, weight); err != nil {
			t.Fatal(err)
		}
	}
	return b.Profile(nil)
}

func own(f profile.Function) bool { return !strings.HasPrefix(f.Name, "runtime.") }

// TestHottest orders functions by the CPU time of their lines. A caller has a quarter of it, the caller of that a
// sixteenth, and others nothing.
func TestHottest(t *testing.T) {
	p := stacks(t, map[string]int64{
		"runtime.copy a.leaf a.mid runtime.call a.top a.far": 1600,
		"a.other.func1 a.other a.leaf":                       500,
		"a.leaf a.leaf a.recursive":                          40,
		"main.main.func1 main.main":                          300,
		"a.rare":                                             1,
	})
	want := []Function{
		{"a.leaf", nil},                                  // 1600 + 500/4 + 40
		{"a.other", []string{"a.other.func1"}},           // 500, once
		{"a.mid", nil},                                   // 1600/4
		{"main.main.func1", []string{"main.main.func1"}}, // 300
		{"a.top", nil},                                   // 1600/16
		{"main.main", nil},                               // 300/4
	}
	if got := Hottest(p, own); !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	many := map[string]int64{}
	for _, name := range strings.Split("abcdefghijkl", "") {
		many["a."+name] = 100
	}
	if got := Hottest(stacks(t, many), own); len(got) != hotFunctions || got[0].Symbol != "a.a" {
		t.Errorf("%v", got)
	}
}

// TestRank ranks functions by name or by CPU time, and has errors that name what is missing.
func TestRank(t *testing.T) {
	p := stacks(t, map[string]int64{"a.f.func1 a.g": 100, "main.main.func2": 90, "runtime.idle": 10})
	for _, test := range []struct {
		functions *regexp.Regexp
		want      map[string]int
	}{
		{nil, map[string]int{
			"a.f": 0, "a.f.func1": 0, "a.f.func2": -1, "main.main.func2": 1, "main.main": -1, "a.g": 2, "runtime.idle": -1,
		}},
		{regexp.MustCompile(`^a\.`), map[string]int{"a.f": 0, "a.anything": 0, "main.main": -1}},
	} {
		rank, err := Rank(test.functions, p, own)
		if err != nil {
			t.Fatal(err)
		}
		for symbol, want := range test.want {
			if got := rank(symbol); got != want {
				t.Errorf("%v: %s has rank %d, want %d", test.functions, symbol, got, want)
			}
		}
	}
	if _, err := Rank(nil, nil, own); err == nil || !strings.Contains(err.Error(), "no CPU profile") {
		t.Errorf("without a profile: %v", err)
	}
	idle := stacks(t, map[string]int64{"runtime.idle": 10})
	if _, err := Rank(nil, idle, own); err == nil || !strings.Contains(err.Error(), "no function of own code") {
		t.Errorf("without own code: %v", err)
	}
	if _, err := Rank(regexp.MustCompile("x"), nil, own); err != nil {
		t.Errorf("by name, without a profile: %v", err)
	}
}
