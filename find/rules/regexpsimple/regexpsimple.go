package regexpsimple

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	const all = `^regexp\.`
	cause := func(category, title string) rules.Cause {
		return rules.Cause{Category: category, Title: title, CPU: all, Alloc: all, Mutex: rules.Nothing, Block: rules.Nothing}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "regexpsimple",
			Doc:      "report regular expressions that plain code can replace",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause("match", "regular expression where a comparison is enough"),
			cause("replace", "regular expression where a loop is enough"),
			cause("find", "regular expression where a search is enough"),
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A holder is a simple pattern and its uses.
type holder struct {
	shape   shape
	compile *ast.CallExpr
	name    string // of the variable, or the prefix of new names
	uses    []use

	obj  *types.Var // the package variable that holds it; nil if it is used where it is compiled
	decl *ast.GenDecl
	spec *ast.ValueSpec
	kept bool // some uses of the variable are not method calls
}

// A use is a call of one of a pattern's methods.
type use struct {
	call   *ast.CallExpr
	parent edge.Kind // where the call is
	method string
	args   []ast.Expr
	assign *ast.AssignStmt // of the result and an ignored error; else nil
}

func run(pass *analysis.Pass) (any, error) {
	insp := flow.Root(pass).Inspector()
	holders := append(variables(pass, insp), direct(pass, insp)...)
	names := rewrite.NewNames(pass)
	for _, h := range holders {
		fix := h.fix(pass, names)
		for _, u := range h.uses {
			if category, message := h.message(u); message != "" {
				rules.Report(pass, u.call, category, message, fix)
			}
		}
	}
	return nil, nil
}

// compiled returns the shape of the constant pattern passed to regexp.MustCompile.
func compiled(info *types.Info, e ast.Expr) (*ast.CallExpr, shape, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || flow.Callee(info, call) != "regexp.MustCompile" || len(call.Args) != 1 {
		return nil, shape{}, false
	}
	pattern, ok := flow.StringConst(info, call.Args[0])
	if !ok {
		return nil, shape{}, false
	}
	s, ok := parse(pattern)
	return call, s, ok
}

// variables returns the package variables that hold simple patterns and are never set again.
func variables(pass *analysis.Pass, insp *inspector.Inspector) []*holder {
	var holders []*holder
	byObj := map[types.Object]*holder{}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, s := range decl.Specs {
				spec, ok := s.(*ast.ValueSpec)
				if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 {
					continue
				}
				call, shape, ok := compiled(pass.TypesInfo, spec.Values[0])
				obj, isVar := pass.TypesInfo.Defs[spec.Names[0]].(*types.Var)
				if !ok || !isVar || obj.Name() == "_" {
					continue
				}
				h := &holder{
					shape: shape, compile: call, name: obj.Name(), obj: obj, decl: decl, spec: spec,
					kept: obj.Exported() || spec.Type != nil,
				}
				holders = append(holders, h)
				byObj[obj] = h
			}
		}
	}
	if len(holders) == 0 {
		return nil
	}
	set := map[*holder]bool{}
	for c := range insp.Root().Preorder((*ast.Ident)(nil)) {
		id, ok := c.Node().(*ast.Ident)
		if !ok {
			continue
		}
		h := byObj[pass.TypesInfo.Uses[id]]
		if h == nil {
			continue
		}
		method, at, ok := flow.Receives(c)
		switch {
		case flow.IsSet(c) || ok && method == "UnmarshalText":
			set[h] = true
		case !ok:
			h.kept = true
		default:
			if call, ok := at.Node().(*ast.CallExpr); ok {
				h.uses = append(h.uses, use{call: call, parent: at.ParentEdgeKind(), method: method, args: call.Args})
			}
		}
	}
	kept := holders[:0]
	for _, h := range holders {
		if !set[h] && len(h.uses) > 0 {
			kept = append(kept, h)
		}
	}
	return kept
}

// direct returns the patterns that are compiled where they are used, on each call.
func direct(pass *analysis.Pass, insp *inspector.Inspector) []*holder {
	var holders []*holder
	for c := range insp.Root().Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) {
			continue
		}
		h := &holder{compile: call, name: base(c)}
		if flow.Callee(pass.TypesInfo, call) == "regexp.MatchString" && len(call.Args) == 2 {
			pattern, ok := flow.StringConst(pass.TypesInfo, call.Args[0])
			assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
			if h.shape, ok = parsed(pattern, ok); ok && isAssign && ignoresError(assign) {
				h.uses = []use{{call: call, parent: c.ParentEdgeKind(), method: "MatchString", args: call.Args[1:], assign: assign}}
				holders = append(holders, h)
			}
			continue
		}
		method, at, ok := flow.Receives(c)
		if !ok {
			continue
		}
		if _, h.shape, ok = compiled(pass.TypesInfo, call); !ok {
			continue
		}
		if outer, ok := at.Node().(*ast.CallExpr); ok {
			h.uses = []use{{call: outer, parent: at.ParentEdgeKind(), method: method, args: outer.Args}}
			holders = append(holders, h)
		}
	}
	return holders
}

func parsed(pattern string, ok bool) (shape, bool) {
	if !ok {
		return shape{}, false
	}
	return parse(pattern)
}

// ignoresError reports whether an assignment has the form found, _ := f(). In _, _ := f() nothing
// would be left.
func ignoresError(assign *ast.AssignStmt) bool {
	return len(assign.Lhs) == 2 && len(assign.Rhs) == 1 && isBlank(assign.Lhs[1]) && !isBlank(assign.Lhs[0])
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// base returns the prefix of names for the function around a node.
func base(c inspector.Cursor) string {
	if d, ok := flow.Decl(c); ok {
		if f, ok := d.Node().(*ast.FuncDecl); ok && f.Name.Name != "_" {
			return lower(f.Name.Name) + "Pattern"
		}
	}
	return "thePattern"
}

// message describes what a use costs; "" if there is nothing simpler.
func (h *holder) message(u use) (category, message string) {
	pattern := quotePattern(h.shape.pattern)
	_, isText := h.shape.literal()
	_, _, isSet := h.shape.replaced()
	matcher, isMatcher := h.shape.matcher()
	switch u.method {
	case "MatchString", "Match":
		if text, ok := matcher.literal(); ok && isMatcher {
			return "match", fmt.Sprintf("the regexp engine runs %s, where one comparison with %q is enough", pattern, text)
		}
		if isMatcher {
			return "match", fmt.Sprintf("the regexp engine runs %s step by step, where a few comparisons are enough", pattern)
		}
	case "ReplaceAllString", "ReplaceAllLiteralString", "ReplaceAllStringFunc", "ReplaceAll", "ReplaceAllLiteral":
		if isSet || isText && !h.shape.begin && !h.shape.end {
			return "replace", fmt.Sprintf(
				"the regexp engine runs %s at each character, and copies the text even if nothing matches",
				pattern,
			)
		}
	case "FindString", "FindStringIndex", "FindAllString", "FindAllStringIndex",
		"Find", "FindIndex", "FindAll", "FindAllIndex", "Split":
		if isSet || isText && !h.shape.begin && !h.shape.end {
			return "find", fmt.Sprintf("the regexp engine runs %s, which a loop or a function of package strings finds", pattern)
		}
	}
	return "", ""
}
