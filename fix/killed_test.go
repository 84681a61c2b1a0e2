package fix_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// TestMain lets TestKilled run the test binary as a process that calls fix.Run.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WHET_TEST_FIX"); dir != "" {
		fixUntilKilled(dir)
		return
	}
	os.Exit(m.Run())
}

// fixUntilKilled fixes the module in dir, prints its progress, and blocks when it measures.
func fixUntilKilled(dir string) {
	o := fix.Options{Temp: os.Getenv("WHET_TEST_TEMP"), FuzzTime: 1, Progress: func(what string) {
		fmt.Println(what)
		if what == "measure" {
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	}}
	text, err := os.ReadFile(filepath.Join(dir, "text", "text.go"))
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := findingIn(string(text), "kept", `s + ""`, `s /* fast */`)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = fix.Run(context.Background(),
		&find.Result{Module: "example.com/service", Dir: dir, Findings: []find.Finding{x}}, o)
	fmt.Println("ended", err)
}

// TestKilled kills a process during Run: the module is unchanged, and the next process removes the
// copy.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir, temp := t.TempDir(), t.TempDir()
	write(t, dir, words)
	before := files(t, dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "WHET_TEST_FIX="+dir, "WHET_TEST_TEMP="+temp)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	output := ""
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		output += lines.Text() + "\n"
		if lines.Text() == "measure" {
			break
		}
	}
	copies := func() []string {
		names, err := filepath.Glob(filepath.Join(temp, "whet-fix-*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	// A run that begins meanwhile leaves the copy of the running process alone.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	begin := func() {
		if _, err := fix.Run(ended, &find.Result{Dir: dir}, fix.Options{Temp: temp}); err == nil {
			t.Error("it continued after its context ended")
		}
	}
	begin()
	if left := copies(); len(left) != 1 {
		t.Fatalf("copies %q; output:\n%s", left, output)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	after := files(t, dir)
	if len(after) != len(before) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	if len(copies()) != 1 {
		t.Fatal("nothing is left of what was killed, and the test tests nothing")
	}
	begin()
	if left := copies(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if !strings.Contains(output, "compare the results") {
		t.Errorf("output:\n%s", output)
	}
}
