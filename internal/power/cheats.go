package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/modproxy"
)

// readCheat reads a module in two versions: the archive's files below a/ and b/. The lines "label:"
// and "why:" of its comment are those of a case, whose name is the file's.
func readCheat(name string, data []byte) ([]*testCase, error) {
	archive := txtar.Parse(data)
	c := &testCase{Name: strings.TrimSuffix(path.Base(name), ".txtar"), A: "a", B: "b", archive: data}
	for line := range strings.Lines(string(archive.Comment)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ":"); key {
		case "label":
			c.Label = label(strings.TrimSpace(value))
		case "why":
			c.Why = strings.TrimSpace(value)
		}
	}
	if c.Label != same && c.Label != different && c.Label != cheat {
		return nil, fmt.Errorf("label %q (want same, different or cheat)", c.Label)
	}
	if err := c.checkText(); err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		if first, _, _ := strings.Cut(f.Name, "/"); first != "a" && first != "b" || !filepath.IsLocal(f.Name) {
			return nil, fmt.Errorf("file %s is neither in a nor in b", f.Name)
		}
	}
	return []*testCase{c}, nil
}

// unpack writes the two versions of a cheat below a directory, each as a repository.
func (c *testCase) unpack(ctx context.Context, dir string) (a, b string, err error) {
	for _, f := range txtar.Parse(c.archive).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			return "", "", err
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			return "", "", err
		}
	}
	for _, version := range []string{"a", "b"} {
		if _, err := modproxy.Output(ctx, filepath.Join(dir, version), "git", "init", "-q"); err != nil {
			return "", "", err
		}
	}
	return filepath.Join(dir, "a"), filepath.Join(dir, "b"), nil
}
