package calls

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// readLockGenerator lets functions that only read hold a lock at the same time.
func readLockGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "readlock", Title: "lock held by one reader at a time",
		Why:     "with an RWMutex, functions that only read what the lock protects do not wait for each other",
		Assumes: "these functions only read, and several goroutines run them at the same time",
		Kinds:   []diagnosis.Kind{diagnosis.Lock, diagnosis.Atomic, diagnosis.Scheduling, diagnosis.Wait},
		Propose: func(at *sites.Site) (list []sites.Proposal) {
			s := &site{at}
			for _, c := range s.CallsOf("(*sync.Mutex).Lock", "(*sync.Mutex).Unlock") {
				if p, ok := s.sharedByReaders(c); ok {
					list = append(list, p)
				}
			}
			return list
		},
	}
}

// sharedByReaders changes the type of the field with the lock that a call is of, and the calls in functions that only
// read.
func (s *site) sharedByReaders(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return p, false
	}
	const mutex = "sync.Mutex"
	field := s.lockOf(call, mutex)
	if field == nil || field.Exported() || field.Embedded() {
		return p, false
	}
	calls := map[inspector.Cursor][]*ast.SelectorExpr{} // of the lock, by function
	var readers []inspector.Cursor
	for use := range s.Root.Preorder((*ast.Ident)(nil)) {
		if s.Pass.TypesInfo.ObjectOf(sites.IdentOf(use)) != types.Object(field) {
			continue
		}
		if use.ParentEdgeKind() == edge.Field_Names {
			f, isField := use.Parent().Node().(*ast.Field)
			sel, isSelector := f.Type.(*ast.SelectorExpr)
			if !isField || !isSelector || len(f.Names) > 1 || rewrite.Generated(s.Pass, f.Pos()) {
				return p, false
			}
			p.Edits = append(p.Edits, rewrite.Replace(sel.Sel, "RWMutex"))
			continue
		}
		method := use.Parent().Parent() // x.mu.Lock
		sel, isSelector := method.Node().(*ast.SelectorExpr)
		if !isSelector || s.fieldOf(sel, mutex) != field || method.ParentEdgeKind() != edge.CallExpr_Fun ||
			sel.Sel.Name != "Lock" && sel.Sel.Name != "Unlock" {
			return p, false
		}
		f := sites.FunctionOf(method)
		if calls[f] == nil && s.onlyReads(f, field) {
			readers = append(readers, f)
		}
		calls[f] = append(calls[f], sel)
	}
	if len(p.Edits) != 1 {
		return p, false
	}
	p.Edits = append(p.Edits, s.readLocks(readers, calls)...)
	p.Message = "Use an RWMutex for " + field.Name()
	return p, len(p.Edits) > 1
}

// readLocks returns the edits that lock for reading, in functions that lock and unlock.
func (s *site) readLocks(
	readers []inspector.Cursor, calls map[inspector.Cursor][]*ast.SelectorExpr,
) (edits []analysis.TextEdit) {
	for _, f := range readers {
		locks, unlocks := 0, 0
		var here []analysis.TextEdit
		for _, sel := range calls[f] {
			if sel.Sel.Name == "Lock" {
				locks++
			} else {
				unlocks++
			}
			here = append(here, rewrite.Replace(sel.Sel, "R"+sel.Sel.Name))
		}
		if locks == 1 && unlocks > 0 {
			edits = append(edits, here...)
		}
	}
	return edits
}

// onlyReads reports whether a function sets nothing but its own variables, and calls only what computes something.
func (s *site) onlyReads(f inspector.Cursor, lock *types.Var) bool {
	info := s.Pass.TypesInfo
	reads := true
	set := func(e ast.Expr) {
		v := flow.Variable(info, e)
		reads = reads && (sites.IsBlank(e) || v != nil && f.Node().Pos() <= v.Pos() && v.Pos() < f.Node().End())
	}
	ast.Inspect(f.Node(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				set(left)
			}
		case *ast.IncDecStmt:
			set(n.X)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					set(e)
				}
			}
		case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt:
			reads = false
		case *ast.FuncLit:
			reads = reads && ast.Node(n) == f.Node()
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && s.fieldOf(sel, "sync.Mutex") == lock {
				return true
			}
			switch flow.Builtin(info, n) {
			case "delete", "clear", "copy", "panic", "close":
				reads = false
			case "":
				fn := s.Code.Funcs[flow.Callee(info, n)]
				reads = reads && (!flow.Calls(info, n) || fn != nil && s.Code.PureFunction(fn))
			}
		}
		return reads
	})
	return reads
}
