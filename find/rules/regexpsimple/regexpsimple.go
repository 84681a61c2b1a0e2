package regexpsimple

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/regexpcode"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	const all = `^regexp\.`
	cause := func(category, title, byHand string) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: all, Alloc: all, Mutex: rules.Nothing, Block: rules.Nothing,
		}
	}
	// Most regular expressions cost little where they are.
	compiled := cause("code", "regular expression where code for the pattern is faster",
		"a use of the pattern needs package regexp: check cheaply first whether the text can match at all")
	compiled.Profiled = true
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "regexpsimple",
			Doc:      "report regular expressions that plain code can replace",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause("match", "regular expression where a comparison is enough",
				"a use of the pattern needs package regexp: compare with functions of package strings"),
			cause("replace", "regular expression where a loop is enough",
				"a use of the pattern needs package regexp: write a loop over the bytes"),
			cause("find", "regular expression where a search is enough",
				"a use of the pattern needs package regexp: search with functions of package strings"),
			compiled,
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A holder is a pattern and its uses.
type holder struct {
	pattern string
	shape   regexpcode.Shape
	simple  bool // it has a shape
	compile *ast.CallExpr
	name    string // of the variable, or the prefix of new names
	uses    []use

	obj  *types.Var // the package variable that holds it; nil if it is used where it is compiled
	decl *ast.GenDecl
	spec *ast.ValueSpec
	stmt *ast.AssignStmt // that sets a local variable; else nil
	next token.Pos       // of the statement after it, if there is one
	kept string          // why the pattern stays: not all uses of the variable are method calls
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
			category, message := h.message(u)
			if message == "" {
				continue
			}
			rules.Report(pass, u.call, category, message, fix)
		}
	}
	return nil, nil
}

// compiled returns the constant pattern passed to regexp.MustCompile, if it is valid.
func compiled(info *types.Info, e ast.Expr) (h *holder, ok bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || flow.Callee(info, call) != "regexp.MustCompile" || len(call.Args) != 1 {
		return nil, false
	}
	return held(info, call, call.Args[0])
}

// held returns the holder of a constant pattern, if it is valid.
func held(info *types.Info, call *ast.CallExpr, arg ast.Expr) (*holder, bool) {
	pattern, ok := flow.StringConst(info, arg)
	if !ok {
		return nil, false
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, false
	}
	h := &holder{pattern: pattern, compile: call}
	h.shape, h.simple = regexpcode.Parse(pattern)
	return h, true
}

// variables returns the package variables that hold patterns and are never set again.
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
				h, ok := compiled(pass.TypesInfo, spec.Values[0])
				obj, isVar := pass.TypesInfo.Defs[spec.Names[0]].(*types.Var)
				if !ok || !isVar || obj.Name() == "_" {
					continue
				}
				h.name, h.obj, h.decl, h.spec = obj.Name(), obj, decl, spec
				switch {
				case obj.Exported():
					h.kept = "the variable is exported"
				case spec.Type != nil:
					h.kept = "the variable's type is declared"
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
		case !ok && h.kept == "":
			h.kept = "the variable is not only used to call its methods"
		case !ok:
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

// direct returns the patterns that are compiled on each call, where they are used or in a local
// variable.
func direct(pass *analysis.Pass, insp *inspector.Inspector) []*holder {
	var holders []*holder
	for c := range insp.Root().Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) {
			continue
		}
		if flow.Callee(pass.TypesInfo, call) == "regexp.MatchString" && len(call.Args) == 2 {
			assign, isAssign := c.Parent().Node().(*ast.AssignStmt)
			if h, ok := held(pass.TypesInfo, call, call.Args[0]); ok && isAssign && ignoresError(assign) {
				h.name = base(c)
				h.uses = []use{{call: call, parent: c.ParentEdgeKind(), method: "MatchString", args: call.Args[1:], assign: assign}}
				holders = append(holders, h)
			}
			continue
		}
		h, ok := compiled(pass.TypesInfo, call)
		if !ok {
			continue
		}
		h.name = base(c)
		if method, at, ok := flow.Receives(c); ok {
			if outer, ok := at.Node().(*ast.CallExpr); ok {
				h.uses = []use{{call: outer, parent: at.ParentEdgeKind(), method: method, args: outer.Args}}
				holders = append(holders, h)
			}
			continue
		}
		if h.local(pass, c) {
			holders = append(holders, h)
		}
	}
	return holders
}

// local adds the uses of the local variable that a call defines, and reports whether it does and
// all are method calls.
func (h *holder) local(pass *analysis.Pass, c inspector.Cursor) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	id := flow.Defines(c)
	decl, isFunc := flow.Decl(c)
	if !ok || id == nil || !isFunc || len(assign.Lhs) != 1 || c.Parent().ParentEdgeKind() != edge.BlockStmt_List {
		return false
	}
	obj := pass.TypesInfo.Defs[id]
	if obj == nil {
		return false
	}
	for _, u := range flow.Uses(pass.TypesInfo, decl, obj) {
		if u.Node() == id {
			continue
		}
		method, at, ok := flow.Receives(u)
		if !ok {
			return false
		}
		outer, ok := at.Node().(*ast.CallExpr)
		if !ok {
			return false
		}
		h.uses = append(h.uses, use{call: outer, parent: at.ParentEdgeKind(), method: method, args: outer.Args})
	}
	h.stmt = assign
	if next, ok := c.Parent().NextSibling(); ok {
		h.next = next.Node().Pos()
	}
	return len(h.uses) > 0
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
	pattern := regexpcode.Quote(h.pattern)
	if h.simple {
		if category, message = h.simpleMessage(u, pattern); message != "" {
			return category, message
		}
	}
	if !regexpcode.Supports(u.method) {
		return "", ""
	}
	return "code", fmt.Sprintf("the regexp engine runs %s step by step, where code for this pattern is faster", pattern)
}

// simpleMessage describes what a use of a simple pattern costs.
func (h *holder) simpleMessage(u use, pattern string) (category, message string) {
	_, isText := h.shape.Literal()
	isText = isText && !h.shape.Begin && !h.shape.End
	matcher, isMatcher := h.shape.Matcher()
	switch u.method {
	case "MatchString", "Match":
		if text, ok := matcher.Literal(); ok && isMatcher {
			return "match", fmt.Sprintf("the regexp engine runs %s, where one comparison with %q is "+
				"enough", pattern, text)
		}
		if isMatcher {
			return "match", fmt.Sprintf("the regexp engine runs %s step by step, where a few comparisons are "+
				"enough", pattern)
		}
	case "ReplaceAllString", "ReplaceAllLiteralString", "ReplaceAllStringFunc", "ReplaceAll", "ReplaceAllLiteral":
		if h.shape.IsClass() || isText {
			return "replace", fmt.Sprintf(
				"the regexp engine runs %s at each character, and copies the text even if nothing matches",
				pattern,
			)
		}
	case "FindString", "FindStringIndex", "FindAllString", "FindAllStringIndex",
		"Find", "FindIndex", "FindAll", "FindAllIndex", "Split":
		if h.shape.IsClass() || isText {
			return "find", fmt.Sprintf("the regexp engine runs %s, which a loop or a function of package strings "+
				"finds", pattern)
		}
	}
	return "", ""
}
