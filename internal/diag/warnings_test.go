package diag_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

func TestWarningsJSON(t *testing.T) {
	type document struct {
		Warnings diag.Warnings `json:"warnings,omitempty"`
	}
	in := document{diag.Warnings{
		{Text: "plain"},
		{Kind: "generator_late", Where: "A", Text: "sent late", Hint: "lower the rate"},
	}}
	data, err := json.Marshal(in)
	want := `{"warnings":[{"text":"plain"},` +
		`{"kind":"generator_late","where":"A","text":"sent late","hint":"lower the rate"}]}`
	if err != nil || string(data) != want {
		t.Fatalf("%s, %v, want %s", data, err, want)
	}
	var out document
	if err := json.Unmarshal(data, &out); err != nil || !slices.Equal(out.Warnings, in.Warnings) {
		t.Errorf("%+v, %v after reading", out, err)
	}
	if empty, err := json.Marshal(document{}); err != nil || string(empty) != "{}" {
		t.Errorf("%s, %v without warnings", empty, err)
	}
	old := diag.Warnings{{Text: "x"}, {Text: "y", Hint: "z"}}
	if err := json.Unmarshal([]byte(`{"warnings": ["x", {"text": "y", "hint": "z"}]}`), &out); err != nil ||
		!slices.Equal(out.Warnings, old) {
		t.Errorf("%+v, %v; want %+v of warnings that are strings", out.Warnings, err, old)
	}
	if err := json.Unmarshal([]byte(`{"warnings": [1]}`), &out); err == nil {
		t.Error("a number was read as a warning")
	}
}

func TestWarnings(t *testing.T) {
	var ws diag.Warnings
	if ws.Err() != nil || ws.Texts() != nil || ws.Has("") {
		t.Errorf("no warnings: %v, %q", ws.Err(), ws.Texts())
	}
	hinted := &diag.Error{Op: "few samples", Hint: "profile for longer"}
	ws.Add(nil, io.EOF, fmt.Errorf("a.whet: %w", hinted))
	ws.Addf("%d of %d", 1, 2)
	late := diag.Warning{Kind: "late", Where: "A", Text: "sent late", Hint: "lower the rate"}
	ws.AddNew(late, ws[0], late)
	want := diag.Warnings{
		{Text: "EOF"},
		{Text: "a.whet: few samples", Hint: "profile for longer"},
		{Text: "1 of 2"},
		late,
	}
	if !slices.Equal(ws, want) {
		t.Errorf("%+v, want %+v", ws, want)
	}
	if !ws.Has("late") || ws.Has("early") {
		t.Errorf("late %v, early %v", ws.Has("late"), ws.Has("early"))
	}
	texts := []string{"EOF", "a.whet: few samples", "1 of 2", "A: sent late"}
	if got := ws.Texts(); !slices.Equal(got, texts) {
		t.Errorf("texts %q, want %q", got, texts)
	}
	err := ws.Err()
	if err == nil || err.Error() != "EOF\na.whet: few samples\n1 of 2\nA: sent late" ||
		diag.Hint(err) != "profile for longer" {
		t.Errorf("error %v, hint %q", err, diag.Hint(err))
	}
	if e := new(diag.Error); !errors.As(late.Err(), &e) || e.Hint != late.Hint || e.Error() != late.String() {
		t.Errorf("%+v is the error %+v", late, e)
	}
}
