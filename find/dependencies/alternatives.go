package dependencies

import (
	"cmp"
	"go/ast"
	"go/doc"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/profile"
)

// A Form is how an alternative may do less than the function that is called.
type Form string

// Forms.
const (
	Appends Form = "appends to a buffer of the caller"
	Into    Form = "fills a value of the caller"
	Writes  Form = "writes to a writer instead of returning the result"
	Keeps   Form = "keeps what is prepared between calls"
	Shares  Form = "takes or returns what is kept between calls"
)

// An Alternative is another way to call a dependency: an exported function whose types fit the call.
// Only its name and types were compared.
type Alternative struct {
	Name      string `json:"name"`      // as written in a program that imports the package: pkg.Func or (*pkg.T).Method
	Signature string `json:"signature"` // as declared
	Form      Form   `json:"form"`
	Doc       string `json:"doc,omitempty"` // the first sentence of its documentation
	// With is the function that makes the receiver; "" if the call has the value already. WithSignature is its
	// declaration.
	With          string `json:"with,omitempty"`
	WithSignature string `json:"with_signature,omitempty"`
}

// alternativesTo returns other ways to call a function, by its name in a profile.
func alternativesTo(pkg *packages.Package, callee string) []Alternative {
	f := named(pkg.Types, callee)
	if f == nil || !f.Exported() {
		return nil
	}
	s := &search{pkg: pkg, f: f, sig: f.Signature(), docs: docsOf(pkg)}
	if s.sig.TypeParams().Len() > 0 || s.sig.RecvTypeParams().Len() > 0 {
		return nil // which types fit depends on the arguments
	}
	for _, g := range s.siblings() {
		s.sibling(g)
	}
	if s.sig.Recv() == nil {
		s.keepers()
	}
	slices.SortStableFunc(s.found, func(a, b Alternative) int { return cmp.Compare(a.Name, b.Name) })
	return s.found[:min(len(s.found), maxAlternatives)]
}

// named returns a function or method by its name in a profile; nil if it is none, as closures.
func named(pkg *types.Package, function string) *types.Func {
	rest := function[strings.LastIndexByte(function, '/')+1:]
	_, name, ok := strings.Cut(rest, ".")
	if pkg == nil || !ok || profile.PackagePath(function) != pkg.Path() {
		return nil
	}
	receiver, method, isMethod := strings.Cut(name, ".")
	if !isMethod {
		f, _ := pkg.Scope().Lookup(name).(*types.Func)
		return f
	}
	t, ok := pkg.Scope().Lookup(strings.Trim(receiver, "(*)")).(*types.TypeName)
	if !ok {
		return nil
	}
	return methodOf(t, method)
}

// methodOf returns a method that a type declares.
func methodOf(t *types.TypeName, name string) *types.Func {
	n, ok := types.Unalias(t.Type()).(*types.Named)
	if !ok {
		return nil
	}
	for m := range n.Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// docsOf returns the comments of a package's functions, by the position of their names.
func docsOf(pkg *packages.Package) map[token.Pos]string {
	docs := map[token.Pos]string{}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil {
				docs[f.Name.Pos()] = f.Doc.Text()
			}
		}
	}
	return docs
}

// A search looks for alternatives to a function.
type search struct {
	pkg   *packages.Package
	f     *types.Func
	sig   *types.Signature
	docs  map[token.Pos]string
	found []Alternative
}

// siblings returns the other exported functions of the package, or the other exported methods of the type.
func (s *search) siblings() (list []*types.Func) {
	if recv := s.sig.Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			for m := range n.Methods() {
				list = append(list, m)
			}
		}
	} else {
		for _, name := range s.pkg.Types.Scope().Names() {
			if g, ok := s.pkg.Types.Scope().Lookup(name).(*types.Func); ok {
				list = append(list, g)
			}
		}
	}
	return slices.DeleteFunc(list, func(g *types.Func) bool {
		deprecated := strings.Contains(s.docs[g.Pos()], "\nDeprecated:") || strings.HasPrefix(s.docs[g.Pos()], "Deprecated:")
		return g == s.f || !g.Exported() || g.Signature().TypeParams().Len() > 0 || deprecated
	})
}

// sibling adds a function if its name says that it is another form of the called one, and it takes the same
// arguments and what that form needs.
func (s *search) sibling(g *types.Func) {
	form := formOf(s.f.Name(), g.Name())
	if form == "" {
		return
	}
	more, ok := without(params(g.Signature()), params(s.sig))
	if !ok || len(more) > 1 || g.Signature().Variadic() != s.sig.Variadic() {
		return
	}
	results := withoutError(g.Signature())
	fits := false
	switch form {
	case Appends:
		fits = len(more) == 1 && isBytes(more[0]) && len(results) == 1 && isBytes(results[0])
	case Into:
		fits = len(more) == 1 && s.holdsResult(more[0])
	case Writes:
		fits = len(more) == 1 && isWriter(more[0]) && len(results) <= 1
	case Shares:
		fits = types.Identical(tuple(results), tuple(withoutError(s.sig))) && (len(more) == 0 || s.isOwnType(more[0]))
	case Keeps:
	}
	if fits {
		s.add(g, form, nil)
	}
}

// formOf returns the form that a name says a function has, compared with another one; "" for none.
func formOf(name, other string) Form {
	base := strings.TrimPrefix(strings.TrimPrefix(name, "Format"), "Marshal")
	switch other {
	case "Append" + name, "Append" + base, name + "Append":
		return Appends
	case name + "Into", name + "To", name + "Buffer", name + "Reuse", "Decode" + base + "Into":
		return Into
	case "Write" + name, name + "ToWriter", name + "Writer", "F" + strings.ToLower(name[:1]) + name[1:], "Fprint" + base,
		"WriteTo" + name, name + "WriteTo", "Encode" + base + "To":
		return Writes
	case "Cached" + name, name + "Cached", "Compiled" + name, name + "Compiled", name + "With", name + "WithCache",
		name + "WithOptions":
		return Shares
	}
	return ""
}

// keepers adds types that keep what the function prepares: a constructor takes some of its arguments, and a
// method of what it returns takes the others and has the same results.
func (s *search) keepers() {
	want := tuple(withoutError(s.sig))
	if want.Len() == 0 {
		return
	}
	for _, g := range s.siblings() {
		if !isConstructor(g.Name()) || g.Signature().Recv() != nil {
			continue
		}
		results := withoutError(g.Signature())
		if len(results) != 1 || len(params(g.Signature())) == 0 {
			continue
		}
		t := s.ownNamed(results[0])
		rest, ok := without(params(s.sig), params(g.Signature()))
		if t == nil || !ok || len(rest) == len(params(s.sig)) || types.Identical(want, tuple(results)) {
			continue
		}
		for m := range t.Methods() {
			if !m.Exported() || !alike(m.Name(), s.f.Name()) || m.Signature().Variadic() != s.sig.Variadic() ||
				!types.Identical(tuple(withoutError(m.Signature())), want) ||
				!types.Identical(tuple(params(m.Signature())), tuple(rest)) {
				continue
			}
			s.add(m, Keeps, g)
		}
	}
}

// isConstructor reports whether a function makes a value of a type, by its name.
func isConstructor(name string) bool {
	for _, prefix := range []string{"New", "Compile", "Parse", "Prepare", "Load", "Open", "Create"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// alike reports whether one of two names contains the other.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// add adds an alternative. with is nil if nothing has to be made for it.
func (s *search) add(g *types.Func, form Form, with *types.Func) {
	text := s.docs[g.Pos()]
	one := Alternative{
		Name: s.nameOf(g), Signature: s.signatureOf(g), Form: form, Doc: new(doc.Package).Synopsis(text),
	}
	if with != nil {
		one.With, one.WithSignature = s.nameOf(with), s.signatureOf(with)
	}
	s.found = append(s.found, one)
}

// nameOf returns the name of a function as another package writes it.
func (s *search) nameOf(g *types.Func) string {
	recv := g.Signature().Recv()
	if recv == nil {
		return s.pkg.Types.Name() + "." + g.Name()
	}
	return "(" + types.TypeString(recv.Type(), (*types.Package).Name) + ")." + g.Name()
}

// signatureOf returns the parameters and results of a function, as another package writes them.
func (s *search) signatureOf(g *types.Func) string {
	return "func" + strings.TrimPrefix(types.TypeString(g.Signature(), (*types.Package).Name), "func")
}

// params returns the types of the parameters of a function.
func params(sig *types.Signature) (list []types.Type) {
	for v := range sig.Params().Variables() {
		list = append(list, v.Type())
	}
	return list
}

// withoutError returns the types of the results of a function, without a last error.
func withoutError(sig *types.Signature) (list []types.Type) {
	for v := range sig.Results().Variables() {
		list = append(list, v.Type())
	}
	if n := len(list); n > 0 && types.Identical(list[n-1], types.Universe.Lookup("error").Type()) {
		list = list[:n-1]
	}
	return list
}

// tuple returns types as a tuple, which can be compared.
func tuple(list []types.Type) *types.Tuple {
	vars := make([]*types.Var, 0, len(list))
	for _, t := range list {
		vars = append(vars, types.NewVar(token.NoPos, nil, "", t))
	}
	return types.NewTuple(vars...)
}

// without returns all without the types in some, each once; false if one of these is not in all.
func without(all, some []types.Type) ([]types.Type, bool) {
	rest := slices.Clone(all)
	for _, t := range some {
		i := slices.IndexFunc(rest, func(other types.Type) bool { return types.Identical(t, other) })
		if i < 0 {
			return nil, false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return rest, true
}

// isBytes reports whether a type is a slice of bytes.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// isWriter reports whether a type is an interface with io.Writer's method.
func isWriter(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		sig := m.Signature()
		if m.Name() == "Write" && sig.Params().Len() == 1 && isBytes(sig.Params().At(0).Type()) {
			return true
		}
	}
	return false
}

// holdsResult reports whether a value of a type can take the result of the called function: a pointer to it, or
// a slice of the same type.
func (s *search) holdsResult(t types.Type) bool {
	results := withoutError(s.sig)
	if len(results) != 1 {
		return false
	}
	want := results[0]
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return types.Identical(p.Elem(), want) || types.Identical(t, want)
	}
	_, isSlice := t.Underlying().(*types.Slice)
	return isSlice && types.Identical(t, want)
}

// ownNamed returns the named type of the package that a type is or points to; nil if it is another one.
func (s *search) ownNamed(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != s.pkg.Types || !n.Obj().Exported() || n.TypeParams().Len() > 0 {
		return nil
	}
	return n
}

// isOwnType reports whether a type is or points to an exported type of the package.
func (s *search) isOwnType(t types.Type) bool { return s.ownNamed(t) != nil }
