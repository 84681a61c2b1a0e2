package pgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
)

// DefaultName is the file in a main package's directory that the go command uses as the profile,
// unless -pgo is set.
const DefaultName = "default.pgo"

// A Target is a package built with a profile.
type Target struct {
	Module    string `json:"module"`         // path of the main module
	Main      string `json:"main,omitempty"` // import path of the main package; "" for a library
	Dir       string `json:"dir,omitempty"`  // of the main package
	GoVersion string `json:"go_version"`     // of the toolchain that builds it

	// Existing is the size of an existing default.pgo, or -1.
	Existing int64 `json:"existing"`
}

// Default returns where the go command looks for the main package's profile; "" for a library,
// which uses the profiles of the programs that import it.
func (t *Target) Default() string {
	if t.Main == "" {
		return ""
	}
	return filepath.Join(t.Dir, DefaultName)
}

// A module is a directory of a module and how it is built.
type module struct {
	dir        string
	flags, env []string
}

// listed is a package as printed by go list.
type listed struct {
	ImportPath, Dir, Name string
	Module                *struct {
		Path string
		Main bool
	}
	Error *struct{ Err string }
}

// findTarget finds the main package among patterns. Several are an error unless one of them is
// want, an import path.
func (m module) findTarget(ctx context.Context, patterns []string, want string) (*Target, error) {
	out, err := m.run(ctx, "list",
		append([]string{"-e", "-json=ImportPath,Dir,Name,Module,Error"},
			append(m.listFlags(), append([]string{"--"}, patterns...)...)...))
	if err != nil {
		return nil, &diag.Error{
			Op: "list packages", Subject: strings.Join(patterns, " "), Err: err,
			Hint: "name a directory of the module with --dir",
		}
	}
	t := &Target{Existing: -1}
	var mains []string
	for dec := json.NewDecoder(strings.NewReader(out.stdout)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
		if p.Error != nil {
			return nil, &diag.Error{
				Op: "load package", Subject: p.ImportPath, Err: errors.New(firstLines(p.Error.Err)),
				Hint: "name a directory of the module with --dir, and its packages after the profiles",
			}
		}
		if p.Module != nil && p.Module.Main {
			t.Module = p.Module.Path
		}
		if p.Name == "main" {
			mains = append(mains, p.ImportPath)
			if len(mains) == 1 || p.ImportPath == want {
				t.Main, t.Dir = p.ImportPath, p.Dir
			}
		}
	}
	if t.Module == "" {
		return nil, &diag.Error{
			Op: "list packages", Subject: strings.Join(patterns, " "), Err: errors.New("no package of a module"),
			Hint: "name a directory of the module with --dir",
		}
	}
	if len(mains) > 1 && t.Main != want {
		return nil, diag.Usagef("pgo", fmt.Sprintf("%d main packages: %s", len(mains), strings.Join(mains, ", ")),
			"each has its own profile; name one")
	}
	if t.GoVersion, err = gotest.GoVersion(ctx, gotest.Source{Dir: m.dir, Env: m.env}); err != nil {
		return nil, err
	}
	if fi, err := os.Stat(t.Default()); err == nil && t.Main != "" {
		t.Existing = fi.Size()
	}
	return t, nil
}

// differences records what else differs between the recorded build and the current module.
func (s *Staleness) differences(meta *recording.Meta, t *Target, now []recording.Module) {
	if meta == nil {
		return
	}
	if meta.GoVersion != "" && meta.GoVersion != t.GoVersion {
		s.GoVersion = meta.GoVersion + ", now " + t.GoVersion
	}
	if meta.Build == nil {
		return
	}
	version := func(m recording.Module) string {
		if m.Replace != nil {
			m = *m.Replace
			return strings.TrimSpace(m.Path + " " + m.Version)
		}
		return m.Version
	}
	current := map[string]string{}
	for _, m := range now {
		current[m.Path] = version(m)
	}
	for _, m := range meta.Build.Deps {
		switch v, ok := current[m.Path]; {
		case !ok:
			s.Modules = append(s.Modules, m.Path+" "+version(m)+", no longer used")
		case v != version(m):
			s.Modules = append(s.Modules, m.Path+" "+version(m)+", now "+v)
		}
	}
}
