package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/cli"
)

// TestAPIJSON compares what the API of whet ui answers with what the commands print with --json.
func TestAPIJSON(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	source := filepath.Join("leftpad", "pad", "pad.go")
	if err := os.MkdirAll(filepath.Dir(source), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte("package pad\n"+strings.Repeat("// line\n", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	// A recording of this process, with its goroutines and memory.
	stopRecording := agent.Record("self.whet")
	if err := stopRecording(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		args := []string{"ui", "--http", "127.0.0.1:0", "--open=false", "."}
		code <- cli.Main(ctx, args, strings.NewReader(""), w, io.Discard)
		_ = w.Close() // ends reading
	}()
	defer func() {
		stop()
		<-code
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		args []string
	}{
		{"top?file=cpu.pb.gz", []string{"top", "cpu.pb.gz"}},
		{"top?file=cpu.pb.gz&all=true&cum=true&n=3", []string{"top", "--all", "--cum", "-n", "3", "cpu.pb.gz"}},
		{
			"top?file=heap.pb.gz&type=alloc_space&focus=main",
			[]string{"top", "--type", "alloc_space", "--focus", "main", "heap.pb.gz"},
		},
		{"tags?file=cpu.pb.gz", []string{"tags", "cpu.pb.gz"}},
		{
			"list?file=cpu.pb.gz&function=example.com/leftpad/pad.Pad",
			[]string{"list", "^example.com/leftpad/pad.Pad$", "cpu.pb.gz"},
		},
		{"graph?file=cpu.pb.gz", []string{"graph", "cpu.pb.gz"}},
		{"diff?file=cpu.pb.gz&diff_base=cpu.pb.gz", []string{"diff", "cpu.pb.gz", "cpu.pb.gz"}},
		{"memory?file=self.whet", []string{"memory", "self.whet"}},
		{"goroutines?file=self.whet", []string{"goroutines", "self.whet"}},
	} {
		t.Run(test.path, func(t *testing.T) {
			r, err := http.Get(strings.TrimSpace(line) + "api/v1/" + test.path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			if err = errors.Join(err, r.Body.Close()); err != nil || r.StatusCode != http.StatusOK {
				t.Fatalf("status %d, %v\n%s", r.StatusCode, err, body)
			}
			exit, stdout, stderr := runWhet(t, append(test.args, "--json")...)
			if exit != 0 {
				t.Fatalf("exit code %d\n%s", exit, stderr)
			}
			var api, printed any
			if err := json.Unmarshal(body, &api); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(stdout), &printed); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(printed, api); diff != "" {
				t.Errorf("-command +API\n%s", diff)
			}
		})
	}
}
