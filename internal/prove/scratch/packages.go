package scratch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Packages are the packages of a module and their dependencies.
type Packages struct {
	All    []string // import paths of those that build
	Broken []Broken // the others

	root   string // of the module
	byPath map[string]*goPackage
}

// Broken is a package that does not build.
type Broken struct {
	Package string // import path
	Reason  string // the go command's output
}

// A goPackage is a package as printed by go list.
type goPackage struct {
	ImportPath, Name, Dir           string
	GoFiles, CgoFiles               []string
	Imports                         []string
	Deps, TestImports, XTestImports []string
	Incomplete                      bool
	Error                           *struct{ Err string }
	DepsErrors                      []*struct{ Err string }
}

// Embedded lists the files that packages of the module embed, relative to the module.
func (m *Module) Embedded(ctx context.Context) ([]string, error) {
	cmd := m.command(ctx, nil, "list", []string{"-e", "-json=Dir,EmbedFiles", "./..."})
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the embedded files: %w", err)
	}
	var files []string
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir        string
			EmbedFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the embedded files: %w", err)
		}
		for _, name := range p.EmbedFiles {
			if rel, err := filepath.Rel(m.Dir, filepath.Join(p.Dir, filepath.FromSlash(name))); err == nil {
				files = append(files, filepath.ToSlash(rel))
			}
		}
	}
}

// Match returns the directories, relative to the module, of the packages of the module that match a pattern of
// the go command, with more of its flags. They need not have Go files.
func (m *Module) Match(ctx context.Context, pattern string, more ...string) (dirs []string, err error) {
	cmd := m.command(ctx, more, "list", []string{"-e", "-find", "-f", "{{.Dir}}", "--", pattern})
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("list the packages %s: %w", pattern, err)
	}
	for dir := range strings.Lines(string(out)) {
		if rel, err := filepath.Rel(m.Dir, strings.TrimSpace(dir)); err == nil && filepath.IsLocal(rel) {
			dirs = append(dirs, filepath.ToSlash(rel))
		}
	}
	return dirs, nil
}

// Packages lists the packages of the module, with more flags of the go command.
func (m *Module) Packages(ctx context.Context, more ...string) (*Packages, error) {
	cmd := m.command(ctx, more, "list", []string{
		"-e", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Imports,Deps,TestImports,XTestImports,Incomplete,Error,DepsErrors",
		"./...",
	})
	var out bytes.Buffer
	stderr := &tail{}
	cmd.Stdout, cmd.Stderr = &out, stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w: %s", err, LastLines(stderr.String()))
	}
	g := &Packages{root: m.Dir, byPath: map[string]*goPackage{}}
	for d := json.NewDecoder(&out); ; {
		p := &goPackage{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list the packages: %w", err)
		}
		g.byPath[p.ImportPath] = p
		switch {
		case p.Error != nil:
			g.Broken = append(g.Broken, Broken{p.ImportPath, p.Error.Err})
		case p.Incomplete && len(p.DepsErrors) > 0:
			g.Broken = append(g.Broken, Broken{p.ImportPath, p.DepsErrors[0].Err})
		default:
			g.All = append(g.All, p.ImportPath)
		}
	}
	return g, nil
}

// Buildable returns the packages in paths that go build accepts: all that do not consist of tests
// only.
func (g *Packages) Buildable(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		p := g.byPath[path]
		return p != nil && len(p.GoFiles)+len(p.CgoFiles) == 0
	})
}

// MarkBroken moves packages from All to Broken: those with compile errors in the output of go build,
// and those that depend on them.
func (g *Packages) MarkBroken(out string) {
	reasons := map[string]string{}
	at := ""
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			at, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			continue
		}
		if at != "" {
			reasons[at] += line
		}
	}
	if len(reasons) == 0 {
		reasons[""] = out
	}
	g.All = slices.DeleteFunc(g.All, func(path string) bool {
		reason, bad := reasons[path]
		if !bad {
			for needed := range reasons {
				if needed == "" {
					reason, bad = out, true
				} else if slices.Contains(g.byPath[path].Deps, needed) {
					reason, bad = "it needs "+needed+", which does not build", true
				}
			}
		}
		if bad {
			g.Broken = append(g.Broken, Broken{path, strings.TrimSpace(reason)})
		}
		return bad
	})
	slices.SortFunc(g.Broken, func(a, b Broken) int { return strings.Compare(a.Package, b.Package) })
}

// Affected returns the packages that changes in some directories of the module can break: those in
// them, and those that depend on one of them, if only in a test. It is an error if the package in a
// directory does not build.
func (g *Packages) Affected(dirs []string) ([]string, error) {
	changed := map[string]bool{}
	for _, p := range g.byPath {
		rel, err := filepath.Rel(g.root, p.Dir)
		if err == nil && slices.Contains(dirs, filepath.ToSlash(rel)) {
			changed[p.ImportPath] = true
		}
	}
	for _, b := range g.Broken {
		if changed[b.Package] {
			return nil, errors.New("its package does not build: " + b.FirstLine())
		}
	}
	needs := func(paths []string) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			p := g.byPath[path]
			return changed[path] || p != nil && slices.ContainsFunc(p.Deps, func(dep string) bool { return changed[dep] })
		})
	}
	var list []string
	for _, path := range g.All {
		p := g.byPath[path]
		if needs([]string{path}) || needs(p.TestImports) || needs(p.XTestImports) {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no package of this build contains the file")
	}
	return list, nil
}

// Dir returns the directory of a package; "" if it is unknown.
func (g *Packages) Dir(path string) string {
	if p := g.byPath[path]; p != nil {
		return p.Dir
	}
	return ""
}

// Name returns the name of a package; "" if it is unknown.
func (g *Packages) Name(path string) string {
	if p := g.byPath[path]; p != nil {
		return p.Name
	}
	return ""
}

// Files returns the names of the Go files of a package that are built, without tests.
func (g *Packages) Files(path string) []string {
	if p := g.byPath[path]; p != nil {
		return slices.Concat(p.GoFiles, p.CgoFiles)
	}
	return nil
}

// Imports returns the packages that a package imports.
func (g *Packages) Imports(path string) []string {
	if p := g.byPath[path]; p != nil {
		return p.Imports
	}
	return nil
}

// Deps returns the packages that a package depends on, directly or indirectly.
func (g *Packages) Deps(path string) []string {
	if p := g.byPath[path]; p != nil {
		return p.Deps
	}
	return nil
}

// Paths returns the import paths of the packages, sorted, whether they build or not.
func (g *Packages) Paths() []string { return slices.Sorted(maps.Keys(g.byPath)) }

// In returns the import path of the package in a directory; "" if there is none.
func (g *Packages) In(dir string) string {
	for _, p := range g.byPath {
		if p.Dir == dir {
			return p.ImportPath
		}
	}
	return ""
}

// FirstLine returns the first line of the reason.
func (b Broken) FirstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(b.Reason), "\n")
	return line
}
