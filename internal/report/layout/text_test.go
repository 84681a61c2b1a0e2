package layout

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/whet-go/whet/profile"
)

func TestFitName(t *testing.T) {
	const (
		conn    = "net/http.(*conn).serve"
		module  = "example.com/dev/shop/internal/cart.(*Store).Add"
		generic = "slices.SortFunc[go.shape.[]example.com/x/y.T,go.shape.struct { A int }].func1"
	)
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{conn, 30, conn},
		{conn, 20, "…/http.(*conn).serve"},
		{conn, 18, "http.(*conn).serve"},
		{conn, 10, "htt….serve"},
		{module, 40, "…/dev/shop/internal/cart.(*Store).Add"},
		{module, 20, "…/cart.(*Store).Add"},
		{module, 18, "cart.(*Store).Add"},
		{generic, 40, "slices.SortFunc[…].func1"},
		{"std::map<a/b, c>::find(x)", 12, "std…:find(x)"},
		{"evil\x1b[31mname", 20, "evil\ufffd[31mname"},
	} {
		if got := FitName(tt.name, tt.n); got != tt.want {
			t.Errorf("FitName(%q, %d) = %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                               "main.main",
		"net/http.(*conn).serve":                  "http.(*conn).serve",
		"github.com/a/b/v2.Do":                    "b/v2.Do",
		"gopkg.in/yaml%2ev3.Unmarshal":            "yaml.v3.Unmarshal",
		"slices.Max[go.shape.[]a/b.T]":            "slices.Max[…]",
		"a/b.F[go.shape.int].func1":               "b.F[…].func1",
		"std::vector<a/b>::push_back(int/long)":   "std::vector<a/b>::push_back(int/long)",
		"example.com/x.(*T[go.shape.string]).Run": "x.(*T[…]).Run",
		"": "",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("ShortName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestFitPath(t *testing.T) {
	for _, tt := range []struct {
		path string
		n    int
		want string
	}{
		{"a/b/c.go", 8, "a/b/c.go"},
		{"/home/dev/leftpad/pad/pad.go", 16, "…/pad/pad.go"},
		{"/home/dev/averyveryverylongname.go", 12, "…/a…gname.go"},
	} {
		got := FitPath(tt.path, tt.n)
		if Columns(got) > tt.n {
			t.Errorf("FitPath(%q, %d) = %q is too wide", tt.path, tt.n, got)
		}
		if tt.n > 12 && got != tt.want {
			t.Errorf("FitPath(%q, %d) = %q, want %q", tt.path, tt.n, got, tt.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	for _, s := range []string{
		"net/http.(*conn).serve", "main.main", "a/b/v2.F[go.shape.int]", "", "\xff\x1b[0m", "std::map<a/b>::operator[]",
		"…/…/…", "é/ü/日本.語", "[go.shape.",
	} {
		for _, n := range []int{0, 1, 2, 7, 80} {
			f.Add(s, n)
		}
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n&0xff, 1)
		for what, got := range map[string]string{
			"FitName": FitName(s, n), "FitPath": FitPath(s, n),
		} {
			if Columns(got) > n {
				t.Errorf("%s(%q, %d) = %q: %d columns", what, s, n, got, Columns(got))
			}
			if strings.ContainsFunc(got, unicode.IsControl) {
				t.Errorf("%s(%q, %d) = %q has control characters", what, s, n, got)
			}
		}
		_ = ShortName(s)
		if c := Clean(s); utf8.ValidString(s) && Columns(c) != Columns(s) {
			t.Errorf("Clean(%q) = %q changes the width", s, c)
		}
	})
}

// A TestColumnsOfVeryDifferentValues with one tiny value keeps numbers that can be read.
func TestColumnsOfVeryDifferentValues(t *testing.T) {
	delay := profile.ValueType{Type: "delay", Unit: "nanoseconds"}
	values := []int64{11_006_949_730_000, 730}
	unitName := ScaleFor(delay.Unit, values[0], slices.Values(values))
	if got := ColumnValue(values[0], delay.Unit, unitName); Columns(got) > 12 {
		t.Errorf("the largest value is %s", got)
	}
	if got := ColumnValue(values[1], delay.Unit, unitName); !strings.HasPrefix(got, "<0.01") {
		t.Errorf("the smallest value is %s", got)
	}
}

func TestPprofPercent(t *testing.T) {
	for part, want := range map[int64]string{
		0: "0%", 1: "<0.001%", 5_000: "0.0005%", -5: "<0.001%",
		500_000_000: "50.00%",
	} {
		if got := PprofPercent(part, 1_000_000_000); got != want {
			t.Errorf("%d of 1e9: %s, want %s", part, got, want)
		}
	}
}
