package source

import (
	"os"
	"path/filepath"
	"testing"
)

// TestStrict looks for files of a program that was built elsewhere in trees that may be of others.
func TestStrict(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"none/main.go": "none", "none/pkg/a.go": "none",
		"other/go.mod": "module example.com/other", "other/main.go": "other", "other/pkg/a.go": "other",
		"same/go.mod": "module example.com/app", "same/main.go": "same", "same/pkg/a.go": "same",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	app := []Module{{Path: "example.com/app", Main: true}}
	for _, tt := range []struct {
		tree    string
		named   bool
		modules []Module
		want    string // "" is an error
	}{
		{"none", false, app, ""},
		{"other", false, app, ""},
		{"same", false, app, "same"},
		{"none", true, app, "none"},
		{"none", false, nil, "none"},
		{"none", false, []Module{{Path: "example.com/dep", Version: "v1.0.0"}}, "none"},
	} {
		opt := Options{
			Strict: true, Modules: tt.modules,
			GOROOT: filepath.Join(dir, "goroot"), ModCache: filepath.Join(dir, "cache"),
		}
		if tree := filepath.Join(dir, tt.tree); tt.named {
			opt.Named = []string{tree}
		} else {
			opt.Dirs = []string{tree}
		}
		for _, path := range []string{
			"/build/main.go", "/build/app/pkg/a.go", "example.com/app/main.go", "example.com/app/pkg/a.go",
		} {
			got, _, err := NewFinder(opt).Read(path)
			if string(got) != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("%s in %s (named: %v, modules %v): %q, %v", path, tt.tree, tt.named, tt.modules, got, err)
			}
		}
	}
}
