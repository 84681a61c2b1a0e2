package arguments

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/capture/support"
)

func value(kind, text string) support.Value {
	v := support.Value{Kind: kind, Text: text}
	if kind == support.KindString {
		v.Len = len(text)
	}
	return v
}

// document returns one with a function that was called with some texts.
func document(texts ...string) *Document {
	f := support.Function{
		Package: "example.com/a", Name: "(*T).Pad", Receiver: true, Parameters: []string{"s", "n"}, Results: []string{""},
		Taken: int64(len(texts)),
	}
	for i, text := range texts {
		f.Calls = append(f.Calls, support.Call{
			Arguments: []support.Value{
				{Kind: support.KindPointer, Type: "*a.T", Why: "unread"},
				value(support.KindString, text),
				value(support.KindInt, strings.Repeat("1", i%3+1)),
			},
			Results: []support.Value{value(support.KindString, text)},
		})
	}
	return &Document{Schema: support.Schema, Functions: []support.Function{f}}
}

func encode(t testing.TB, d *Document) []byte {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRead checks that the documents of several processes are merged, and that secrets are removed that a process left.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, d := range map[string]*Document{"1.json": document("a", "bb"), "2.json": document("Bearer opensesame")} {
		if err := os.WriteFile(filepath.Join(dir, name), encode(t, d), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	redactor, err := NewRedactor("")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(dir, redactor)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Functions) != 1 || d.Functions[0].Taken != 3 || len(d.Functions[0].Calls) != 3 {
		t.Errorf("merged to %+v", d.Functions)
	}
	if text := string(encode(t, d)); strings.Contains(text, "opensesame") || !strings.Contains(text, support.Redacted) {
		t.Errorf("a secret is left: %s", text)
	}
	if empty, err := Read(t.TempDir(), redactor); err != nil || len(empty.Functions) != 0 {
		t.Errorf("an empty directory has %v, error %v", empty, err)
	}
}

// TestDecode checks the errors for what no recorder writes.
func TestDecode(t *testing.T) {
	deep := document("a")
	v := support.Value{Kind: support.KindNil}
	for range maxDepth + 2 {
		v = support.Value{Kind: support.KindPointer, Items: []support.Value{v}}
	}
	deep.Functions[0].Calls[0].Arguments[1] = v
	one := func(rest string) string {
		return `{"schema":"whet.arguments/1","functions":[{"package":"p","name":"f",` + rest + `}]}`
	}
	for want, text := range map[string]string{
		"unexpected end":      `{`,
		"schema":              `{"schema":"whet.arguments/9"}`,
		"unknown kind":        strings.ReplaceAll(string(encode(t, document("a"))), `"kind":"string"`, `"kind":"magic"`),
		"has 1 arguments":     one(`"calls":[{"arguments":[{"kind":"nil"}]}]`),
		"without a name":      `{"schema":"whet.arguments/1","functions":[{"package":"p"}]}`,
		"a count is negative": one(`"taken":-1`),
		"more than 64 deep":   string(encode(t, deep)),
		"a key without":       one(`"parameters":["m"],"calls":[{"arguments":[{"kind":"map","items":[{"kind":"nil"}]}]}]`),
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Decode(make([]byte, MaxDocument+1)); err == nil {
		t.Error("a document that is too large is read")
	}
}

// TestSummarize checks sizes, frequencies and reasons.
func TestSummarize(t *testing.T) {
	s := Summarize(document("abc", "abc", "x", strings.Repeat("y", 100)))
	if len(s) != 1 || s[0].Kept != 4 || len(s[0].Arguments) != 3 || len(s[0].Results) != 1 {
		t.Fatalf("got %+v", s)
	}
	text := s[0].Arguments[1]
	if z := text.Size; z == nil || z.Min != 1 || z.Max != 100 || z.Median != 3 || z.Of != "length" {
		t.Errorf("sizes are %+v", text.Size)
	}
	if text.Values[0] != (Frequent{`"abc"`, 2}) {
		t.Errorf("values are %+v", text.Values)
	}
	if s[0].Arguments[0].Missing["unread"] != 4 {
		t.Errorf("reasons are %v", s[0].Arguments[0].Missing)
	}
}

// TestText checks how values are written.
func TestText(t *testing.T) {
	for want, v := range map[string]support.Value{
		`{A: 1, B: [redacted: B]}`: {Kind: support.KindStruct, Fields: []support.Field{
			{Name: "A", Value: value(support.KindInt, "1")},
			{Name: "B", Value: support.Value{Kind: support.KindOmitted, Why: "redacted: B"}},
		}},
		`100 {"a"}[limit]`: {
			Kind: support.KindSlice, Len: 100, Items: []support.Value{value(support.KindString, "a")}, Why: "limit",
		},
		`{"k": 1}`: {
			Kind: support.KindMap, Len: 1, Items: []support.Value{value(support.KindString, "k"), value(support.KindInt, "1")},
		},
		`map[string]int {"k": 1}`: {Kind: support.KindReflected, Type: "map[string]int", Items: []support.Value{{
			Kind: support.KindMap, Len: 1, Items: []support.Value{value(support.KindString, "k"), value(support.KindInt, "1")},
		}}},
		`&{}`:                         {Kind: support.KindPointer, Items: []support.Value{{Kind: support.KindStruct}}},
		`[20 bytes, redacted: token]`: {Kind: support.KindString, Len: 20, Why: "redacted: token"},
		`"ab"… (7 bytes)`:             {Kind: support.KindBytes, Len: 7, Text: "ab"},
	} {
		if got := Text(&v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// FuzzDecode checks that no document makes reading or describing it fail in another way than with an error.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, document("a", "b")))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Decode(data)
		if err != nil {
			return
		}
		Summarize(d)
		again, err := Decode(encode(t, d))
		if err != nil || len(again.Functions) != len(d.Functions) {
			t.Errorf("it cannot be read again: %v", err)
		}
	})
}
