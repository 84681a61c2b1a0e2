package copylarge

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

// maxSize is the largest element in bytes that is cheap enough to copy.
const maxSize = 128

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "copylarge",
			Doc:      "report loops that copy large elements",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{{
			Title: "large element copied in each iteration",
			ByHand: "the element may change in the iteration: range over the indexes and take a pointer to the " +
				"element",
			CPU:   `^$|^runtime\.(duffcopy|memmove|typedmemmove|wbMove)`,
			Alloc: rules.Nothing, Mutex: rules.Nothing, Block: rules.Nothing,
		}},
		Doc: rules.ParseDoc(doc),
	}
}

// A copyFinder analyzes one package.
type copyFinder struct {
	pass   *analysis.Pass
	places flow.Places
	names  *rewrite.Locals
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	f := &copyFinder{pass: pass, places: flow.NewPlaces(pass.TypesInfo, root), names: rewrite.NewLocals(pass)}
	for c := range root.Preorder((*ast.RangeStmt)(nil)) {
		if l := f.loop(c); l != nil {
			message := fmt.Sprintf("each iteration copies the %d bytes of an element to %s", l.size, l.value.Name())
			rules.Report(pass, l.stmt.Value, "copylarge", message, f.indexed(l))
		}
	}
	return nil, nil
}

// A loop ranges over a slice by value.
type loop struct {
	inspector.Cursor
	stmt  *ast.RangeStmt
	value *types.Var
	size  int64
	uses  []inspector.Cursor // of the value, in the body
}

// loop returns a loop whose copies are large and only read, or nil.
func (f *copyFinder) loop(c inspector.Cursor) *loop {
	info := f.pass.TypesInfo
	l := &loop{Cursor: c}
	var ok bool
	if l.stmt, ok = c.Node().(*ast.RangeStmt); !ok || l.stmt.Tok != token.DEFINE {
		return nil
	}
	id, ok := l.stmt.Value.(*ast.Ident)
	if !ok {
		return nil
	}
	l.value, _ = info.Defs[id].(*types.Var)
	s, ok := info.TypeOf(l.stmt.X).Underlying().(*types.Slice)
	if l.value == nil || !ok || flow.SizeVaries(s.Elem()) {
		return nil
	}
	if l.size = f.pass.TypesSizes.Sizeof(s.Elem()); l.size <= maxSize {
		return nil
	}
	home, _ := flow.Func(c)
	for _, use := range f.places[l.value][1:] {
		fn, _ := flow.Func(use)
		if fn != home || changed(use) || flow.Addresses(info, use) {
			return nil
		}
		l.uses = append(l.uses, use)
	}
	return l
}

// changed reports whether a use of a value sets it or a part of it.
func changed(use inspector.Cursor) bool {
	for c := use; ; c = c.Parent() {
		if flow.IsSet(c) {
			return true
		}
		switch c.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.IndexExpr_X, edge.ParenExpr_X:
		default:
			return false
		}
	}
}

// indexed returns the fix that reads the elements in place.
func (f *copyFinder) indexed(l *loop) analysis.SuggestedFix {
	info := f.pass.TypesInfo
	slice := flow.Variable(info, l.stmt.X)
	value := l.value.Name()
	switch {
	case slice == nil:
		return rules.None(rewrite.Text(f.pass, l.stmt.X) + " is not a variable: with one for the slice, the loop " +
			"reads the elements in place")
	case len(l.uses) == 0:
		return rules.None(value + " is never used: range without it")
	case !f.places.Steady(info, slice, l.stmt.Pos(), l.stmt.End()):
		return rules.None(slice.Name() + " may be set in the loop: range over a variable that is not")
	case !f.unchanged(l):
		return rules.None("the loop may change the elements while it uses " + value + ": if it does not, range " +
			"over the indexes of " + slice.Name() + " and take the address of each")
	case rewrite.HasComment(f.pass, l.stmt.Key.Pos(), l.stmt.Value.End()):
		return rules.None(rules.LostComment)
	}
	none := rules.None("a name in the loop hides " + slice.Name() + " or its index: rename it, and the loop reads " +
		"the elements in place")
	key, ok := l.stmt.Key.(*ast.Ident)
	if !ok {
		return none
	}
	index := key.Name
	if index == "_" {
		index = f.names.Fresh(l.stmt.Pos(), "i")
	}
	if v, ok := info.Defs[key].(*types.Var); ok {
		for _, use := range f.places[v] {
			if use.Node() != ast.Node(key) && (flow.IsSet(use) || flow.Addresses(info, use)) {
				return rules.None("the loop changes " + key.Name + ": with an index that stays, it reads the " +
					"elements in place")
			}
		}
	}
	fix := analysis.SuggestedFix{
		Message:   "Read the elements in place",
		TextEdits: []analysis.TextEdit{{Pos: key.Pos(), End: l.stmt.Value.End(), NewText: []byte(index)}},
	}
	for _, use := range l.uses {
		at := use.Node().Pos()
		if rewrite.Lookup(f.pass, at, slice.Name()) != types.Object(slice) ||
			index == key.Name && rewrite.Lookup(f.pass, at, index) != info.Defs[key] {
			return none
		}
		if use.ParentEdgeKind() == edge.KeyValueExpr_Key {
			return none
		}
		fix.TextEdits = append(fix.TextEdits, rewrite.Replace(use.Node(), slice.Name()+"["+index+"]"))
	}
	return fix
}

// unchanged reports whether an element is the same at all its uses in the body as at the start of
// the iteration.
func (f *copyFinder) unchanged(l *loop) bool {
	info := f.pass.TypesInfo
	last := l.uses[len(l.uses)-1].Node().Pos()
	body, ok := l.FindNode(l.stmt.Body)
	if !ok {
		return false
	}
	for c := range body.Preorder() {
		switch n := c.Node().(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt, *ast.LabeledStmt:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return false
			}
		case *ast.RangeStmt:
			switch info.TypeOf(n.X).Underlying().(type) {
			case *types.Chan, *types.Signature:
				return false
			}
			if n.Tok == token.ASSIGN {
				return false
			}
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if _, ok := ast.Unparen(to).(*ast.Ident); !ok {
					return false
				}
			}
		case *ast.IncDecStmt:
			if _, ok := ast.Unparen(n.X).(*ast.Ident); !ok {
				return false
			}
		case *ast.CallExpr:
			if flow.Builtin(info, n) == "append" {
				if inner, loops := flow.Loop(c); last >= n.End() || loops && inner != l.Cursor {
					return false
				}
				continue
			}
			if !f.harmless(n) {
				return false
			}
		}
	}
	return true
}

// harmless reports whether a call has no side effects.
func (f *copyFinder) harmless(call *ast.CallExpr) bool {
	if _, ok := flow.Conversion(f.pass.TypesInfo, call); ok {
		return true
	}
	switch flow.Builtin(f.pass.TypesInfo, call) {
	case "len", "cap", "min", "max":
		return true
	}
	switch flow.Callee(f.pass.TypesInfo, call) {
	case "strings.Contains", "strings.HasPrefix", "strings.HasSuffix", "strings.EqualFold",
		"strings.ToLower", "strings.ToUpper", "strings.TrimSpace":
		return true
	}
	return false
}
