package gotest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
)

func TestParseProgramFlags(t *testing.T) {
	flags, env, err := gotest.ParseProgramFlags("-tags fast GOGC=off")
	if err != nil || !slices.Equal(flags, []string{"-tags=fast"}) || !slices.Equal(env, []string{"GOGC=off"}) {
		t.Errorf("%q, %q, %v", flags, env, err)
	}
	for text, want := range map[string]string{
		"-pgo=off":     "-pgo is set by the comparison",
		"-tags x -a":   "-a is set by --build-time",
		"-frob":        "not a go build flag",
		"-tags 'x":     "quote",
		"./cmd/server": "neither a flag nor KEY=value",
	} {
		if flags, _, err := gotest.ParseProgramFlags(text); err == nil || flags != nil ||
			!strings.Contains(err.Error(), want) || diag.Hint(err) == "" {
			t.Errorf("%s: %v, want %q with a hint", text, err, want)
		}
	}
}

func TestParseBenchTime(t *testing.T) {
	for text, want := range map[string]gotest.RunOptions{
		"100ms": {Time: 100 * time.Millisecond}, "1000x": {Iterations: 1000}, "59s": {Time: 59 * time.Second},
	} {
		o, err := gotest.ParseBenchTime(text, time.Minute)
		if err != nil || o.Time != want.Time || o.Iterations != want.Iterations || o.Timeout != time.Minute {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
	for text, want := range map[string]string{
		"0x": "iterations", "manyx": "iterations", "0s": "neither", "-1s": "neither", "1": "neither", "60s": "timeout",
	} {
		if _, err := gotest.ParseBenchTime(text, time.Minute); err == nil || !strings.Contains(err.Error(), want) ||
			diag.Hint(err) == "" {
			t.Errorf("%s: %v, want one about %s, with a hint", text, err, want)
		}
	}
}

func TestParseProcs(t *testing.T) {
	for text, want := range map[string][]int{"": {0}, "1": {1}, "1, 2,4": {1, 2, 4}, "0": nil, "1,,2": nil, "x": nil} {
		if got, err := gotest.ParseProcs(text); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}
