package copies

import (
	"slices"
	"strings"
	"testing"
)

// TestParseTest checks where flags, packages and arguments of go test go.
func TestParseTest(t *testing.T) {
	g, err := ParseTest(strings.Fields("go test -tags fast -race -run=^TestA$ -short ./a ./b -count 2 -args -v x"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.flags, []string{"-tags=fast", "-race"}) || !slices.Equal(g.patterns, []string{"./a", "./b"}) {
		t.Errorf("flags %q, packages %q", g.flags, g.patterns)
	}
	want := strings.Fields("-test.x -test.paniconexit0 -test.timeout=10m -test.run=^TestA$ -test.short -test.count=2 -v x")
	if got := g.binaryArgs("-test.x"); !slices.Equal(got, want) {
		t.Errorf("the arguments are %q, want %q", got, want)
	}
	if g, err = ParseTest(strings.Fields("/usr/bin/go test -timeout 5s")); err != nil {
		t.Fatal(err)
	}
	got := g.binaryArgs()
	if !slices.Equal(got, []string{"-test.paniconexit0", "-test.timeout=5s"}) || !slices.Equal(g.patterns, []string{"."}) {
		t.Errorf("the arguments are %q, the packages %q", got, g.patterns)
	}
}

// TestCheck checks which commands are built twice.
func TestCheck(t *testing.T) {
	for command, want := range map[string]string{
		"go run -race ./cmd/server -addr x": "", "go test ./...": "",
		"go test -exec=/bin/sh":   "-exec is not supported",
		"go test -overlay x":      "-overlay is not supported",
		"go test -toolexec=x":     "-toolexec is not supported",
		"go test -coverprofile x": "-coverprofile is not supported",
		"go build":                "does not say how the program is built",
		"./server test":           "does not say how the program is built",
	} {
		err := Check(strings.Fields(command))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
}
