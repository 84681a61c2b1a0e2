package strength_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/prove/mutants"
	"github.com/whet-go/whet/internal/prove/strength"
)

// program returns a check that reaches some mutants, by their numbers, and notices others.
func program(t *testing.T, what string, reaches, notices []int, broken error) *strength.Check {
	t.Helper()
	return &strength.Check{What: what, Inputs: what == "inputs", Run: func(_ context.Context, env ...string) error {
		for _, v := range env {
			switch name, value, _ := strings.Cut(v, "="); name {
			case mutants.ReachedEnv:
				var text strings.Builder
				for _, n := range reaches {
					fmt.Fprintln(&text, n)
				}
				if err := os.WriteFile(value, []byte(text.String()), 0o600); err != nil {
					t.Error(err)
				}
			case mutants.Env:
				if slices.ContainsFunc(notices, func(n int) bool { return fmt.Sprint(n) == value }) {
					return errors.New("noticed")
				}
			}
		}
		return broken
	}}
}

// TestWeak checks what share of the mutants must be noticed.
func TestWeak(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mutants, noticed int
		want             bool
	}{{0, 0, false}, {4, 0, false}, {5, 0, true}, {5, 3, true}, {5, 4, false}, {8, 5, true}, {8, 6, false}} {
		if s := (&strength.Strength{Mutants: test.mutants, Noticed: test.noticed}); s.Weak() != test.want {
			t.Errorf("%d of %d mutants noticed: weak is %v", test.noticed, test.mutants, s.Weak())
		}
	}
	if (*strength.Strength)(nil).Weak() {
		t.Error("an unknown strength is weak")
	}
}

// TestTry counts what programs notice, leaves out those that fail without a mutant, and lists the
// mutants that remain.
func TestTry(t *testing.T) {
	t.Parallel()
	list := make([]mutants.Mutant, 6)
	for i := range list {
		list[i].Line = 10 + i
	}
	s := &strength.Strength{}
	err := s.Try(t.Context(), list, []*strength.Check{
		program(t, "inputs", []int{1, 2, 3}, []int{1, 2}, nil),
		program(t, "the tests of a", []int{2, 3, 4, 5}, []int{2, 4}, nil),
		program(t, "the tests of b", []int{6}, []int{6}, errors.New("it fails")),
	}, time.Minute, t.TempDir(), func(m *mutants.Mutant) (file, diff string, err error) {
		return "a.go", fmt.Sprintf("-%d\n", m.Line), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Mutants != 6 || s.Noticed != 3 || s.ByInputs+s.ByTests != 3 || s.Unreached != 1 || s.Untried != 0 ||
		!s.Weak() ||
		!slices.Equal(s.Skipped, []string{"the tests of b do not pass in a build with mutants"}) {
		t.Errorf("%+v", s)
	}
	var lines []int
	for _, one := range s.Survivors {
		lines = append(lines, one.Line)
		if one.File != "a.go" || one.Diff != fmt.Sprintf("-%d\n", one.Line) || one.Reached != (one.Line != 15) {
			t.Errorf("%+v", one)
		}
	}
	if !slices.Equal(lines, []int{12, 14, 15}) {
		t.Errorf("survivors are on lines %v", lines)
	}
	none := &strength.Strength{}
	err = none.Try(t.Context(), list, nil, time.Minute, t.TempDir(), nil)
	if err != nil || none.Untried != 6 || none.Weak() {
		t.Errorf("without programs: %+v, %v", none, err)
	}
}
