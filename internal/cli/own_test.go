package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/whet-go/whet/internal/input/documents"

	pprof "github.com/google/pprof/profile"
)

// TestOwnModule checks that own code is determined from the best available evidence.
func TestOwnModule(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	src := map[string]string{ // function -> file
		"github.com/whet-go/whet/profile.Read": "/src/whet/profile/input.go",
		"example.com/app/web.Handle":           "/src/app/web/web.go",
		"example.com/dep.Do":                   "/go/pkg/mod/example.com/dep@v1.0.0/dep.go",
		"runtime.mallocgc":                     "/usr/local/go/src/runtime/malloc.go",
	}
	for _, tt := range []struct {
		name      string
		binary    string            // of the profile's mapping
		gomod     string            // module path of a go.mod in the working directory
		functions map[string]string // in the profile
		args      []string
		own       []string
		from      string   // "" when nothing is own
		lines     []string // functions of own lines; nil: not compared
		paths     []string // of own lines; nil: not compared
	}{
		{
			name: "binary", binary: exe, gomod: "example.com/app", functions: src,
			own: []string{"github.com/whet-go/whet"}, from: "its binary",
		},
		{
			name: "go.mod", binary: "/nowhere/app", gomod: "example.com/app", functions: src,
			own: []string{"example.com/app"}, from: "go.mod here",
		},
		{
			name: "go.mod of something else", gomod: "example.com/other", functions: src,
			own: []string{"example.com/app/web", "github.com/whet-go/whet"}, from: "its source paths",
		},
		{
			name: "own flag", gomod: "example.com/app", functions: src, args: []string{"--own", "example.com/dep"},
			own: []string{"example.com/app", "example.com/dep"}, from: "go.mod here and --own",
		},
		{
			name:      "package main",
			functions: map[string]string{"main.main": "/src/x/main.go", "runtime.main": "/usr/local/go/src/runtime/proc.go"},
			from:      "package main",
		},
		{
			name:      "test main",
			functions: map[string]string{"main.main": "_testmain.go", "runtime.main": "/usr/local/go/src/runtime/proc.go"},
		},
		{
			name: "undotted module",
			functions: map[string]string{
				"app/web.Handle": "/src/app/web/web.go", "runtime.main": "/usr/local/go/src/runtime/proc.go",
			},
			own: []string{"app"}, from: "its source paths",
		},
		{name: "trimmed paths", functions: map[string]string{
			"example.com/app/web.Handle": "example.com/app/web/web.go", "example.com/dep.Do": "example.com/dep@v1.0.0/dep.go",
			"runtime.main": "runtime/proc.go", "net/http.Get": "net/http/client.go",
		}, own: []string{"example.com/app/web"}, from: "its source paths"},
		{name: "nested modules", gomod: "example.com/app", functions: map[string]string{
			"example.com/app/web.Handle": "/src/app/web/web.go",
			"example.com/app/api.Do":     "/go/pkg/mod/example.com/app/api@v1.0.0/api.go",
			"runtime.main":               "/usr/local/go/src/runtime/proc.go",
		}, own: []string{"example.com/app"}, from: "go.mod here", lines: []string{"example.com/app/web.Handle"}},
		{
			name: "nested modules, own flag", gomod: "example.com/app", functions: map[string]string{
				"example.com/app/web.Handle": "/src/app/web/web.go",
				"example.com/app/api.Do":     "/go/pkg/mod/example.com/app/api@v1.0.0/api.go",
				"runtime.main":               "/usr/local/go/src/runtime/proc.go",
			}, args: []string{"--own", "example.com/app/"},
			own: []string{"example.com/app", "example.com/app/"}, from: "go.mod here and --own",
			lines: []string{"example.com/app/api.Do", "example.com/app/web.Handle"},
		},
		{
			name: "go install", functions: map[string]string{
				"main.main":                     "/go/pkg/mod/example.com/app/v2@v2.1.0/cmd/app/main.go",
				"example.com/app/v2/web.Handle": "/go/pkg/mod/example.com/app/v2@v2.1.0/web/web.go",
				"example.com/app/v2.Run.func1":  "/go/pkg/mod/example.com/app/v2@v2.1.0/run.go",
				"example.com/app/v2/api.Do":     "/go/pkg/mod/example.com/app/v2/api@v1.0.0/api.go",
				"example.com/dep.Do":            "/go/pkg/mod/example.com/dep@v1.0.0/dep.go",
				"runtime.main":                  "/usr/local/go/src/runtime/proc.go",
			}, own: []string{"example.com/app/v2"}, from: "its source paths",
			lines: []string{"example.com/app/v2.Run.func1", "example.com/app/v2/web.Handle", "main.main"},
			paths: []string{"cmd/app/main.go", "run.go", "web/web.go"},
		},
		{
			name: "standard library",
			functions: map[string]string{
				"runtime.main": "/usr/local/go/src/runtime/proc.go", "net/http.Get": "/usr/local/go/src/net/http/client.go",
			},
		},
		{
			name:      "not Go",
			functions: map[string]string{"std::sort(int*, int*)": "/usr/include/c++/sort.h", "app.Main.run": "Main.java"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			if tt.gomod != "" {
				if err := os.WriteFile("go.mod", []byte("module "+tt.gomod+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := &pprof.Profile{
				SampleType: []*pprof.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
				Mapping:    []*pprof.Mapping{{ID: 1, Start: 1, Limit: 1 << 20, File: tt.binary, HasFunctions: true}},
			}
			for name, file := range tt.functions {
				id := uint64(len(p.Function) + 1)
				f := &pprof.Function{ID: id, Name: name, SystemName: name, Filename: file}
				l := &pprof.Location{ID: id, Address: id, Mapping: p.Mapping[0], Line: []pprof.Line{{Function: f, Line: 1}}}
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
				p.Sample = append(p.Sample, &pprof.Sample{Location: []*pprof.Location{l}, Value: []int64{1}})
			}
			path := filepath.Join(dir, "p.pb.gz")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Write(f); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			doc := whetJSON[documents.Top](t, append([]string{"top", "--json", path}, tt.args...)...)
			if doc.Header.OwnFrom != tt.from || !slices.Equal(doc.Header.Own, tt.own) {
				t.Errorf("own %q told by %q, want %q told by %q", doc.Header.Own, doc.Header.OwnFrom, tt.own, tt.from)
			}
			if tt.lines != nil && doc.Own != nil {
				var lines, paths []string
				for _, l := range doc.Own.Lines {
					lines, paths = append(lines, l.Function), append(paths, l.Path)
				}
				slices.Sort(lines)
				slices.Sort(paths)
				if !slices.Equal(lines, tt.lines) || tt.paths != nil && !slices.Equal(paths, tt.paths) {
					t.Errorf("own lines of %q at %q, want %q at %q", lines, paths, tt.lines, tt.paths)
				}
			}
			if (doc.Own != nil) != (tt.from != "") {
				t.Errorf("own view: %v, classic view: %v", doc.Own != nil, doc.All != nil)
			}
		})
	}
}
