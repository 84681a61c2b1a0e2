package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/sandbox"
)

// TestSandbox proves patches in the sandbox, among them one that writes to the user's files, and cancels a proof.
func TestSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	if err := sandbox.Supported(); err != nil {
		t.Skip("needs a sandbox:", err)
	}
	dir, temp := shop(t), t.TempDir()
	before := snapshot(t, dir)
	c := overPipes(t, server(t, mcp.Options{Roots: []string{dir}, Sandbox: true, Whet: program(t), Temp: temp}))
	escaped := filepath.Join(dir, "escaped")
	v := c.prove(object{"edits": []object{
		{"file": "text/text.go", "old": "package text\n", "new": "package text\n\nimport \"os\"\n"},
		{
			"file": "text/text.go", "old": "\tout := \"\"\n\tfor",
			"new": fmt.Sprintf("\t_ = os.WriteFile(%q, nil, 0o600)\n\tout := \"\"\n\tfor", escaped),
		},
	}})
	if _, err := os.Lstat(escaped); err == nil {
		t.Errorf("the patch has written a file: %v", v)
	}
	wrong := c.prove(object{"patch": patch(t, "wrong"), "packages": []string{"./text"}, "bench": "Join"})
	if wrong["outcome"] != "different" || !strings.Contains(wrong["test"].(string), "func Test") {
		t.Errorf("the wrong patch: %v", wrong)
	}
	sandboxed := false
	for i := range 10 {
		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprint("whet://documents/prove-", i)})
		sandboxed = sandboxed || err == nil && strings.Contains(read.Contents[0].Text, `"sandboxed":true`)
	}
	if !sandboxed {
		t.Error("no verdict is sandboxed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	c.drain()
	go func() {
		_, err := c.CallTool(ctx, params("prove", object{"patch": patch(t, "right"), "wait_seconds": 600}))
		ended <- err
	}()
	c.await("sandbox")
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call is not canceled")
	}
	c.gone(temp)
	if after := snapshot(t, dir); after != before {
		t.Errorf("the user's files have changed:\n%s", after)
	}
}
