package source

import (
	"os"
	"path/filepath"
	"testing"
)

// A program elsewhere cannot have files of this machine read by naming them.
func TestConfined(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return full
	}
	write("app/go.mod", "module example.com/app\n")
	top := write("app/top.go", "package app")
	inside := write("app/cmd/main.go", "package main")
	given := write("given/g.go", "package given")
	outside := write("secret/keys.go", "package secret")
	write("replaced/r.go", "package replaced")
	link := filepath.Join(dir, "app/cmd/link.go")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	opt := Options{
		Confined: true, Dirs: []string{filepath.Join(dir, "app/cmd"), filepath.Join(dir, "given")},
		GOROOT: filepath.Join(dir, "goroot"), ModCache: filepath.Join(dir, "cache"),
		Modules: []Module{
			{Path: "example.com/app", Main: true},
			{Path: "example.com/r", Version: "v1.0.0", Dir: filepath.Join(dir, "replaced")},
		},
	}
	cached := write("cache/example.com/d@v1.0.0/d.go", "package d")
	std := write("goroot/src/fmt/print.go", "package fmt")
	f := NewFinder(opt)
	for name, want := range map[string]bool{
		inside: true, top: true, given: true, cached: true, std: true, "example.com/app/top.go": true,
		outside: false, link: false, "/etc/passwd": false, "example.com/r@v1.0.0/r.go": false,
		filepath.Join(dir, "app/../secret/keys.go"): false, filepath.Join(dir, "replaced/r.go"): false,
	} {
		if _, _, err := f.Read(name); (err == nil) != want {
			t.Errorf("%s: read %v, %v", name, err == nil, err)
		}
	}
	opt.Confined = false
	if _, _, err := NewFinder(opt).Read(outside); err != nil {
		t.Errorf("a program of the user's own: %v", err)
	}
}
