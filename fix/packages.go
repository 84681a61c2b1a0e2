package fix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A packageGraph is the packages of the module and their dependencies.
type packageGraph struct {
	root   string   // of the module
	all    []string // import paths of those that build
	broken []Broken
	byPath map[string]*goPackage
}

// A goPackage is a package as printed by go list.
type goPackage struct {
	ImportPath                      string
	Dir                             string
	Deps, TestImports, XTestImports []string
	Incomplete                      bool
	Error                           *struct{ Err string }
	DepsErrors                      []*struct{ Err string }
}

// listPackages lists the packages of the module.
func (s *scratch) listPackages(ctx context.Context) (*packageGraph, error) {
	out, stderr, err := s.output(ctx, "list", "-e",
		"-json=ImportPath,Dir,Deps,TestImports,XTestImports,Incomplete,Error,DepsErrors", "./...")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w: %s", err, lastLines(stderr))
	}
	g := &packageGraph{root: s.dir, byPath: map[string]*goPackage{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &goPackage{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list the packages: %w", err)
		}
		g.byPath[p.ImportPath] = p
		switch {
		case p.Error != nil:
			g.broken = append(g.broken, Broken{p.ImportPath, p.Error.Err})
		case p.Incomplete && len(p.DepsErrors) > 0:
			g.broken = append(g.broken, Broken{p.ImportPath, p.DepsErrors[0].Err})
		default:
			g.all = append(g.all, p.ImportPath)
		}
	}
	return g, nil
}

// markBroken removes the packages with compile errors, and those that depend on them.
func (g *packageGraph) markBroken(out string) {
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
	g.all = slices.DeleteFunc(g.all, func(path string) bool {
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
			g.broken = append(g.broken, Broken{path, strings.TrimSpace(reason)})
		}
		return bad
	})
	slices.SortFunc(g.broken, func(a, b Broken) int { return strings.Compare(a.Package, b.Package) })
}

// affected returns the packages that changes in some directories of the module can break: those in
// them, and those that depend on one of them, if only in a test. It is an error if the package in a
// directory does not build.
func (g *packageGraph) affected(folders []string) ([]string, error) {
	changed := map[string]bool{}
	for _, p := range g.byPath {
		rel, err := filepath.Rel(g.root, p.Dir)
		if err == nil && slices.Contains(folders, filepath.ToSlash(rel)) {
			changed[p.ImportPath] = true
		}
	}
	for _, b := range g.broken {
		if changed[b.Package] {
			return nil, errors.New("its package does not build as it is: " + firstLine(b.Reason))
		}
	}
	needs := func(paths []string) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			p := g.byPath[path]
			return changed[path] || p != nil && slices.ContainsFunc(p.Deps, func(dep string) bool { return changed[dep] })
		})
	}
	var list []string
	for _, path := range g.all {
		p := g.byPath[path]
		if needs([]string{path}) || needs(p.TestImports) || needs(p.XTestImports) {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no package of the module holds the file, as it is built here")
	}
	return list, nil
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
