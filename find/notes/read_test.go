package notes

import (
	"bytes"
	"strings"
	"testing"
)

// notesOfCompiler is what cmd/compile writes with -json=0.
const notesOfCompiler = `{"version":0,"package":"service","goos":"linux","goarch":"amd64","gc_version":"go1.26","file":"/src/service/a.go"}
{"range":{"start":{"line":7,"character":3},"end":{"line":7,"character":3}},"severity":3,"code":"escape","source":"go compiler","message":"x escapes to heap","relatedInformation":[{"location":{"uri":"file:///src/service/a.go","range":{"start":{"line":8,"character":1}}},"message":"escflow:    flow: y = &x:"}]}
{"range":{"start":{"line":7,"character":3}},"code":"escape","message":"x escapes to heap"}
{"range":{"start":{"line":9,"character":3}},"code":"nilcheck","message":""}
{"range":{"start":{"line":10,"character":3}},"code":"isInBounds","message":""}
`

func want(kind string) bool { return kind == "escape" || kind == "isInBounds" }

// FuzzRead reads what a compiler may have written: no panic, and notes only on the module's file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(notesOfCompiler))
	f.Add([]byte("{\"file\":\"/elsewhere.go\"}\nnot JSON\n"))
	f.Add([]byte("{\"range\":{\"start\":{\"line\":-1}},\"code\":\"escape\"}\n"))
	f.Add([]byte("{\"file\":\"/src/service/a.go\"}\n\"escape\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		notes := map[string][]Note{}
		_ = read(bytes.NewReader(text), func(name string) (string, bool) { // any text may be wrong
			return strings.CutPrefix(name, "/src/service/")
		}, want, notes)
		for file, list := range notes {
			if len(list) > bytes.Count(text, []byte("\n"))+1 {
				t.Errorf("%d notes on %q in %d bytes", len(list), file, len(text))
			}
			for _, n := range list {
				if !want(n.Kind) {
					t.Errorf("%+v is shown", n)
				}
			}
		}
	})
}

func TestRead(t *testing.T) {
	notes := map[string][]Note{}
	if err := read(strings.NewReader(notesOfCompiler),
		func(name string) (string, bool) { return strings.CutPrefix(name, "/src/service/") }, want, notes); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || len(notes["a.go"]) != 2 {
		t.Fatalf("%+v", notes)
	}
	first, second := notes["a.go"][0], notes["a.go"][1]
	if first.Line != 7 || first.Message != "x escapes to heap" || len(first.Through) != 1 ||
		first.Through[0] != (Step{Line: 8, Message: "flow: y = &x:"}) || second.Line != 10 || second.Kind != "isInBounds" {
		t.Errorf("%+v", notes)
	}
	err := read(strings.NewReader("{\"file\":\"/src/service/a.go\"}\n{\"code\":\"escape\"\n"),
		func(string) (string, bool) { return "a.go", true }, want, notes)
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("cut off: %v", err)
	}
}
