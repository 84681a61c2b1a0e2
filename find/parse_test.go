package find

import (
	"bytes"
	"maps"
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

// FuzzReadNotes reads what a compiler may have written: no panic, and notes only of the module's file.
func FuzzReadNotes(f *testing.F) {
	f.Add([]byte(notesOfCompiler))
	f.Add([]byte("{\"file\":\"/elsewhere.go\"}\nnot JSON\n"))
	f.Add([]byte("{\"range\":{\"start\":{\"line\":-1}},\"code\":\"escape\"}\n"))
	f.Add([]byte("{\"file\":\"/src/service/a.go\"}\n\"escape\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		notes := map[string][]Note{}
		_ = readNotes(bytes.NewReader(text), func(name string) (string, bool) { // any text may be wrong
			return strings.CutPrefix(name, "/src/service/")
		}, notes)
		for file, list := range notes {
			if len(list) > bytes.Count(text, []byte("\n"))+1 {
				t.Errorf("%d notes on %q in %d bytes", len(list), file, len(text))
			}
			for _, n := range list {
				if !shown(n.Kind) {
					t.Errorf("%+v is shown", n)
				}
			}
		}
	})
}

func TestReadNotes(t *testing.T) {
	notes := map[string][]Note{}
	if err := readNotes(strings.NewReader(notesOfCompiler), func(name string) (string, bool) { return strings.CutPrefix(name, "/src/service/") }, notes); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || len(notes["a.go"]) != 2 {
		t.Fatalf("%+v", notes)
	}
	first, second := notes["a.go"][0], notes["a.go"][1]
	if first.Line != 7 || first.Message != "x escapes to heap" || len(first.Through) != 1 || first.Through[0] != (Step{Line: 8, Message: "flow: y = &x:"}) || second.Line != 10 || second.Kind != "isInBounds" {
		t.Errorf("%+v", notes)
	}
	err := readNotes(strings.NewReader("{\"file\":\"/src/service/a.go\"}\n{\"code\":\"escape\"\n"), func(string) (string, bool) { return "a.go", true }, notes)
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("cut off: %v", err)
	}
}

// FuzzParseMemStats reads what any program may answer.
func FuzzParseMemStats(f *testing.F) {
	f.Add([]byte("# runtime.MemStats\n# Alloc = 5\n# NextGC = 4194304\n# PauseNs = [1 2 3]\n# GCCPUFraction = 0.001\n"))
	f.Add([]byte("# NumGC = 99999999999999999999\n"))
	f.Add([]byte(" = \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := parseMemStats(text)
		if (err == nil) != (len(values) > 0) {
			t.Errorf("%d values, %v", len(values), err)
		}
		again, _ := parseMemStats(append(bytes.Clone(text), '\n'))
		if !maps.Equal(values, again) {
			t.Errorf("%v with a line's end, %v without", again, values)
		}
	})
}

func TestParseMemStats(t *testing.T) {
	values, err := parseMemStats([]byte("# runtime.MemStats\n# Alloc = 5\n# NextGC = 4194304\n# PauseNs = [1 2 3]\n# GCCPUFraction = 0.001\n"))
	if err != nil || !maps.Equal(values, map[string]int64{"Alloc": 5, "NextGC": 4194304}) {
		t.Errorf("%v, %v", values, err)
	}
	if values, err := parseMemStats(nil); values != nil || err != nil {
		t.Errorf("of nothing: %v, %v", values, err)
	}
	if _, err := parseMemStats([]byte("<html>")); err == nil {
		t.Error("a page is read")
	}
}
