package syntax

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// Sources are the files of a package in two versions, by name; After is nil if it has none.
type Sources struct {
	Before, After map[string][]byte
	Tests         map[string][]byte // of the first version
}

// SourcesIn returns the source files in a directory of a module's copy, before and after changes, by name
// relative to the module. Tests are left out.
func SourcesIn(m *scratch.Module, dir string, changes scratch.Changes) (Sources, error) {
	s := Sources{Before: map[string][]byte{}, After: map[string][]byte{}}
	entries, err := os.ReadDir(m.Path(dir))
	if err != nil && !os.IsNotExist(err) {
		return s, err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !IsSource(name) || !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(m.Path(name))
		if err != nil {
			return s, err
		}
		s.Before[name], s.After[name] = data, data
	}
	for name, c := range changes {
		if path.Dir(name) != dir || !IsSource(name) {
			continue
		}
		if s.After[name] = c.After; c.After == nil {
			delete(s.After, name)
		}
	}
	return s, nil
}

// A source is the code of a package in one version.
type source struct {
	functions map[string]*function
	variables map[string]*variable // of the package
	types     map[string]*ast.TypeSpec
	docs      map[string]string // of types
	info      *types.Info       // of what the package declares itself: nothing is imported
	pkg       *types.Package
	writers   map[string]bool // names of methods that write to their receivers; nil until they are known
}

// A function is one with a body.
type function struct {
	name, file string
	decl       *ast.FuncDecl
	text       string // its tokens
}

// A variable is one of the package.
type variable struct {
	file string
	spec *ast.ValueSpec
}

// parse reads the files of a package.
func parse(files map[string][]byte) (*source, error) {
	s := &source{
		functions: map[string]*function{}, variables: map[string]*variable{}, types: map[string]*ast.TypeSpec{},
		docs: map[string]string{},
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
	}
	fset := token.NewFileSet()
	var syntax []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		syntax = append(syntax, file)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					from, to := fset.Position(d.Pos()).Offset, fset.Position(d.End()).Offset
					fn := &function{differ.FuncName(d), name, d, Tokens(files[name][from:to])}
					key := fn.name
					for n := 2; s.functions[key] != nil; n++ { // init, or one in files of other builds
						key = fn.name + strconv.Itoa(n)
					}
					s.functions[key] = fn
				}
			case *ast.GenDecl:
				s.addSpecs(name, d)
			}
		}
	}
	// Without imports there are errors, but names are resolved.
	check := types.Config{Error: func(error) {}, FakeImportC: true}
	s.pkg, _ = check.Check("", fset, syntax, s.info)
	return s, nil
}

// isLocal reports whether an identifier is a variable that a function declares.
func (s *source) isLocal(id *ast.Ident) (types.Object, bool) {
	v, ok := s.info.ObjectOf(id).(*types.Var)
	return v, ok && !v.IsField() && v.Parent() != s.pkg.Scope()
}

// isOwn reports whether an identifier is a name that the package declares.
func (s *source) isOwn(id *ast.Ident) bool {
	obj := s.info.ObjectOf(id)
	return obj != nil && obj.Parent() == s.pkg.Scope()
}

func (s *source) addSpecs(file string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.types[spec.Name.Name] = spec
			s.docs[spec.Name.Name] = d.Doc.Text() + spec.Doc.Text()
		case *ast.ValueSpec:
			if d.Tok == token.VAR {
				for _, name := range spec.Names {
					s.variables[name.Name] = &variable{file, spec}
				}
			}
		}
	}
}

// changed returns the functions of s that other does not have with the same tokens, by name.
func (s *source) changed(other *source) (list []*function) {
	for _, key := range slices.Sorted(maps.Keys(s.functions)) {
		if o := other.functions[key]; o == nil || o.text != s.functions[key].text {
			list = append(list, s.functions[key])
		}
	}
	return list
}

// reached returns functions and those of the package that they may call, as far as names show that.
func (s *source) reached(from []*function) (all []*function) {
	byName := map[string][]*function{}
	for _, key := range slices.Sorted(maps.Keys(s.functions)) {
		fn := s.functions[key]
		byName[fn.decl.Name.Name] = append(byName[fn.decl.Name.Name], fn)
	}
	seen := map[*function]bool{}
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		fn := queue[0]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		all = append(all, fn)
		foreign := s.foreignNames(fn)
		ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !foreign[id] {
				if _, local := s.isLocal(id); !local {
					queue = append(queue, byName[id.Name]...)
				}
			}
			return true
		})
	}
	return all
}
