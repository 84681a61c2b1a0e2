package workorder_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/recording"
)

// recorded returns a recording with sampled calls.
func recorded(t *testing.T, calls string) *recording.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.whet")
	w, err := recording.Create(path, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if calls != "" {
		if err := w.AddJSON("arguments/calls.json", json.RawMessage(calls)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // was only read
	return r
}

// TestCapturedIn summarizes the arguments of one function, and has nothing for others.
func TestCapturedIn(t *testing.T) {
	r := recorded(t, `{"schema": "whet.arguments/1", "functions": [
		{"package": "example.com/m/text", "name": "Other", "parameters": ["x"]},
		{"package": "example.com/m/text", "name": "(*List).Add", "receiver": true, "parameters": ["word", "n"],
		 "taken": 312, "rate": 1280.5, "calls": [
			{"arguments": [{"kind": "pointer", "type": "*text.List", "items": []},
				{"kind": "string", "type": "string", "len": 2, "text": "ab"}, {"kind": "int", "text": "7"}]},
			{"arguments": [{"kind": "nil"}, {"kind": "string", "type": "string", "len": 900, "text": "`+
		strings.Repeat("é", 100)+`"}, {"kind": "int", "text": "7"}]},
			{"arguments": [{"kind": "nil"}, {"kind": "string", "len": 12, "why": "redacted: card number"},
				{"kind": "int", "text": "1"}]}
		]}]}`)
	got, err := workorder.CapturedIn(r, "example.com/m/text", "(*List).Add")
	want := &workorder.Captured{Taken: 312, Rate: 1280.5, Parameters: []workorder.Argument{
		{Name: "receiver", Type: "*text.List"},
		{
			Name: "word", Type: "string", Lengths: []int{2, 12, 900}, Values: []string{"ab", strings.Repeat("é", 40) + "…"},
			Missing: []string{"redacted: card number"},
		},
		{Name: "n", Values: []string{"7", "1"}},
	}}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%v\n%s\n%s", err, a, b)
	}
	for _, name := range []string{"Add", "(*Other).Add"} {
		if got, err := workorder.CapturedIn(r, "example.com/m/text", name); got != nil || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := workorder.CapturedIn(recorded(t, ""), "example.com/m/text", "Add"); got != nil || err != nil {
		t.Errorf("without sampled calls: %v, %v", got, err)
	}
	for _, bad := range []string{`{"schema": "whet.arguments/9"}`, `[]`} {
		if got, err := workorder.CapturedIn(recorded(t, bad), "m", "F"); err == nil {
			t.Errorf("%s: %v", bad, got)
		}
	}
}
