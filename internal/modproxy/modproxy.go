package modproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/semver"
)

// killWait is how long a program may take to end after a request to.
const killWait = 20 * time.Second

// Output runs a program in a directory and returns its standard output. When ctx ends, it interrupts
// the program as Ctrl-C would, and returns the output so far with the error.
func Output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = killWait
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err,
			lastLines(stderr.String()))
	}
	return out.Bytes(), nil
}

// mostLines is the number of lines of a program's messages that an error has.
const mostLines = 20

// lastLines returns the end of a program's output.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-mostLines):], "\n")
}

// Versions returns the released versions of a module, without pre-releases, the oldest first.
func Versions(ctx context.Context, modulePath string) (released []string, err error) {
	out, err := Output(ctx, os.TempDir(), "go", "list", "-m", "-versions", "-json", modulePath+"@latest")
	if err != nil {
		return nil, err
	}
	var listed struct{ Versions []string }
	if err := json.Unmarshal(out, &listed); err != nil {
		return nil, fmt.Errorf("read the versions of %s: %w", modulePath, err)
	}
	for _, v := range listed.Versions {
		if semver.Prerelease(v) == "" && semver.Build(v) == "" {
			released = append(released, v)
		}
	}
	semver.Sort(released)
	return released, nil
}

// Download returns the directory of a module's version in the module cache.
func Download(ctx context.Context, modulePath, version string) (dir string, err error) {
	out, err := Output(ctx, os.TempDir(), "go", "mod", "download", "-json", modulePath+"@"+version)
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr == nil && got.Error != "" {
		return "", fmt.Errorf("download %s: %s", modulePath, got.Error)
	}
	if err != nil {
		return "", err
	}
	if got.Dir == "" {
		return "", fmt.Errorf("download %s: %w", modulePath, errors.New("the go command names no directory"))
	}
	return got.Dir, nil
}

// Copy replaces dir by a module's version, as a repository with one commit.
func Copy(ctx context.Context, modulePath, version, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	from, err := Download(ctx, modulePath, version)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	// Files from the module cache are read-only.
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.Chmod(name, 0o750)
		}
		return os.Chmod(name, 0o640)
	}); err != nil {
		return err
	}
	// The zip of a module has no vendored packages, but may have their list, with which nothing builds.
	if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A", "-f"},
		{"-c", "user.name=whet", "-c", "user.email=whet@localhost", "commit", "-q", "-m", modulePath + " " + version},
	} {
		if _, err := Output(ctx, dir, "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// Fetch downloads the dependencies of a copy, also those of tests, and completes its go.sum, so that
// nothing else has to. What cannot be built is left to the caller.
func Fetch(ctx context.Context, dir string) error {
	_, _ = Output(ctx, dir, "go", "vet", "-mod=mod", "./...")
	return ctx.Err()
}
