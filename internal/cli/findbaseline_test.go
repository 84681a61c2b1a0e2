package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/profile"
)

// hotModule writes a module to the current directory, and a profile in which each line that
// compiles an expression is hot.
func hotModule(t *testing.T, source string) {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	compile := b.Location(1, profile.None, false, profile.Line{
		Function: b.Function(profile.Function{Name: "regexp.compile", File: "/go/src/regexp/regexp.go"}), Line: 1,
	})
	own := b.Function(profile.Function{Name: "example.com/hot.f", File: "example.com/hot/hot.go"})
	for i, line := range strings.Split(source, "\n") {
		if strings.Contains(line, "MustCompile") {
			at := b.Location(uint64(i+2), profile.None, false, profile.Line{Function: own, Line: int32(i + 1)})
			if err := b.Sample([]uint32{compile, at}, nil, 1000); err != nil {
				t.Fatal(err)
			}
		}
	}
	file, err := os.Create("cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Profile(nil).Write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/hot\n\ngo 1.26\n", "hot.go": source} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFindBaseline gates only on findings that a baseline does not accept.
func TestFindBaseline(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	const one = "package hot\n\nimport \"regexp\"\n\n" +
		"func first(s string) bool {\n\treturn regexp.MustCompile(\"a+\").MatchString(s)\n}\n"
	hotModule(t, one)
	run := func(want int, says string, args ...string) string {
		t.Helper()
		code, stdout, stderr := runWhet(t, append([]string{"find", "--no-notes", "--own", "example.com/hot"}, args...)...)
		if code != want || !strings.Contains(stdout+stderr, says) {
			t.Errorf("whet find %q: exit code %d, want %d and %q\n%s\n%s", args, code, want, says, stdout, stderr)
		}
		return stdout
	}
	run(3, "find: 1 finding\n", "--gate", "cpu.pb.gz")
	run(1, "hint: create one with --write-baseline", "--gate", "--baseline", "accepted.json", "cpu.pb.gz")
	run(2, "cannot be combined with --gate", "--gate", "--write-baseline", "accepted.json", "cpu.pb.gz")
	run(0, "1 finding accepted", "--write-baseline", "accepted.json", "cpu.pb.gz")
	run(1, "the file exists", "--write-baseline", "accepted.json", "cpu.pb.gz")
	run(0, "0 new, 1 known", "--gate", "--baseline", "accepted.json", "cpu.pb.gz")

	// Lines move, and one finding is new.
	hotModule(t,
		"// Package hot is.\n"+one+"\nfunc second(s string) bool {\n\treturn regexp.MustCompile(\"b+\").MatchString(s)\n}\n")
	run(3, "1 finding not accepted by accepted.json", "--gate", "--baseline", "accepted.json", "cpu.pb.gz")
	run(0, "1 new, 1 known", "--baseline", "accepted.json", "cpu.pb.gz")
	json1 := run(0, "", "--json", "cpu.pb.gz")
	if err := os.WriteFile("all.json", []byte(json1), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "0 new, 2 known", "--gate", "--baseline", "all.json", "cpu.pb.gz")
	sarif := run(0, "", "--format", "sarif", "--baseline", "accepted.json", "cpu.pb.gz")
	if strings.Count(sarif, `"baselineState": "new"`) != 1 || strings.Count(sarif, `"baselineState": "unchanged"`) != 1 {
		t.Errorf("SARIF: %s", sarif)
	}

	// Accepted findings that no longer exist are listed, unless their rule did not run.
	hotModule(t, one)
	run(0, "example.com", "--gate", "--baseline", "all.json", "--json", "cpu.pb.gz")
	var r find.Result
	if err := json.Unmarshal([]byte(run(0, "", "--baseline", "all.json", "--json", "cpu.pb.gz")), &r); err != nil ||
		len(r.Against.Stale) != 1 || r.Against.Stale[0].Function != "second" {
		t.Errorf("%v: %+v", err, r.Against)
	}
	run(0, "No longer found (changed, or not hot in this recording)", "--gate", "--baseline", "all.json", "cpu.pb.gz")
}
