package effects

import (
	"context"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ/importers"
)

// maxImporters is the number of packages that are loaded to look for users.
const maxImporters = 40

// A Search looks for the packages that use what has changed in one.
type Search struct {
	Of      string // its import path
	Imports *importers.Graph
	Options driver.Options
	Set     *Set

	loaded map[string]*packages.Package
}

// Each passes the packages of the module that may have users to do, those that others need first, and their
// directories. do may add uses. Then it sets what other modules can see.
func (s *Search) Each(ctx context.Context, do func(pkg *packages.Package, dir string) error) error {
	s.loaded = map[string]*packages.Package{}
	dependents := s.Imports.Of(s.Of)
	if err := s.load(ctx, dependents); err != nil {
		return err
	}
	var skipped []string
	for _, p := range dependents {
		if !s.concerns(p) {
			continue
		}
		if err := s.load(ctx, []string{p}); err != nil {
			return err
		}
		pkg, dir := s.loaded[p], s.Imports.Dir(p)
		switch {
		case pkg == nil:
			skipped = append(skipped, dir)
		case pkg.IllTyped:
			s.Set.NotComparedf("the package in %s cannot be loaded: it may use what has changed", dir)
		default:
			if err := do(pkg, dir); err != nil {
				return err
			}
		}
	}
	if n := len(skipped); n > 0 {
		s.Set.NotComparedf("users in %d more packages, such as the one in %s, were not compared", n, skipped[0])
	}
	for _, u := range s.Set.Uses {
		s.expose(u, dependents)
		if u.End != nil {
			continue
		}
		files, err := s.Imports.Elsewhere(u.Obj.Pkg().Path(), u.Obj.Name())
		if err != nil {
			return err
		}
		for _, file := range files {
			s.Set.NotComparedf("%s uses %s.%s, and is not in this build", file, u.Obj.Pkg().Name(), u.Obj.Name())
		}
	}
	return nil
}

// load loads the packages among some that concern the uses known so far, as far as the limit allows.
func (s *Search) load(ctx context.Context, paths []string) error {
	var patterns []string
	for _, p := range paths {
		if s.loaded[p] == nil && s.concerns(p) && len(s.loaded)+len(patterns) < maxImporters {
			patterns = append(patterns, "./"+s.Imports.Dir(p))
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	pkgs, err := driver.Load(ctx, s.Options, patterns...)
	for _, pkg := range pkgs {
		s.loaded[pkg.PkgPath] = pkg
	}
	return err
}

// concerns reports whether a package may use one of the uses: it has its name, or values of a type.
func (s *Search) concerns(importPath string) bool {
	return slices.ContainsFunc(s.Set.Uses, func(u Use) bool {
		of, name := u.Obj.Pkg().Path(), u.Obj.Name()
		depends := slices.Contains(s.Imports.Of(of), importPath)
		if _, isType := u.Obj.(*types.TypeName); isType {
			return depends
		}
		if fn, ok := u.Obj.(*types.Func); !ok || fn.Signature().Recv() == nil {
			depends = s.Imports.Imports(importPath, of)
		} // else it is a method of a value from anywhere
		return depends && s.Imports.Mentions(importPath, name)
	})
}

// expose sets why other modules may see the effect of a use.
func (s *Search) expose(u Use, dependents []string) {
	switch {
	case u.End != nil || u.Open != "":
	case s.Imports.Importable(u.Obj.Pkg().Path()):
		u.Open = Visible
		if u.Obj.Name() != u.Name[strings.IndexByte(u.Name, ' ')+1:] {
			u.Open = "other modules can use " + u.Obj.Pkg().Name() + "." + u.Obj.Name() + ", which depends on it"
		}
	default:
		s.exposeType(u, dependents)
	}
}

// exposeType does it for a type that other modules cannot name: they may get its values.
func (s *Search) exposeType(u Use, dependents []string) {
	if _, isType := u.Obj.(*types.TypeName); !isType {
		return
	}
	for _, p := range dependents {
		if !s.Imports.Importable(p) {
			continue
		}
		pkg := s.loaded[p]
		if pkg == nil || pkg.Types == nil {
			u.Open = "other modules may get its values from package " + p
			return
		}
		if tn, ok := importers.SeenFrom(pkg.Types, u.Obj).(*types.TypeName); ok && importers.Exposes(pkg.Types, tn) {
			u.Open = "other modules get its values from package " + p
			return
		}
	}
}
