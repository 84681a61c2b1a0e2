package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/report/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
)

// TestDocuments checks that a document written by --json, when read back, renders to the text of
// the command.
func TestDocuments(t *testing.T) {
	trace, err := filepath.Abs("../trace/testdata/go1.22-generations.trace")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Chdir(dir)
	for name, scale := range map[string]int64{"old.pb.gz": 1, "new.pb.gz": 2} {
		if err := os.WriteFile(name, callProfile(t, scale), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"old.txt": strings.Repeat("BenchmarkX 100 10 ns/op\nBenchmarkX 100 11 ns/op\n", 5),
		"new.txt": strings.Repeat("BenchmarkX 100 20 ns/op\nBenchmarkX 100 21 ns/op\n", 5),
		"panic.txt": "goroutine 7 [chan receive, 3 minutes]:\nmain.wait(0x1)\n\t/src/main.go:9 +0x1d\n" +
			"created by main.main in goroutine 1\n\t/src/main.go:5 +0x2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{
		"top new.pb.gz", "top --all new.pb.gz", "top --cum -n 2 new.pb.gz", "top --own example.com new.pb.gz",
		"top --focus pad new.pb.gz", "tree new.pb.gz", "tree --bottom-up new.pb.gz", "peek pad new.pb.gz",
		"traces new.pb.gz", "traces --by line new.pb.gz", "tags new.pb.gz", "list pad new.pb.gz",
		"diff old.pb.gz new.pb.gz", "diff --all old.pb.gz new.pb.gz", "diff --lines old.pb.gz new.pb.gz",
		"goroutines panic.txt", "trace summary " + trace, "trace goroutines " + trace,
		"trace goroutines --group-by none " + trace, "trace contention --all " + trace, "trace requests " + trace,
		"rules percall split", "bench compare old.txt new.txt", "version",
	} {
		args := strings.Fields(command)
		code, text, stderr := runWhet(t, args...)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", command, code, stderr)
			continue
		}
		_, doc, _ := runWhet(t, append(args, "--json")...)
		var again bytes.Buffer
		if err := documents.Write(&again, layout.Style{}, []byte(doc), documents.Options{MinShare: 0.005}); err != nil {
			t.Errorf("%s: %v", command, err)
		} else if again.String() != text {
			t.Errorf("%s: the document's text is\n%swant\n%s", command, again.String(), text)
		}
	}
	for _, data := range []string{"text", "{}", `{"schema": "whet.other/1"}`} {
		if err := documents.Write(&bytes.Buffer{}, layout.Style{}, []byte(data), documents.Options{}); err == nil {
			t.Errorf("%s is a document", data)
		}
	}
	if n := len(documents.Schemas()); n != 47 {
		t.Errorf("%d schemas: two documents have one, or a view has none", n)
	}
}

// callProfile encodes a CPU profile of a few functions, with labels.
func callProfile(t *testing.T, scale int64) []byte {
	t.Helper()
	b := profile.NewBuilder(
		profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
	)
	at := func(name, file string, line int32) uint32 {
		f := b.Function(profile.Function{Name: name, File: file})
		return b.Location(0, profile.None, false, profile.Line{Function: f, Line: line})
	}
	main := at("example.com/pad/cmd.main", "/src/pad/main.go", 7)
	pad := at("example.com/pad.Left", "/src/pad/pad.go", 12)
	grow := at("runtime.growslice", "/usr/local/go/src/runtime/slice.go", 178)
	for i, stack := range [][]uint32{{grow, pad, main}, {pad, main}, {main}} {
		label := []profile.Label{{Key: "route", Str: "/pad"}}
		if err := b.Sample(stack, label[:i%2], int64(100*(i+1))*scale, int64(1e9*(i+1))*scale); err != nil {
			t.Fatal(err)
		}
	}
	var buf bytes.Buffer
	if err := b.Profile(&profile.Profile{Duration: 3e9}).Write(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
