package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// patience is how long a test waits for what takes less than soon on a machine that does nothing else.
const (
	patience = 30 * time.Second
	soon     = time.Second
)

// TestCancel cancels calls in several stages of a proof, and while one waits for its turn: by the protocol, with
// prove_cancel, and by closing the session. No processes and no copies are left. How soon is asserted and written only
// by make mcp-clients, since it depends on what else the machine does.
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	dir := shop(t)
	var took strings.Builder
	left := func(c *client, what, temp string, canceled time.Time) {
		c.t.Helper()
		c.gone(temp)
		d := time.Since(canceled).Round(10 * time.Millisecond)
		fmt.Fprintf(&took, "%s: nothing is left after %v\n", what, d)
		if d > soon && os.Getenv("WHET_MCP_PAGE") != "" {
			c.t.Errorf("%s: something is left for %v, longer than %v", what, d, soon)
		}
	}
	stages := []string{"build the original", "compare", "find the benchmarks"}
	if os.Getenv("WHET_MCP_PAGE") != "" { // TestCancelAnytime cancels in all stages, too
		stages = append(stages, "test both versions", "measure", "look for costs elsewhere", "mutants of the changed lines")
	}
	for _, stage := range stages {
		t.Run(stage, func(t *testing.T) {
			temp := t.TempDir()
			s := server(t, mcp.Options{Roots: []string{dir}, Temp: temp})
			c := overPipes(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, params("prove", object{"patch": patch(t, "right"), "wait_seconds": 600}))
				ended <- err
			}()
			c.await(stage)
			waiting := c.call("prove", object{"patch": patch(t, "right"), "wait_seconds": 0})
			if waiting["state"] != "waiting" {
				t.Errorf("the second proof: %v", waiting)
			}
			if v := c.call("prove_cancel", object{}); v["state"] != "canceled" {
				t.Errorf("prove_cancel: %v", v)
			}
			began := time.Now()
			cancel()
			if err := <-ended; err == nil {
				t.Error("the call is not canceled")
			}
			left(c, "prove: "+stage, temp, began)
			if v := c.call("prove_status", object{"job": "proof-1"}); v["state"] != "canceled" {
				t.Errorf("the first proof: %v", v)
			}
		})
	}
	t.Run("session", func(t *testing.T) {
		temp := t.TempDir()
		s := server(t, mcp.Options{Roots: []string{dir}, Temp: temp})
		c := overHTTP(t, listen(t, s))
		v := c.call("prove", object{"patch": patch(t, "right"), "wait_seconds": 1})
		if v["state"] != "running" {
			t.Errorf("the proof: %v", v)
		}
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		left(c, "a session with a proof ends", temp, began)
	})
	t.Run("line_evidence", func(t *testing.T) {
		temp := t.TempDir()
		s := server(t, mcp.Options{Roots: []string{dir}, Temp: temp})
		c := overPipes(t, s)
		c.call("record", object{
			"package": ".", "args": []string{"-addr", "{addr}"}, "seconds": 1,
			"load": object{"urls": []string{"http://{addr}/report?n=200"}},
		})
		for i, stage := range []string{
			"collect the evidence", "copy the module", "build the original", "find the benchmarks",
		} {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			c.drain()
			go func() {
				_, err := c.CallTool(ctx, params("line_evidence", object{"file": "text/text.go", "line": 12 + i}))
				ended <- err
			}()
			c.await(stage)
			began := time.Now()
			cancel()
			if err := <-ended; err == nil {
				t.Errorf("%s: the call is not canceled", stage)
			}
			left(c, "line_evidence: "+stage, temp, began)
		}
	})
	t.Run("record", func(t *testing.T) {
		temp := t.TempDir()
		s := server(t, mcp.Options{Roots: []string{dir}, Temp: temp})
		c := overPipes(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, params("record", object{
				"package": ".", "args": []string{"-addr", "{addr}"}, "seconds": 60,
				"load": object{"urls": []string{"http://{addr}/report?n=10"}},
			}))
			ended <- err
		}()
		c.await("cpu 1m")
		began := time.Now()
		cancel()
		if err := <-ended; err == nil {
			t.Error("the call is not canceled")
		}
		left(c, "record: a service under load", temp, began)
	})
	t.Log(took.String())
	page(t, "Canceled calls", "go test -run TestCancel ./internal/mcp", took.String())
}

// await waits for a progress notification that contains a text.
func (c *client) await(text string) {
	c.t.Helper()
	late := time.After(4 * patience)
	var all []string
	for {
		select {
		case s := <-c.steps:
			if all = append(all, s); strings.Contains(s, text) {
				return
			}
		case <-late:
			c.t.Fatalf("no progress notification contains %q: %q", text, all)
		}
	}
}

// gone waits until no process has a directory in its command line, as its working directory or in its environment, and
// no copies are left in it.
func (c *client) gone(temp string) {
	c.t.Helper()
	var left []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = using(temp); len(left) == 0 {
			return
		}
	}
	c.t.Errorf("left: %q", left)
}

// using returns the processes that use a directory, and the copies in it.
func using(temp string) (left []string) {
	copies, err := filepath.Glob(filepath.Join(temp, "whet-*", "copy"))
	if err != nil {
		return []string{err.Error()}
	}
	left = copies
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range processes {
		if p == fmt.Sprintf("/proc/%d", os.Getpid()) {
			continue
		}
		// What has ended, or belongs to others, cannot be read.
		command, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(p, "environ"))
		dir, _ := os.Readlink(filepath.Join(p, "cwd"))
		if strings.Contains(string(command)+string(environment)+dir, temp) {
			left = append(left, p+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return left
}
