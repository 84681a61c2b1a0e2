package driver

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/procgroup/golist"
)

// Options configure Load.
type Options struct {
	Dir   string   // of the module; "" is the current one
	Flags []string // of go build
	Env   []string // KEY=value, in addition to the process's environment
	Tests bool     // with test files
}

// Load loads the packages of a module that match go command patterns. A package that does not build
// is returned too, with its Errors. If the reason is that the module's Go is newer than the one
// that built this program, Load fails with the remedy as the hint.
func Load(ctx context.Context, o Options, patterns ...string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Dir: o.Dir, BuildFlags: o.Flags, Tests: o.Tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
			packages.NeedExportFile | packages.NeedModule,
	}
	if len(o.Env) > 0 {
		cfg.Env = append(os.Environ(), o.Env...)
	}
	pkgs, err := golist.Load(ctx, cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	return pkgs, checkVersion(ctx, o, pkgs)
}

// Run runs analyzers on a package and returns their diagnostics, in the order of the analyzers. If
// an analyzer fails or panics, Run returns an error along with the diagnostics of the others. When ctx ends, it runs no
// other one.
func Run(
	ctx context.Context, pkg *packages.Package, analyzers []*analysis.Analyzer,
) (map[*analysis.Analyzer][]analysis.Diagnostic, error) {
	if pkg.IllTyped || pkg.Types == nil {
		return nil, fmt.Errorf("package %s does not build", pkg.PkgPath)
	}
	r := &runner{ctx: ctx, pkg: pkg, done: map[*analysis.Analyzer]*action{}}
	found := map[*analysis.Analyzer][]analysis.Diagnostic{}
	var errs []error
	for _, a := range analyzers {
		act := r.run(a)
		if act.err != nil {
			errs = append(errs, act.err)
			continue
		}
		found[a] = act.diagnostics
	}
	return found, errors.Join(errs...)
}

type runner struct {
	ctx  context.Context
	pkg  *packages.Package
	done map[*analysis.Analyzer]*action
}

type action struct {
	result      any
	diagnostics []analysis.Diagnostic
	err         error
}

func (r *runner) run(a *analysis.Analyzer) (act *action) {
	if act := r.done[a]; act != nil {
		return act
	}
	act = &action{}
	r.done[a] = act
	if act.err = r.ctx.Err(); act.err != nil {
		return act
	}
	results := map[*analysis.Analyzer]any{}
	for _, need := range a.Requires {
		on := r.run(need)
		if on.err != nil {
			act.err = fmt.Errorf("%s needs %w", a.Name, on.err)
			return act
		}
		results[need] = on.result
	}
	p := r.pkg
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.Fset, Files: p.Syntax, OtherFiles: p.OtherFiles, IgnoredFiles: p.IgnoredFiles,
		Pkg: p.Types, TypesInfo: p.TypesInfo, TypesSizes: p.TypesSizes,
		ResultOf: results,
		ReadFile: os.ReadFile,
		Report:   func(d analysis.Diagnostic) { act.diagnostics = append(act.diagnostics, d) },

		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	if p.Module != nil {
		pass.Module = &analysis.Module{Path: p.Module.Path, Version: p.Module.Version, GoVersion: p.Module.GoVersion}
	}
	defer func() {
		if bad := recover(); bad != nil {
			act.err = fmt.Errorf("rule %s on %s: panic: %v", a.Name, p.PkgPath, bad)
		}
	}()
	result, err := a.Run(pass)
	if err != nil {
		act.err = fmt.Errorf("rule %s on %s: %w", a.Name, p.PkgPath, err)
		return act
	}
	if want := a.ResultType; want != nil && reflect.TypeOf(result) != want {
		act.err = fmt.Errorf("%s returned %T (want %v)", a.Name, result, want)
		return act
	}
	act.result = result
	return act
}

// FirstComplaint returns the first line of an error of a package that does more than name the package, which
// is what go build prints first.
func FirstComplaint(text string) string {
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "-: # ") {
		text = rest
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// ImportNames returns the names of the packages that a package imports, where the name is not the
// last element of the path.
func ImportNames(pkg *packages.Package) map[string]string {
	names := map[string]string{}
	for p, imported := range pkg.Imports {
		if path.Base(p) != imported.Name {
			names[p] = imported.Name
		}
	}
	return names
}
