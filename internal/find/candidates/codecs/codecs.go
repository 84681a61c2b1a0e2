package codecs

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Generators returns the generators of the package.
func Generators() []*sites.Generator {
	return []*sites.Generator{
		encodeGenerator(),
		decodeGenerator(),
	}
}

// A site is a hot line, with what several generators of the package need.
type site struct{ *sites.Site }

type proposal = sites.Proposal

// eachCall makes a generator's function of one that replaces a call of some functions.
func eachCall(replaced func(*site, inspector.Cursor, *ast.CallExpr) (proposal, bool), functions ...string,
) func(*sites.Site) []sites.Proposal {
	return func(at *sites.Site) (list []proposal) {
		s := &site{at}
		for _, c := range s.CallsOf(functions...) {
			call, ok := c.Node().(*ast.CallExpr)
			if !ok || call.Ellipsis.IsValid() || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
				continue
			}
			if p, ok := replaced(s, c, call); ok {
				list = append(list, p)
			}
		}
		return list
	}
}

// Limits of the code that is written for a type.
const (
	mostTypes  = 12
	mostFields = 60
)

// A field is a field of a struct that is in its JSON.
type field struct {
	v         *types.Var
	key       string
	omitEmpty bool
}

// fields returns the fields of a struct. ok is false if the struct has fields that are promoted, have the same key, or
// have options other than omitempty.
func fields(t *types.Struct) (list []field, ok bool) {
	seen := map[string]bool{}
	for i := range t.NumFields() {
		v := t.Field(i)
		if v.Embedded() {
			return nil, false
		}
		tag := reflect.StructTag(t.Tag(i)).Get("json")
		if !v.Exported() || tag == "-" {
			continue
		}
		key, options, _ := strings.Cut(tag, ",")
		f := field{v: v, key: key, omitEmpty: options == "omitempty"}
		if options != "" && !f.omitEmpty {
			return nil, false
		}
		if f.key == "" {
			f.key = v.Name()
		}
		if seen[strings.ToLower(f.key)] || !plainKey(f.key) {
			return nil, false
		}
		seen[strings.ToLower(f.key)] = true
		list = append(list, f)
	}
	return list, len(list) > 0 && len(list) <= mostFields
}

// plainKey reports whether a key is written as it is.
func plainKey(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.'
	})
}

// hasMethod reports whether a type, or a pointer to it, has one of some methods.
func hasMethod(t types.Type, names ...string) bool {
	for _, name := range names {
		if m, _, _ := types.LookupFieldOrMethod(t, true, nil, name); m != nil {
			if _, isFunc := m.(*types.Func); isFunc {
				return true
			}
		}
	}
	return false
}

// receiverOf returns the call of which a method is called, in f(…).method(…), if that is of a function.
func (s *site) receiverOf(call *ast.CallExpr, function string) *ast.CallExpr {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok || flow.Callee(s.Pass.TypesInfo, of) != function || len(of.Args) != 1 {
		return nil
	}
	return of
}

// imported returns the edits that import a package for a node, and stores the package's name.
func (s *site) imported(at ast.Node, path string, name *string) (edits []analysis.TextEdit, ok bool) {
	*name, edits, ok = rewrite.Import(s.Pass, at.Pos(), path)
	return edits, ok
}

// declared are the functions that a codec declares for types.
type declared struct {
	names  map[string]string // of functions, by the source of their type; "" for types that have none
	within []types.Type      // whose functions are being written
}

// declare returns the name of the function for a type, which write writes unless it is there; false if there is none.
func (f *declared) declare(
	s *site, at ast.Node, t types.Type, verb string, write func(name, typ string) bool,
) (name string, ok bool) {
	typ, ok := rewrite.TypeText(s.Pass, at.Pos(), t)
	if !ok || len(f.names) >= mostTypes {
		return "", false
	}
	for _, outer := range f.within {
		if types.Identical(outer, t) {
			return "", false // it may refer to itself
		}
	}
	if name, ok = f.names[typ]; ok {
		return name, name != ""
	}
	if f.names == nil {
		f.names = map[string]string{}
	}
	f.names[typ] = ""
	name = s.Names.Fresh(verb + nameOf(t) + "JSON")
	f.within = append(f.within, t)
	defer func() { f.within = f.within[:len(f.within)-1] }()
	if !write(name, typ) {
		return "", false
	}
	f.names[typ] = name
	return name, true
}

// nameOf returns a part of names of functions for a type.
func nameOf(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := t.Obj().Name()
		return strings.ToUpper(name[:1]) + name[1:]
	case *types.Pointer:
		return nameOf(t.Elem())
	case *types.Slice:
		return nameOf(t.Elem()) + "List"
	case *types.Array:
		return nameOf(t.Elem()) + "Array"
	case *types.Basic:
		return strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	}
	return "Value"
}
