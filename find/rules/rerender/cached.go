package rerender

import (
	_ "embed"
	"go/ast"
	"go/types"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// body is the function that caches pages, from its opening brace to that of the function that
// renders.
//
//go:embed body.tmpl
var body string

// cache is the type that caches pages, its key and its variable.
//
//go:embed cache.tmpl
var cache string

// written is the data for the generated code.
type written struct {
	Function, Receiver, Signature string // as in the source; Receiver with parentheses
	Call, Arguments               string // of the function that renders
	Writer                        string
	Fields                        []field // of the key
	Texts                         []string
	IO, Strings, Sync             string // packages

	Render, Key, Cache, Pages, Room string // names in the package
	K, Page, OK, Out, Err, Failed   string // names in the function
}

// A field is a field of the key.
type field struct{ Name, Type string }

// cached returns the fix: a function that caches what the old one renders.
func (p *page) cached(pass *analysis.Pass, names *rewrite.Names) analysis.SuggestedFix {
	none := rules.None("the arguments of " + p.decl.Name.Name + " have texts that cannot be copied into a key, or " +
		"a name is shadowed: with parameters of basic types, its pages are kept")
	d := p.decl
	at := d.Body.Lbrace + 1
	w := written{
		Function: d.Name.Name, Writer: p.writer.Name(),
		Signature: strings.TrimSpace(rewrite.Between(pass, d.Type.Params.Pos(), d.Body.Lbrace)),
	}
	var edits []analysis.TextEdit
	for _, p := range []struct {
		path string
		name *string
	}{{"io", &w.IO}, {"strings", &w.Strings}, {"sync", &w.Sync}} {
		imported, more, ok := rewrite.Import(pass, at, p.path)
		if !ok {
			return none
		}
		*p.name = imported
		edits = append(edits, more...)
	}
	inner := rewrite.LocalNames(pass, &ast.FuncDecl{Recv: d.Recv, Name: ast.NewIdent("_"), Type: d.Type})
	w.K, w.Page, w.OK, w.Out, w.Err, w.Failed =
		inner.Fresh("key"), inner.Fresh("page"), inner.Fresh("ok"),
		inner.Fresh("out"), inner.Fresh("err"), inner.Fresh("failed")

	first, size := utf8.DecodeRuneInString(d.Name.Name)
	lower, upper := string(unicode.ToLower(first))+d.Name.Name[size:], string(unicode.ToUpper(first))+d.Name.Name[size:]
	w.Render, w.Key, w.Cache, w.Pages, w.Room =
		names.Fresh("render"+upper), names.Fresh(lower+"Key"), names.Fresh(lower+"Cache"),
		names.Fresh("rendered"+upper), names.Fresh(lower+"Room")
	w.Call = w.Render
	if p.receiver != nil {
		w.Receiver = rewrite.Text(pass, d.Recv)
		w.Call = p.receiver.Name() + "." + w.Render
		w.Fields = append(w.Fields, field{p.receiver.Name(), rewrite.Text(pass, d.Recv.List[0].Type)})
	}
	var arguments []string
	for _, group := range d.Type.Params.List {
		for _, id := range group.Names {
			v, _ := pass.TypesInfo.Defs[id].(*types.Var)
			if v == p.writer {
				arguments = append(arguments, "&"+w.Out)
				continue
			}
			arguments = append(arguments, id.Name)
			w.Fields = append(w.Fields, field{id.Name, rewrite.Text(pass, group.Type)})
			texts, ok := textsOf(pass.Pkg, "key."+id.Name, v.Type())
			if !ok {
				return none
			}
			w.Texts = append(w.Texts, texts...)
		}
	}
	w.Arguments = strings.Join(arguments, ", ")
	inside, ok1 := execute(body, w)
	before, ok2 := execute(cache, w)
	declare, ok3 := rewrite.Declare(pass, d.Pos(), strings.TrimSpace(before))
	if !ok1 || !ok2 || !ok3 {
		return none
	}
	return analysis.SuggestedFix{
		Message:   "Cache recently rendered pages",
		TextEdits: append(edits, declare, rewrite.Insert(at, strings.TrimRight(inside, "\n"))),
	}
}

func execute(text string, w written) (string, bool) {
	var out strings.Builder
	t, err := template.New("").Parse(text)
	if err != nil || t.Execute(&out, w) != nil {
		return "", false
	}
	return out.String(), true
}

// textsOf returns the strings in a value, which the cache copies. ok is false if it cannot name
// one, or set it.
func textsOf(pkg *types.Package, name string, t types.Type) (texts []string, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return nil, true
		}
		return []string{name}, types.Identical(t, types.Typ[types.String])
	case *types.Array:
		texts, ok := textsOf(pkg, name, u.Elem())
		return nil, ok && len(texts) == 0
	case *types.Struct:
		for f := range u.Fields() {
			more, ok := textsOf(pkg, name+"."+f.Name(), f.Type())
			if !ok || len(more) > 0 && !f.Exported() && f.Pkg() != pkg {
				return nil, false
			}
			texts = append(texts, more...)
		}
		return texts, true
	}
	return nil, false
}
