package listings

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
)

// headerOf is what the reports need of the facts that the command line knows.
func headerOf(v *profile.View) documents.Header {
	return documents.Header{SampleType: v.Type(), Total: v.Total()}
}

func TestListText(t *testing.T) {
	v := oracletest.Bind(t, oracletest.Calls(t), profile.Query{By: profile.ByLine})
	r, err := documents.NewList(headerOf(v), v, listing.ListOptions{
		Match: regexp.MustCompile(`main\.(f|main)`), Source: oracletest.Sources,
		Context: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := oracletest.WriteString(t, func(b *bytes.Buffer) error { return WriteList(b, layout.Style{}, r) })
	const want = `Total: 90ns cpu
ROUTINE ======================== main.f in /src/main.go
      20ns       90ns (flat, cum) 100% of total
  source from /found/main.go
         .          .             11      main.go line 11
      20ns       20ns  22.22%     12      main.go line 12
         .       30ns  33.33%     13      main.go line 13
                 20ns                   → lib.g
                 10ns                   → lib.h
         .       40ns  44.44%     14      main.go line 14
         .       30ns                   ⤷ lib.inl lib.go:6  lib.go line 6
      30ns       30ns                     ⤷ lib.deep lib.go:8  lib.go line 8
         .       10ns                   ⤷ lib.inl lib.go:7  lib.go line 7
                 10ns                     → lib.g
         .       10ns  11.11%     15      main.go line 15
                 10ns                   → main.f
         .       10ns  11.11%     16      main.go line 16
                 10ns                   → main.f
         .          .             17      main.go line 17
ROUTINE ======================== main.main in /src/main.go
         0       90ns (flat, cum) 100% of total
  source from /found/main.go
         .          .              2      main.go line 2
         .       90ns    100%      3      main.go line 3
                 90ns                   → main.f
         .          .              4      main.go line 4
`
	if got != want {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

// TestListPreempted checks that the preemption of a line does not look like a call.
func TestListPreempted(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds",
		oracletest.Sample{Stack: "main.main:3 main.f:12 runtime.asyncPreempt:5 runtime.asyncPreempt2:7", Values: []int64{10}},
		oracletest.Sample{Stack: "main.main:3 main.f:12 lib.g:2", Values: []int64{20}},
	)
	v := oracletest.Bind(t, p, profile.Query{By: profile.ByLine})
	r, err := documents.NewList(headerOf(v), v,
		listing.ListOptions{Match: regexp.MustCompile(`main\.f`), Source: oracletest.Sources})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteList(&b, layout.Style{}, r); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); !strings.Contains(out, "10ns                   preempted here (runtime.asyncPreempt)") ||
		strings.Contains(out, "→ runtime.asyncPreempt") {
		t.Errorf("%s", out)
	}
}

func TestListWithoutSource(t *testing.T) {
	v := oracletest.Bind(t, oracletest.Calls(t), profile.Query{By: profile.ByLine})
	missing := func(string) ([]string, string, error) { return nil, "", errors.New("not in the module cache") }
	r, err := documents.NewList(headerOf(v), v,
		listing.ListOptions{Match: regexp.MustCompile(`main\.f`), Source: missing, Context: -1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Functions[0].Lines); n != 5 {
		t.Errorf("%d lines, want the 5 with cost", n)
	}
	r.Functions = append(r.Functions, r.Functions[0]) // another function of the file
	if diff := cmp.Diff([]string{"/src/main.go"}, r.MissingSource()); diff != "" {
		t.Error(diff)
	}
	text := oracletest.WriteString(t, func(b *bytes.Buffer) error { return WriteList(b, layout.Style{}, r) })
	for _, want := range []string{"no source text: not in the module cache", "      20ns       20ns  22.22%     12\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestListStaleSource(t *testing.T) {
	v := oracletest.Bind(t, oracletest.Calls(t), profile.Query{By: profile.ByLine})
	for first, want := range map[string]bool{"func (t *T) f() {": false, "x := 1": true, "": true} {
		r, err := documents.NewList(headerOf(v), v, listing.ListOptions{
			Match: regexp.MustCompile(`main\.f`), Context: 0,
			Source: func(string) ([]string, string, error) {
				return []string{first}, "here", nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		text := oracletest.WriteString(t, func(b *bytes.Buffer) error { return WriteList(b, layout.Style{}, r) })
		if got := r.Functions[0].Stale; got != want || strings.Contains(text, "not the source that was compiled") != want {
			t.Errorf("first line %q: stale is %v", first, got)
		}
	}
}

// On a narrow terminal no line of code or heading is broken, and what a call cost is
// still there.
func TestListingsFitNarrowTerminals(t *testing.T) {
	h := documents.Header{SampleType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Total: 1e9}
	style := layout.Style{Width: 80}
	disasm := &documents.Disasm{Header: h, Functions: []listing.DisasmFunction{{
		Name: "main.run", Cum: 1e9, Binary: "/tmp/run",
		Insts: []listing.DisasmInst{{
			Address: 0x6927b8, Text: "CALL encoding/json.(*Encoder).encodeTheWholeThing(SB)", Cum: 1e7,
			Calls: []listing.ListCall{
				{Function: "encoding/json.(*Encoder).encodeTheWholeThing", Cum: 1e7},
				{Function: "runtime.morestack", Cum: 1},
			},
		}, {
			Address: 0x6927bd, Text: "CALL main.f(SB)", Cum: 1e7, Calls: []listing.ListCall{{Function: "main.f", Cum: 1e7}},
		}},
	}}}
	list := &documents.List{Header: h, Functions: []listing.ListFunction{{
		Name: "main.(*server).timed", File: "/home/username/src/example.com/service/internal/handlers.go",
	}}}
	var out bytes.Buffer
	if err := WriteDisasm(&out, style, disasm); err != nil {
		t.Fatal(err)
	}
	if err := WriteList(&out, style, list); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := layout.Columns(strings.TrimSuffix(line, "\n")); n > style.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"CALL main.f(SB)", "main.f 10ms", "10ms, …", "in …/internal/handlers.go"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
