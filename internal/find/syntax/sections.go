package syntax

import (
	"go/ast"
	"go/types"
	"strings"
)

// A Section is the lines of a function during which it holds a lock.
type Section struct {
	f        *File
	Lock     types.Object // the mutex
	Name     string       // as written in the source
	From, to Line         // of Lock; of Unlock, or the end of the function
	Reading  bool         // others may read at the same time
}

// Has reports whether a line is in the section, the calls of Lock and Unlock included.
func (s *Section) Has(at Line) bool {
	return at.File == s.From.File && s.From.Line <= at.Line && at.Line <= s.to.Line
}

// Sections returns all critical sections.
func (c *Code) Sections() (all []Section) {
	if c.locked != nil {
		return c.locked
	}
	for _, f := range c.List {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			var list []ast.Stmt
			var end ast.Node
			switch n := n.(type) {
			case *ast.BlockStmt:
				list, end = n.List, n
			case *ast.CaseClause:
				list, end = n.Body, n
			case *ast.CommClause:
				list, end = n.Body, n
			}
			for i, s := range list {
				if one, ok := f.section(list, i, s, end); ok {
					all = append(all, one)
				}
			}
			return true
		})
	}
	c.locked = all
	return all
}

// section returns the section that begins with a statement.
func (f *File) section(list []ast.Stmt, i int, s ast.Stmt, end ast.Node) (Section, bool) {
	mutex, method := f.lockCall(s)
	if method != "Lock" && method != "RLock" {
		return Section{}, false
	}
	one := Section{
		f: f, Lock: f.mutexOf(s), Name: Text(mutex), From: f.At(s.Pos()), to: f.At(end.End()),
		Reading: method == "RLock",
	}
	if one.Lock == nil {
		return Section{}, false
	}
	for _, next := range list[i+1:] {
		if _, m := f.lockCall(next); m == strings.Replace(method, "Lock", "Unlock", 1) && f.mutexOf(next) == one.Lock {
			if _, deferred := next.(*ast.DeferStmt); !deferred {
				one.to = f.At(next.Pos())
			}
			break
		}
	}
	return one, true
}

// callOf returns the call that a statement consists of, deferred or not; nil if it is something else.
func callOf(s ast.Stmt) *ast.CallExpr {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, _ := s.X.(*ast.CallExpr)
		return call
	case *ast.DeferStmt:
		return s.Call
	}
	return nil
}

// mutexOf returns the variable or field that is the mutex of a statement that calls a method of one:
// for an embedded mutex, the field without a name in the source.
func (f *File) mutexOf(s ast.Stmt) types.Object {
	call := callOf(s)
	if call == nil {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	chosen := f.Info().Selections[sel]
	if chosen == nil || len(chosen.Index()) == 1 {
		return f.Object(sel.X)
	}
	var found types.Object
	t := chosen.Recv()
	for _, i := range chosen.Index()[:len(chosen.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		u, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		found, t = u.Field(i).Origin(), u.Field(i).Type()
	}
	return found
}

// lockCall returns the mutex and the method of a statement that calls a method of one.
func (f *File) lockCall(s ast.Stmt) (mutex ast.Expr, method string) {
	call := callOf(s)
	if call == nil {
		return nil, ""
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	name := f.CalleeName(call)
	if !ok || !strings.HasPrefix(name, "(*sync.Mutex).") && !strings.HasPrefix(name, "(*sync.RWMutex).") {
		return nil, ""
	}
	return sel.X, sel.Sel.Name
}
