package calls

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// mostStatements is the number of statements of a function up to which an unlock that is not deferred may matter.
const mostStatements = 10

// unlockGenerator unlocks before each return of a small function instead of deferring it.
func unlockGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "unlock", Title: "deferred unlock in a small function",
		Why: "the compiler inlines no function that defers a call",
		Assumes: "nothing panics, or ends the goroutine, while the lock is held, and a condition of the lock still holds " +
			"then",
		Kinds: []diagnosis.Kind{
			diagnosis.Lock, diagnosis.Panic, diagnosis.Own, diagnosis.Runtime, diagnosis.Atomic, diagnosis.MapAccess,
		},
		Propose: visit((*site).unlocked),
	}
}

// unlocked replaces a deferred unlock that follows the lock at the beginning of the function.
func (s *site) unlocked() (p proposal, ok bool) {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || len(decl.Body.List) < 2 {
		return p, false
	}
	list, condition := decl.Body.List, ""
	if cond, isIf := list[0].(*ast.IfStmt); isIf && cond.Init == nil && cond.Else == nil && len(cond.Body.List) == 2 {
		list = cond.Body.List
		if condition = s.Text(cond.Cond); flow.Calls(s.Pass.TypesInfo, cond.Cond) {
			return p, false
		}
	}
	lock, isCall := list[0].(*ast.ExprStmt)
	deferred, isDefer := list[1].(*ast.DeferStmt)
	if !isCall || !isDefer {
		return p, false
	}
	locks, ok := lock.X.(*ast.CallExpr)
	if !ok {
		return p, false
	}
	switch [2]string{flow.Callee(s.Pass.TypesInfo, locks), flow.Callee(s.Pass.TypesInfo, deferred.Call)} {
	case [2]string{"(*sync.Mutex).Lock", "(*sync.Mutex).Unlock"},
		[2]string{"(*sync.RWMutex).Lock", "(*sync.RWMutex).Unlock"},
		[2]string{"(*sync.RWMutex).RLock", "(*sync.RWMutex).RUnlock"}:
	default:
		return p, false
	}
	unlock := s.Text(deferred.Call)
	p.Message = "Call " + unlock + " before each return"
	if rewrite.HasComment(s.Pass, lock.End(), deferred.End()) || !s.simple(decl, deferred) {
		return p, false
	}
	if condition != "" {
		unlock = fmt.Sprintf("if %s {\n%s\n}", condition, unlock)
	}
	p.Edits = []analysis.TextEdit{{Pos: lock.End(), End: deferred.End()}}
	last := decl.Body.List[len(decl.Body.List)-1]
	for c := range s.Decl.Preorder((*ast.ReturnStmt)(nil)) {
		ret, isReturn := c.Node().(*ast.ReturnStmt)
		if !isReturn || !flow.InBlock(c) {
			return p, false
		}
		text, ok := s.unlockedReturn(decl, ret, unlock)
		if !ok {
			return p, false
		}
		p.Edits = append(p.Edits, rewrite.Replace(ret, text))
	}
	if _, ends := last.(*ast.ReturnStmt); !ends {
		if decl.Type.Results != nil {
			return p, false // a switch or a panic ends it
		}
		p.Edits = append(p.Edits, rewrite.Insert(last.End(), "\n"+unlock))
	}
	return p, true
}

// simple reports whether a function has few statements, and none that loops, defers, waits, or contains a function.
func (s *site) simple(decl *ast.FuncDecl, deferred ast.Stmt) bool {
	n, simple := 0, true
	if decl.Type.Results != nil && len(decl.Type.Results.List[0].Names) > 0 {
		return false
	}
	for c := range s.Decl.Preorder() {
		switch c.Node().(type) {
		case *ast.BlockStmt:
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.SelectStmt, *ast.GoStmt, *ast.SendStmt, *ast.LabeledStmt:
			simple = false
		case *ast.DeferStmt:
			n++
			simple = simple && c.Node() == deferred
		case ast.Stmt:
			n++
		}
	}
	return simple && n <= mostStatements
}

// unlockedReturn returns the source of a return that computes its results, and then unlocks.
func (s *site) unlockedReturn(decl *ast.FuncDecl, ret *ast.ReturnStmt, unlock string) (text string, ok bool) {
	if rewrite.HasComment(s.Pass, ret.Pos(), ret.End()) {
		return "", false
	}
	fn, ok := s.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return "", false
	}
	results := fn.Signature().Results()
	var names, values, all []string
	fresh := func() string {
		name := s.Locals.Fresh(ret.Pos(), "result")
		names = append(names, name)
		return name
	}
	if len(ret.Results) == 1 && results.Len() > 1 {
		for range results.Len() {
			all = append(all, fresh())
		}
		values = []string{s.Text(ret.Results[0])}
	} else {
		for i, e := range ret.Results {
			if tv := s.Pass.TypesInfo.Types[e]; tv.Value != nil || tv.IsNil() || flow.Variable(s.Pass.TypesInfo, e) != nil {
				all = append(all, s.Text(e)) // nothing else can set it
				continue
			}
			typ, isWritten := rewrite.TypeText(s.Pass, ret.Pos(), results.At(i).Type())
			if !isWritten {
				return "", false
			}
			value := s.Text(e)
			if !types.Identical(s.Pass.TypesInfo.TypeOf(e), results.At(i).Type()) {
				value = fmt.Sprintf("%s(%s)", parenthesized(typ), value)
			}
			all, values = append(all, fresh()), append(values, value)
		}
	}
	if len(names) > 0 {
		text = fmt.Sprintf("%s := %s\n", strings.Join(names, ", "), strings.Join(values, ", "))
	}
	return strings.TrimSpace(fmt.Sprintf("%s%s\nreturn %s", text, unlock, strings.Join(all, ", "))), true
}

// parenthesized returns a type as a conversion names it.
func parenthesized(typ string) string {
	if strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "func") || strings.HasPrefix(typ, "<-") {
		return "(" + typ + ")"
	}
	return typ
}
