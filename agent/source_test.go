package agent

import (
	"bytes"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
)

// realProfile returns a profile of this process, inflated.
func realProfile(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	data, err := inflate(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFunctionFiles(t *testing.T) {
	files, err := functionFiles(realProfile(t), ownCode(&Build{Main: Module{Path: "github.com/whet-go/whet"}}))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, "source_test.go") }) {
		t.Errorf("files %v, want this one among them", files)
	}
	for _, f := range files {
		if strings.Contains(f, "/runtime/") {
			t.Errorf("%s is not own code", f)
		}
	}
}

func TestOwnCode(t *testing.T) {
	own := ownCode(&Build{Main: Module{Path: "example.com/a"}})
	for function, want := range map[string]bool{
		"main.main": true, "main.(*T).f": true, "example.com/a.F": true, "example.com/a/b.F": true,
		"example.com/a_test.TestF": true,
		"example.com/ab.F":         false, "example.com/a": false, "runtime.main": false, "": false,
	} {
		if got := own(function); got != want {
			t.Errorf("own(%q) = %v, want %v", function, got, want)
		}
	}
	if ownCode(nil)("runtime.main") || !ownCode(nil)("main.main") {
		t.Error("without build info, only the main package is known to be own")
	}
}

func TestSourceName(t *testing.T) {
	a := &archive{names: map[string]bool{}}
	for path, want := range map[string]string{
		"/src/server/main.go": "source/src/server/main.go",
		`C:\x\y.go`:           "source/C%3A/x/y.go",
		"../a/./b%.go":        "source/%2E%2E/a/%2E/b%25.go",
		"/sp ace/ü.go":        "source/sp ace/ü.go",
		"a\n\xff.go":          "source/a%0A%FF.go",
	} {
		if got := a.sourceName(path); got != want {
			t.Errorf("sourceName(%q) = %q, want %q", path, got, want)
		}
	}
	a.names["source/x/y.go"] = true
	if got, want := a.sourceName("x/y.go"), "source/x/y~2.go"; got != want {
		t.Errorf("after a collision: %q, want %q", got, want)
	}
}

func FuzzFunctionFiles(f *testing.F) {
	f.Add(realProfile(f))
	f.Add([]byte("\x2a\x04\x10\x01\x20\x02\x32\x00\x32\x01a\x32\x01b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := functionFiles(data, func(string) bool { return true })
		if err != nil && files != nil {
			t.Errorf("files %v with error %v", files, err)
		}
	})
}
