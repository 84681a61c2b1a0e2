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

// mutexGenerator uses a Mutex where an RWMutex is locked for a short time.
func mutexGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "mutex", Title: "RWMutex locked for a short time",
		Why: "a Mutex is locked and unlocked with fewer atomic operations, which matters more than readers that wait for " +
			"each other where they hold the lock for a few instructions",
		Assumes: "no goroutine locks it for reading twice, and readers hold it for a short time",
		Kinds:   []diagnosis.Kind{diagnosis.Lock, diagnosis.Atomic, diagnosis.Runtime, diagnosis.Own},
		Propose: func(at *sites.Site) (list []sites.Proposal) {
			s := &site{at}
			for _, c := range s.CallsOf("(*sync.RWMutex).Lock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RLock",
				"(*sync.RWMutex).RUnlock") {
				if p, ok := s.onlyMutex(c); ok {
					list = append(list, p)
				}
			}
			return list
		},
	}
}

// onlyMutex changes the type of the field with the lock that a call is of, and all calls for reading in the package.
func (s *site) onlyMutex(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return p, false
	}
	field := s.lockOf(call, "sync.RWMutex")
	if field == nil || field.Exported() && !field.Embedded() {
		return p, false
	}
	for use := range s.Root.Preorder((*ast.Field)(nil)) {
		f, isField := use.Node().(*ast.Field)
		if !isField || !s.declares(f, field) {
			continue
		}
		sel, isSelector := f.Type.(*ast.SelectorExpr)
		if !isSelector || len(f.Names) > 1 || rewrite.Generated(s.Pass, f.Pos()) {
			return p, false
		}
		p.Edits = []analysis.TextEdit{rewrite.Replace(sel.Sel, "Mutex")}
	}
	if len(p.Edits) == 0 {
		return p, false
	}
	for use := range s.Root.Preorder((*ast.SelectorExpr)(nil)) {
		sel, isSelector := use.Node().(*ast.SelectorExpr)
		if !isSelector || s.fieldOf(sel, "sync.RWMutex") != field {
			continue
		}
		switch sel.Sel.Name {
		case "RLock":
			p.Edits = append(p.Edits, rewrite.Replace(sel.Sel, "Lock"))
		case "RUnlock":
			p.Edits = append(p.Edits, rewrite.Replace(sel.Sel, "Unlock"))
		case "Lock", "Unlock", "TryLock":
		default:
			return p, false
		}
		if use.ParentEdgeKind() != edge.CallExpr_Fun {
			return p, false
		}
	}
	p.Message = "Use a Mutex for " + field.Name()
	return p, true
}

// declares reports whether a field of a struct type declares a variable.
func (s *site) declares(f *ast.Field, v *types.Var) bool {
	for _, name := range f.Names {
		if s.Pass.TypesInfo.Defs[name] == types.Object(v) {
			return true
		}
	}
	return len(f.Names) == 0 && f.Type.Pos() <= v.Pos() && v.Pos() < f.Type.End()
}

// lockOf returns the field with the lock of a type that a call is of; nil if it is not the field of a struct of the
// package.
func (s *site) lockOf(call *ast.CallExpr, typ string) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return s.fieldOf(sel, typ)
}

// fieldOf returns the field of a type of lock that a selector selects a method of, named or embedded.
func (s *site) fieldOf(sel *ast.SelectorExpr, typ string) *types.Var {
	info := s.Pass.TypesInfo
	method := info.Selections[sel]
	if method == nil || method.Kind() != types.MethodVal {
		return nil
	}
	if fn, ok := method.Obj().(*types.Func); !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return nil
	}
	var field *types.Var
	if len(method.Index()) > 1 {
		t := method.Recv()
		for _, i := range method.Index()[:len(method.Index())-1] {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			u, ok := t.Underlying().(*types.Struct)
			if !ok {
				return nil
			}
			field = u.Field(i)
			t = field.Type()
		}
	} else if x, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && info.Selections[x] != nil {
		field, _ = info.Selections[x].Obj().(*types.Var)
	}
	if field == nil || field.Pkg() != s.Pass.Pkg || field.Type().String() != typ ||
		flow.Variable(info, sel.X) == field {
		return nil
	}
	return field
}
