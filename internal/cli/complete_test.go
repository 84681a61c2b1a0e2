package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/profile"
)

func TestFunctionNames(t *testing.T) {
	functions := []profile.Function{
		{Name: "example.com/app.Handle"},
		{Name: "example.com/app.(*Server).HandleAll"},
		{Name: "example.com/app.handle"},
		{Name: "net/http.(*conn).serve"},
		{Name: "example.com/app.Map[...].Handled"},
		{Name: "example.com/app.Handle"},
	}
	own := func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/app.") }
	for prefix, want := range map[string][]string{
		"Han":     {"Handle", "HandleAll", "Handled"},
		"example": {"example.com/app.Handle", "example.com/app.handle"},
		"serve":   nil,
	} {
		var got []string
		for _, c := range functionNames(functions, own, prefix) {
			name, _, _ := strings.Cut(c, "\t")
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", prefix, got, want)
		}
	}
}
