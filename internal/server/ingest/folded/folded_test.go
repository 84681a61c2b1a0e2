package folded

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/profile"
)

func cpu() Options {
	return Options{
		Types: []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Scale: []int64{1, 10_000_000}, MaxStacks: 1000, MaxDepth: 100,
	}
}

// stacks returns the samples of a profile, from the root to the leaf, with their first value.
func stacks(p *profile.Profile) map[string]int64 {
	got := map[string]int64{}
	for i := range p.NumSamples() {
		var names []string
		for _, loc := range p.AppendStack(nil, i) {
			names = append(names, p.Functions[p.Frames(loc)[0].Function].Name)
		}
		slices.Reverse(names)
		got[strings.Join(names, ";")] += p.Value(i, 0)
	}
	return got
}

func TestParse(t *testing.T) {
	t.Parallel()
	p, err := Parse([]byte("main;handle;encode 3\n\n main;handle 2\r\nmain;handle;encode 4\nmain;func with space 1"),
		cpu())
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Sum(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}); got != 100_000_000 {
		t.Errorf("cpu: %d", got)
	}
	want := map[string]int64{"main;handle;encode": 7, "main;handle": 2, "main;func with space": 1}
	if got := stacks(p); p.NumSamples() != 3 || !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	o := cpu()
	o.Plain = true
	p, err = Parse([]byte("main;handle 1\nmain;handle 1\nmain\n"), o)
	if err != nil {
		t.Fatal(err)
	}
	if p.NumSamples() != 2 || p.Sum(o.Types[0]) != 3 {
		t.Errorf("plain: %d samples, %d counts", p.NumSamples(), p.Sum(o.Types[0]))
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"main;a 1\nmain":                  "line 2: \"main\" has no count",
		"main;a x":                        "is not a count",
		"main;a -1":                       "is not a count",
		"main 9223372036854775807":        "too large",
		"main 99999999999999999999":       "is not a count",
		strings.Repeat("a;", 200) + "a 1": "more than 100 frames",
	} {
		if _, err := Parse([]byte(text), cpu()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	o := cpu()
	o.MaxStacks = 2
	_, err := Parse([]byte("a 1\nb 1\nc 1\n"), o)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Line != 3 {
		t.Errorf("three stacks of two: %v", err)
	}
	o = cpu()
	o.MaxFunctions = 2
	if _, err = Parse([]byte("a;b;a 1\na;c 1\n"), o); !errors.As(err, &limit) || limit.What != "functions" {
		t.Errorf("three functions of two: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("main;handle;encode 3\nmain 1\n"), false)
	f.Add([]byte("main;;\n;\n ; 1\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, plain bool) {
		o := cpu()
		o.Plain = plain
		p, err := Parse(text, o)
		if err != nil {
			return
		}
		if n := bytes.Count(text, []byte("\n")) + 1; p.NumSamples() > min(n, o.MaxStacks) {
			t.Errorf("%d samples of %d lines", p.NumSamples(), n)
		}
	})
}
