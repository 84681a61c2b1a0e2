package textbuild

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "textbuild",
			Doc:      "report strings that are built in several steps and used once",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Title: "string built in several steps",
				ByHand: "a part has no form that appends, or a use needs a string: append to a []byte with append " +
					"and strconv",
				CPU: rules.Concatenating + `|^fmt\.Sprint|^strconv\.(Format|Itoa|Quote)|` +
					`^runtime\.(stringtoslicebyte|slicebytetostring|convT)`,
				Alloc: rules.Line + `|^fmt\.Sprint|^strconv\.(Format|Itoa|Quote)`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "own", Title: "result of an own function copied into a longer string",
				ByHand: "the callers do not build a text that can lend its buffer: add a function that appends to a " +
					"[]byte",
				CPU:   `^runtime\.slicebytetostring`,
				Alloc: rules.Line,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "list", Title: "strings collected only to be joined",
				ByHand: "an element has no form that appends: append the elements and the separators to a []byte",
				CPU: rules.Concatenating + `|^fmt\.Sprint|^strconv\.(Format|Itoa|Quote)|` +
					`^runtime\.(growslice|makeslice|newobject)`,
				Alloc: rules.Line + `|^fmt\.Sprint|^strconv\.(Format|Itoa|Quote)`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A variable is one that is declared by a statement alone.
type variable struct {
	v     *types.Var
	decl  inspector.Cursor // the statement
	value ast.Expr         // initial value, or nil
}

// A text is a string variable that is built and then used.
type text struct {
	variable

	grown []inspector.Cursor // the statements that append to it, in order
	added []ast.Expr         // what they append
	read  []inspector.Cursor // where it is used
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.AssignStmt)(nil), (*ast.DeclStmt)(nil)) {
		within, ok := flow.Outermost(c)
		if !ok || !flow.InBlock(c) {
			continue
		}
		v, ok := declared(pass.TypesInfo, c)
		if !ok {
			continue
		}
		t := &text{variable: v}
		if flow.IsString(v.v.Type()) && t.follow(pass.TypesInfo, within) && t.costs(pass) {
			t.report(pass, t.fix(pass, within))
		} else if l, ok := listed(pass.TypesInfo, v, within); ok {
			l.report(pass, l.fix(pass, within))
		}
	}
	ownMakers(pass, root)
	return nil, nil
}

// declared returns the variable that a statement declares, if it declares nothing else.
func declared(info *types.Info, c inspector.Cursor) (variable, bool) {
	v := variable{decl: c}
	var id *ast.Ident
	switch s := c.Node().(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return v, false
		}
		id, _ = s.Lhs[0].(*ast.Ident)
		v.value = s.Rhs[0]
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR || len(d.Specs) != 1 {
			return v, false
		}
		spec, ok := d.Specs[0].(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) > 1 {
			return v, false
		}
		id = spec.Names[0]
		if len(spec.Values) == 1 {
			v.value = spec.Values[0]
		}
	}
	if id == nil || id.Name == "_" {
		return v, false
	}
	v.v, _ = info.Defs[id].(*types.Var)
	return v, v.v != nil
}

// follow records what happens to the variable, and reports whether it is only appended to, and then
// read.
func (t *text) follow(info *types.Info, within inspector.Cursor) bool {
	var other []inspector.Cursor
	for _, use := range flow.Uses(info, within, t.v) {
		switch {
		case use.Node().Pos() == t.v.Pos():
		case use.ParentEdgeKind() == edge.AssignStmt_Lhs:
			if !t.grows(info, use.Parent()) {
				return false
			}
		default:
			other = append(other, use)
		}
	}
	var end token.Pos // of what is appended
	for _, g := range t.grown {
		end = max(end, g.Node().End())
	}
	returns := true
	for _, use := range other {
		if t.isFirstOperand(use) {
			continue
		}
		if flow.IsSet(use) || t.loops(use) {
			return false
		}
		_, isReturned := use.Parent().Node().(*ast.ReturnStmt)
		returns = returns && isReturned
		t.read = append(t.read, use)
	}
	if len(t.read) == 0 || len(t.grown) == 0 || !returns && (len(t.read) > 1 || t.read[0].Node().Pos() < end) {
		return false
	}
	return flow.Private(info, within, t.v) && !flow.Jumps(within)
}

// grows records a statement that appends to the variable, and reports whether it is usable: once
// each time the variable is declared.
func (t *text) grows(info *types.Info, c inspector.Cursor) bool {
	s, ok := c.Node().(*ast.AssignStmt)
	if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 || !flow.InBlock(c) || t.loops(c) {
		return false
	}
	x := s.Rhs[0]
	switch s.Tok {
	case token.ADD_ASSIGN:
	case token.ASSIGN:
		// Only s = s + x: with more than two operands, s is nested deeper.
		b, ok := x.(*ast.BinaryExpr)
		if !ok || b.Op != token.ADD {
			return false
		}
		if id, ok := b.X.(*ast.Ident); !ok || info.ObjectOf(id) != types.Object(t.v) {
			return false
		}
		x = b.Y
	default:
		return false
	}
	if flow.Mentions(info, x, t.v) {
		return false
	}
	t.grown, t.added = append(t.grown, c), append(t.added, x)
	return true
}

// loops reports whether a position is in a loop that does not contain the declaration.
func (v variable) loops(c inspector.Cursor) bool {
	loop, ok := flow.Loop(c)
	return ok && (v.v.Pos() < loop.Node().Pos() || loop.Node().End() <= v.v.Pos())
}

// isFirstOperand reports whether an expression is the s on the right side of s = s + x.
func (t *text) isFirstOperand(use inspector.Cursor) bool {
	if use.ParentEdgeKind() != edge.BinaryExpr_X {
		return false
	}
	for _, g := range t.grown {
		if use.Parent().Parent() == g {
			return true
		}
	}
	return false
}
