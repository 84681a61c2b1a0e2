package agent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocs adds the agent to a new module, offline, as docs/agent.md describes for a clone, and
// builds the program and the other code examples there.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "agent.md"))
	if err != nil {
		t.Fatal(err)
	}
	edit := regexp.MustCompile(`\$ go (mod edit -require=\S+ -replace=\S+)=\.\./whet\n`).FindSubmatch(text)
	if edit == nil {
		t.Fatal("docs/agent.md has no go mod edit for a clone")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("mod", "init", "example.com/server")
	run(strings.Fields(string(edit[1]) + "=" + root)...)

	programs := 0
	for _, block := range regexp.MustCompile("(?s)\n *```go\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		code := block[1]
		switch {
		case strings.HasPrefix(code, "package main"):
			programs++
		case strings.Contains(code, "agent.Record("):
			code = "package main\n\nimport (\n\"log\"\n\n\"github.com/whet-go/whet/agent\"\n)\n\nfunc main() {\n" + code + "}\n"
			programs++
		case strings.Contains(code, "…"), !strings.Contains(code, "agent."):
			continue // part of the program, or does not use the agent
		default:
			t.Errorf("code that is not compiled:\n%s", code)
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		run("vet", ".")
		for _, name := range strings.Fields(run("list", "-deps", ".")) {
			if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") && name != "example.com/server" &&
				name != "github.com/whet-go/whet/agent" {
				t.Errorf("it needs %s", name)
			}
		}
	}
	if programs < 2 {
		t.Errorf("%d programs", programs)
	}
}
