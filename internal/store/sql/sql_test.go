package sql

import "testing"

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "''", "a'b": `'a\'b'`, `\`: `'\\'`, "\x00\n\xff": `'\x00\x0a\xff'`, "ü": `'\xc3\xbc'`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
