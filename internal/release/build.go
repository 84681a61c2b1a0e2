package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// exe returns a program's file name.
func (p platform) exe(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

func platforms() []platform {
	var all []platform
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, platform{system, arch})
		}
	}
	return all
}

// programs returns the commands in an archive.
func programs() []string { return []string{"whet", "whet-vet"} }

// build builds the commands into a directory.
func (r *release) build(ctx context.Context, p platform, dir string) error {
	if _, err := fmt.Fprintln(r.print, "build", p); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range programs() {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w",
			"-o", filepath.Join(dir, p.exe(name)), "./cmd/"+name)
		cmd.Dir = r.tree
		// Override settings that the developer's environment could change.
		cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0",
			"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}
