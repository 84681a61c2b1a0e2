package golist

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// module writes a module with a package that uses a type of another one.
func module(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26\n",
		"m.go":          "package m\n\nimport \"example.com/m/inner\"\n\nvar X inner.T\n",
		"inner/type.go": "package inner\n\ntype T struct{ N int }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const mode = packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedExportFile | packages.NeedFiles | packages.NeedCompiledGoFiles

func TestLoad(t *testing.T) {
	pkgs, err := Load(t.Context(), &packages.Config{Dir: module(t), Mode: mode}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatalf("%v, %v", pkgs, err)
	}
	if typ := pkgs[0].Types.Scope().Lookup("X").Type().String(); typ != "example.com/m/inner.T" {
		t.Errorf("the type of X is %s", typ)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(canceled, &packages.Config{Dir: t.TempDir(), Mode: mode}, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestCanceled cancels Load while a compiler runs that takes a minute: nothing of it is left.
func TestCanceled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds processes in /proc")
	}
	temp := t.TempDir()
	slow, started := filepath.Join(temp, "slow"), filepath.Join(temp, "started")
	script := "#!/bin/sh\nif [ \"$2\" != -V=full ]; then echo $$ >" + started + "; sleep 60; fi\nexec \"$@\"\n"
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := &packages.Config{Dir: module(t), Mode: mode, BuildFlags: []string{"-toolexec=" + slow}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Load(ctx, cfg, ".")
		ended <- err
	}()
	var pid string
	for deadline := time.Now().Add(time.Minute); strings.TrimSpace(pid) == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no compiler was started")
		}
		text, _ := os.ReadFile(started)
		pid = string(text)
	}
	began := time.Now()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	if took := time.Since(began); took > 4*time.Second { // package packages waits longer
		t.Errorf("it ended after %v", took)
	}
	for deadline := time.Now().Add(4 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		command, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(pid), "cmdline"))
		if err != nil || !strings.Contains(string(command), slow) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s is left", strings.TrimSpace(pid))
		}
	}
}
