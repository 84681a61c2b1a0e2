package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
)

// TestJSON checks that documents keep their meaning and have no terminal control sequences.
func TestJSON(t *testing.T) {
	text := strings.ToValidUTF8(hostile.Terminal, "") + "\u2028\u061c\u00ad<é𝔘\ufffd"
	for _, want := range []any{text, map[string]any{text: []any{text, 1.5}}, "plain", "größe"} {
		var b bytes.Buffer
		e := json.NewEncoder(JSON(&b))
		e.SetIndent("", "\t")
		e.SetEscapeHTML(false)
		if err := e.Encode(want); err != nil {
			t.Fatal(err)
		}
		var cut bytes.Buffer
		w := JSON(&cut)
		for _, c := range plainJSON(t, want) {
			if n, err := w.Write([]byte{c}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if !bytes.Equal(cut.Bytes(), b.Bytes()) {
			t.Errorf("byte by byte: %q, want %q", &cut, &b)
		}
		if got := b.String(); strings.ContainsFunc(got,
			func(r rune) bool { return r != '\n' && r != '\t' && r != '\ufffd' && Unsafe(r) }) {
			t.Errorf("%q", got)
		}
		plain, _ := json.Marshal(want)
		var got any
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(got); !bytes.Equal(again, plain) {
			t.Errorf("%s, want %s", again, plain)
		}
	}
}

func plainJSON(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func BenchmarkJSON(b *testing.B) {
	data := []byte(strings.Repeat(`{"function": "net/http.(*conn).serve", "cost": 123456},`, 1000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		_ = EscapeJSON(data)
	}
}
