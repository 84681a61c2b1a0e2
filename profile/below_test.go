package profile_test

import (
	"regexp"
	"testing"

	"github.com/whet-go/whet/profile"
)

// TestBelow counts a sample once, however often a function is in its stack.
func TestBelow(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(names ...string) (stack []uint32) {
		for _, name := range names {
			fn := b.Function(profile.Function{Name: name})
			stack = append(stack, b.Location(0, profile.None, false, profile.Line{Function: fn, Line: 1}))
		}
		return stack
	}
	for _, s := range []struct {
		stack []uint32
		value int64
	}{
		{at("leaf", "walk", "walk", "main"), 10}, {at("walk", "main"), 20}, {at("leaf", "main"), 40},
	} {
		if err := b.Sample(s.stack, nil, s.value); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile(&profile.Profile{})
	for pattern, want := range map[string]int64{"^walk$": 30, "^leaf$": 50, "main": 70, "none": 0} {
		if got := p.Below(0, regexp.MustCompile(pattern)); got != want {
			t.Errorf("%s: %d, want %d", pattern, got, want)
		}
	}
}
