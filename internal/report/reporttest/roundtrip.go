package reporttest

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// RoundTrip writes a document as JSON, reads it back, and compares the views of both.
func RoundTrip[D any](t *testing.T, doc *D, views ...func(io.Writer, *D) error) {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	read := new(D)
	if err := json.Unmarshal(data, read); err != nil {
		t.Fatalf("%T cannot be read back: %v", doc, err)
	}
	if again, err := json.Marshal(read); err != nil || !bytes.Equal(again, data) {
		t.Errorf("%T after reading, %v:\n%s\nwant\n%s", doc, err, again, data)
	}
	for i, view := range views {
		var want, got bytes.Buffer
		if err := view(&want, doc); err != nil {
			t.Fatal(err)
		}
		if err := view(&got, read); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() || want.Len() == 0 {
			t.Errorf("view %d of %T after reading:\n%s\nwant\n%s", i, doc, got.String(), want.String())
		}
	}
}
