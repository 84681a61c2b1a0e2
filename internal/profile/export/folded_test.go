package export

import (
	"bytes"
	"regexp"
	"testing"

	untrusted "github.com/whet-go/whet/internal/hostile"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

func TestFolded(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds",
		oracletest.Sample{Stack: "main.main main.a >main.b", Values: []int64{10}},
		oracletest.Sample{Stack: "main.main main.c", Values: []int64{5}},
		oracletest.Sample{Stack: "main.main main.a >main.b", Values: []int64{7}, Labels: map[string][]string{"k": {"v"}}},
		oracletest.Sample{Stack: "main.main", Values: []int64{1}},
		oracletest.Sample{Stack: "main.main main.zero", Values: []int64{3}},
		oracletest.Sample{Stack: "main.main main.zero", Values: []int64{-3}, Labels: map[string][]string{"k": {"v"}}},
		oracletest.Sample{Stack: "", Values: []int64{2}},
		oracletest.Sample{Stack: "main.f[a;b]", Values: []int64{4}},
	)
	want := map[string]int64{
		"main.main;main.a;main.b": 17,
		"main.main;main.c":        5,
		"main.main":               1,
		"main.f[a%3Bb]":           4,
		"[no stack]":              2,
	}
	v := oracletest.Bind(t, p, profile.Query{})
	first := oracletest.WriteString(t, func(b *bytes.Buffer) error { return Folded(b, v) })
	if diff := cmp.Diff(want, parseFolded(t, first)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for range 5 {
		again := oracletest.WriteString(t,
			func(b *bytes.Buffer) error { return Folded(b, oracletest.Bind(t, p, profile.Query{})) })
		if again != first {
			t.Fatalf("order changes from run to run:\n%s\n%s", first, again)
		}
	}
	byLine := foldedOf(t, oracletest.Bind(t, p, profile.Query{By: profile.ByLine, Focus: regexp.MustCompile("main.c$")}))
	if diff := cmp.Diff(map[string]int64{"main.main /src/main.go:1;main.c /src/main.go:1": 5}, byLine); diff != "" {
		t.Errorf("by line (-want +got)\n%s", diff)
	}
}

func TestFoldedEscape(t *testing.T) {
	if left := untrusted.Left(foldedEscape(untrusted.Terminal)); left != "" {
		t.Errorf("%q is left", left)
	}
	for in, want := range map[string]string{
		"main.(*T).f":              "main.(*T).f",
		"a\u200b;\xff":             "a%E2%80%8B%3B%FF",
		"main.f[struct { A; B }]":  "main.f[struct { A%3B B }]",
		"two\nlines\r":             "two%0Alines%0D",
		"gopkg.in/yaml%2ev3.parse": "gopkg.in/yaml%2ev3.parse",
		"π;":                       "π%3B",
	} {
		if got := foldedEscape(in); got != want {
			t.Errorf("foldedEscape(%q) = %q, want %q", in, got, want)
		}
	}
}
