package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/mcp"
)

// TestDocs checks docs/assistants.md and the instructions for assistants: configurations of clients are JSON, the table
// and the instructions name the tools that there are, and the worked example has arguments and fields that the tools
// have.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/assistants.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	instructions, err := os.ReadFile("../../docs/assistants/AGENTS-whet.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := overPipes(t, server(t, mcp.Options{Roots: []string{t.TempDir()}})).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*sdk.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
		if !strings.Contains(page, "`"+tool.Name+"`") {
			t.Errorf("the page does not name %s", tool.Name)
		}
	}
	for _, part := range regexp.MustCompile("`([a-z]+_[a-z_]+)`").FindAllStringSubmatch(page, -1) {
		if name := part[1]; tools[name] == nil && !knownWord(tools, name) && name != "alloc_space" {
			t.Errorf("the page names %s, which is neither a tool nor an argument", name)
		}
	}
	for _, part := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(string(instructions), -1) {
		if name := part[1]; strings.Contains(name, "_") && tools[name] == nil && !knownWord(tools, name) {
			t.Errorf("the instructions name %s, which is neither a tool nor an argument", name)
		}
	}
	for _, block := range blocks(page, "```json") {
		var config map[string]any
		if err := json.Unmarshal([]byte(block), &config); err != nil || len(config) != 1 {
			t.Errorf("%v: the configuration of a client:\n%s", err, block)
		}
	}
	_, example, ok := strings.Cut(page, "## An example\n")
	example, _, ok2 := strings.Cut(example, "\n## ")
	if !ok || !ok2 {
		t.Fatal("the page has no example")
	}
	calls := 0
	call := regexp.MustCompile(`(?m)^([a-z_]+) \{`)
	for _, block := range blocks(example, "```") {
		at := call.FindAllStringSubmatchIndex(block, -1)
		for i, m := range at {
			end := len(block)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			tool := tools[block[m[2]:m[3]]]
			if tool == nil {
				t.Errorf("there is no tool %s", block[m[2]:m[3]])
				continue
			}
			calls++
			arguments, result, _ := strings.Cut(block[m[0]:end], "\n\n")
			checkFields(t, tool.Name+"'s arguments", tool.InputSchema, arguments)
			checkFields(t, tool.Name+"'s result", tool.OutputSchema, result)
		}
	}
	if calls < 5 {
		t.Errorf("the example has %d calls", calls)
	}
}

// knownWord reports whether a tool has an argument or a field of a name.
func knownWord(tools map[string]*sdk.Tool, name string) bool {
	for _, tool := range tools {
		if hasField(tool.InputSchema, name) || hasField(tool.OutputSchema, name) {
			return true
		}
	}
	return false
}

// hasField reports whether a schema has a field, at any depth.
func hasField(schema any, name string) bool {
	text, err := json.Marshal(schema)
	return err == nil && strings.Contains(string(text), fmt.Sprintf("%q:", name))
}

// checkFields checks that all fields in an example are in a schema.
func checkFields(t *testing.T, what string, schema any, example string) {
	t.Helper()
	found := regexp.MustCompile(`"([a-z0-9_]+)":`).FindAllStringSubmatch(example, -1)
	if len(found) == 0 {
		t.Errorf("%s: the example has no fields: %s", what, example)
	}
	for _, m := range found {
		if !hasField(schema, m[1]) {
			t.Errorf("%s have no %s", what, m[1])
		}
	}
}

// blocks returns the fenced blocks of a page that begin with a line.
func blocks(page, begin string) (list []string) {
	in, matches := false, false
	var block strings.Builder
	for line := range strings.Lines(page) {
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && !in:
			in, matches = true, strings.TrimSpace(line) == begin
		case fence:
			if matches {
				list = append(list, block.String())
			}
			in = false
			block.Reset()
		case in:
			block.WriteString(line)
		}
	}
	return list
}
