package mcp_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/mcp"
)

// TestPython runs the loop with the official Python SDK, over stdio and HTTP: make mcp-clients, and make mcp-python
// without the patches whose proofs measure.
func TestPython(t *testing.T) {
	python := os.Getenv("WHET_MCP_PYTHON")
	if python == "" {
		t.Skip("make mcp-python sets WHET_MCP_PYTHON to a Python with the package mcp")
	}
	whet, dir := program(t), shop(t)
	version := run(t, python, "-c", `import importlib.metadata; print("mcp", importlib.metadata.version("mcp"))`)
	stdio := run(t, python, "testdata/clients/loop.py", "stdio", whet, dir)
	endpoint := listen(t, server(t, mcp.Options{Roots: []string{dir}}))
	http := run(t, python, "testdata/clients/loop.py", "http", endpoint, token)
	if http != "without a token: 401\n"+stdio {
		t.Errorf("over HTTP:\n%s\nover stdio:\n%s", http, stdio)
	}
	wants := []string{
		"prove wrong: different; progress notifications: yes", "Join behaves differently: counterexample: r0 := Join(…)",
		"it is outside of the roots",
	}
	if os.Getenv("WHET_MCP_SHORT") == "" {
		wants = append(wants, "prove slower: slower;", "prove right: faster;", "failed candidates: slower, different")
	} else {
		wants = append(wants, "failed candidates: different")
	}
	for _, want := range wants {
		if !strings.Contains(stdio, want) {
			t.Errorf("%q is not in the output:\n%s", want, stdio)
		}
	}
	page(t, "The official Python SDK ("+strings.TrimSpace(version)+"), over stdio", "loop.py stdio whet ROOT", stdio)
	page(t, "The same over HTTP", "loop.py http URL TOKEN", http)
}

// TestInspector runs the inspector of the Model Context Protocol: make mcp-clients.
func TestInspector(t *testing.T) {
	inspector := os.Getenv("WHET_MCP_INSPECTOR")
	if inspector == "" {
		t.Skip("make mcp-clients sets WHET_MCP_INSPECTOR to the program of @modelcontextprotocol/inspector")
	}
	whet, dir := program(t), shop(t)
	endpoint := listen(t, server(t, mcp.Options{Roots: []string{dir}}))
	cli := func(args ...string) string { return run(t, inspector, append([]string{"--cli"}, args...)...) }
	version := run(t, inspector, "--version")
	stdio := []string{whet, "mcp", "--root", dir}
	tools := cli(append(slices.Clone(stdio), "--method", "tools/list", "--strict")...)
	for _, name := range []string{
		"record", "hot_lines", "line_evidence", "find", "prove", "prove_status", "prove_cancel", "compare", "load",
		"trace_requests",
	} {
		if !strings.Contains(tools, `"name": "`+name+`"`) && !strings.Contains(tools, `"name":"`+name+`"`) {
			t.Errorf("%s is not in %.2000s", name, tools)
		}
	}
	over := []string{endpoint, "--transport", "http", "--header", "Authorization: Bearer " + token}
	refused := "--method tools/call --tool-name prove --tool-arg patch=nothing"
	for i, target := range [][]string{stdio, over} {
		out, _ := exec.CommandContext(t.Context(), inspector,
			slices.Concat([]string{"--cli"}, target, strings.Fields(refused))...,
		).CombinedOutput() // an error of the tool may be a failure of the program
		if !bytes.Contains(out, []byte("it changes no files")) {
			t.Errorf("%s: %s", target[0], out)
		}
		title := "The inspector (" + strings.TrimSpace(version) + "), " + []string{"over stdio", "over HTTP"}[i]
		page(t, title, "mcp-inspector --cli "+refused+" "+[]string{"whet mcp --root ROOT", "URL"}[i], short(string(out)))
	}
	names := regexp.MustCompile(`"name": ?"([A-Za-z0-9_-]+)",`).FindAllStringSubmatch(tools, -1)
	var list []string
	for _, n := range names {
		list = append(list, n[1])
	}
	page(t, "The inspector's list of tools", "mcp-inspector --cli --method tools/list --strict whet mcp --root ROOT",
		strings.Join(list, "\n")+"\n")
}

// program builds whet.
func program(t *testing.T) string {
	t.Helper()
	whet := filepath.Join(t.TempDir(), "whet")
	run(t, "go", "build", "-o", whet, "../../cmd/whet")
	return whet
}

// run runs a program, and returns its standard output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s\n%s", name, args, err, &out, &messages)
	}
	return out.String()
}

// short returns the beginning of a text.
func short(s string) string {
	if len(s) > 1500 {
		return s[:1500] + "…\n"
	}
	return s
}

// page appends what a client printed to the file that WHET_MCP_PAGE names.
func page(t *testing.T, title, command, output string) {
	t.Helper()
	name := os.Getenv("WHET_MCP_PAGE")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(f, "\n## %s\n\n```console\n$ %s\n%s```\n", title, command, output); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
