package cli_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestCutInPart reads a recording that ends within its first profile: the error
// names the part, whatever the view looks for.
func TestCutInPart(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := writeProfiles("."); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("demo.whet")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(data, []byte("profiles/cpu.pb.gz"))
	if !ok {
		t.Fatal("no CPU profile in demo.whet")
	}
	if err := os.WriteFile("cut.whet", data[:len(data)-len(rest)+100], 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"top":        "whet: read part profiles/cpu.pb.gz of cut.whet: file ends within it",
		"goroutines": "whet: read cut.whet: the recording contains no goroutine profile: recording is cut short",
		"memory":     "whet: read cut.whet: the recording contains no memory statistics: recording is cut short",
	} {
		code, stdout, stderr := runWhet(t, command, "cut.whet")
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, want) {
			t.Errorf("whet %s: exit %d\n%s%s", command, code, stdout, stderr)
		}
	}
}
