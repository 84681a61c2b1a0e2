package differ

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/twin"
	"github.com/whet-go/whet/internal/prove/mutants"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Mutated is the new version of a package with mutants of its changed lines.
type Mutated struct {
	Dir     string           // of the package, relative to the module
	Mutants []mutants.Mutant // the one with number n is at n-1
	// Left are changed functions that are not mutated, and why.
	Left []string
	// Targets are what calls functions of both versions, by the names of the fuzz targets.
	Targets []string
	// Files are the new version's files with the mutants, by their names in the module.
	Files map[string][]byte

	name    string            // of the package
	sources map[string][]byte // without the mutants, by the names in Mutants
	run     *twinRun          // calls both versions; nil if no function can be called
}

// Mutate makes at most most mutants of the lines that changes replace in the package in a directory
// of m, and the program of Compare with them, for which it writes files into m while it runs.
// o.Corpus has the inputs of Compare. There are no mutants, and nothing to close, if no lines of
// functions change. The caller closes the result.
func Mutate(
	ctx context.Context, m *scratch.Module, dir string, changes scratch.Changes, o Options, most int,
) (_ *Mutated, err error) {
	r := &Mutated{Dir: dir}
	if !changesCode(changes, dir) {
		return r, nil
	}
	c := &comparer{Copy: twin.New(m, changes)}
	defer func() { err = errors.Join(err, c.Remove()) }()
	old, now, err := c.load(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	g := c.newTestFile(dir, old, now)
	entries, _, _ := g.plan(old, now, c.imports.Importable(old.PkgPath)) // Compare reports the errors
	set, err := mutantsOf(old, now, most)
	if err != nil {
		return nil, err
	}
	r.Mutants, r.Left = set.Mutants, set.Left
	if len(set.Mutants) == 0 {
		return r, nil
	}
	r.name = old.Name
	if err := r.restore(set); err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return r, nil
	}
	files, tests, err := g.twins(c, now, entries, o)
	if err != nil {
		return nil, err
	}
	for _, t := range tests {
		r.Targets = append(r.Targets, t.Name)
	}
	for name, text := range set.Files {
		files[twin.Dir+"/"+filepath.Base(name)] = text
	}
	files[twin.Dir+"/"+mutants.SupportName] = set.Support(now.Types.Name())
	if r.run, err = c.build(ctx, dir, files, o); err != nil {
		return nil, err
	}
	return r, nil
}

// mutantsOf returns the mutants of the changed lines of a package's new version.
func mutantsOf(old, now *packages.Package, most int) (*mutants.Set, error) {
	p, err := Mutable(now)
	if err != nil {
		return nil, err
	}
	changed := twin.ChangedLines(old, now, FuncName).Lines()
	lines := mutants.Lines{}
	for name := range p.Texts {
		for _, l := range changed[filepath.Base(name)] {
			lines[name] = append(lines[name], mutants.Range{From: l[0], To: l[1]})
		}
	}
	return mutants.Make(p, lines, most), nil
}

// Mutable returns a loaded package as mutants are made of it.
func Mutable(pkg *packages.Package) (*mutants.Package, error) {
	p := &mutants.Package{
		Fset: pkg.Fset, Files: pkg.Syntax, Texts: map[string][]byte{}, Types: pkg.Types, Info: pkg.TypesInfo,
		Sizes: pkg.TypesSizes, Importer: importer{pkg},
	}
	if pkg.Module != nil && pkg.Module.GoVersion != "" {
		p.GoVersion = "go" + pkg.Module.GoVersion
	}
	for _, file := range pkg.Syntax {
		name := pkg.Fset.File(file.FileStart).Name()
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p.Texts[name] = text
	}
	return p, nil
}

// An importer returns the packages that a package imports.
type importer struct{ pkg *packages.Package }

func (i importer) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.pkg.Imports[importPath]; p != nil { // a vendored one has another path
		importPath = p.PkgPath
	}
	for _, p := range i.pkg.Types.Imports() {
		if p.Path() == importPath {
			return p, nil
		}
	}
	return nil, fmt.Errorf("package %s is not imported", importPath)
}

// restore sets the files.
func (r *Mutated) restore(set *mutants.Set) error {
	r.Files = map[string][]byte{path.Join(r.Dir, mutants.SupportName): set.Support(r.name)}
	r.sources = map[string][]byte{}
	for name, text := range set.Files {
		text, err := twin.Restore(name, text, r.name)
		if err != nil {
			return err
		}
		r.Files[path.Join(r.Dir, filepath.Base(name))] = text
		if r.sources[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	return nil
}

// Diff returns a mutant as a change of its file, which is named relative to the module.
func (r *Mutated) Diff(m *mutants.Mutant) (file, diff string, err error) {
	file = path.Join(r.Dir, filepath.Base(m.File))
	before, err := twin.Restore(m.File, r.sources[m.File], r.name)
	if err != nil {
		return file, "", err
	}
	after, err := twin.Restore(m.File, m.Apply(r.sources[m.File]), r.name)
	if err != nil {
		return file, "", err
	}
	return file, scratch.Changes{file: {Before: before, After: after}}.Diff(), nil
}

// Limits of the inputs that a target runs with a mutant: those that Compare found come first.
const (
	mutantSeeds = 4096 // random inputs
	mutantTime  = 300 * time.Millisecond
)

// Run runs a target with the inputs that Compare found and with random ones, in an environment that
// activates a mutant. The error has the first difference, or how the process ended.
func (r *Mutated) Run(ctx context.Context, target string, env ...string) error {
	env = append(env, "WHET_CORPUS="+r.run.corpus(), SeedsEnv+"="+strconv.Itoa(mutantSeeds),
		LimitEnv+"="+mutantTime.String(), "WHET_STRICT=1")
	out, err := r.run.process(ctx, env, "-test.run=^"+target+"$", "-test.failfast", "-test.paniconexit0")
	if err != nil {
		return fmt.Errorf("%w: %s", err, scratch.LastLines(out))
	}
	return nil
}

// Close removes the program.
func (r *Mutated) Close() error {
	if r.run == nil {
		return nil
	}
	return r.run.remove()
}
