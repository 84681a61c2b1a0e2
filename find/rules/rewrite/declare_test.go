package rewrite

import (
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	for source, want := range map[string]bool{
		"package p\n\nvar name = 1":       true,
		"package p\n\nvar x = y.name":     true,
		"package p\n\nvar names = 1":      false,
		"package p\n\n// name\nvar x = 1": false,
		"package p\n\nvar x = \"name\"":   false,
		"package p\n\nfunc name( {{ \"\n": true,
		"":                                false,
	} {
		if got := mentions([]byte(source), "name"); got != want {
			t.Errorf("mentions(%q) = %v, want %v", source, got, want)
		}
	}
}

// TestApplyTwice checks that two reports with the same fix insert its declaration once, and any
// other text once each.
func TestApplyTwice(t *testing.T) {
	const source = "package p\n\nfunc f() {}\n"
	at := strings.Index(source, "func")
	declare := Edit{From: at, To: at, Text: "// g is new.\nfunc g() {}\n\n"}
	body := Edit{From: strings.Index(source, "}"), To: strings.Index(source, "}"), Text: "f();"}
	got, err := Apply([]byte(source), []Edit{declare, body, declare, body}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "package p\n\n// g is new.\nfunc g() {}\n\nfunc f() { f(); f() }\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
