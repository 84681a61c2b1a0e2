package diag_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

func TestWarningsJSON(t *testing.T) {
	type document struct {
		Warnings diag.Warnings `json:"warnings,omitempty"`
	}
	in := document{diag.Warnings{errors.New("plain"), &diag.Error{Op: "few samples", Hint: "profile for longer"}}}
	data, err := json.Marshal(in)
	if want := `{"warnings":["plain","few samples (profile for longer)"]}`; err != nil || string(data) != want {
		t.Fatalf("%s, %v, want %s", data, err, want)
	}
	var out document
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(out); err != nil || string(again) != string(data) {
		t.Errorf("%s after reading, %v, want %s", again, err, data)
	}
	if empty, err := json.Marshal(document{}); err != nil || string(empty) != "{}" {
		t.Errorf("%s, %v without warnings", empty, err)
	}
	if err := json.Unmarshal([]byte(`{"warnings": [{"text": "x"}]}`), &out); err == nil {
		t.Error("a warning that is not a text")
	}
}
