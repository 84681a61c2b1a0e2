package locks

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	// Stacks of these profiles begin at the exported methods: Unlock in the mutex profile, with how
	// long others waited; Lock in the block profile, where they waited.
	const locking = `^sync\.\(\*(RW)?Mutex\)\.`
	cause := func(category, title, byHand string) rules.Cause {
		return rules.Cause{
			Category: category, Title: title, ByHand: byHand,
			CPU: locking + `|^internal/sync\.`, Alloc: rules.Nothing, Mutex: locking, Block: locking,
			Needs: rules.Review,
		}
	}
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "locks",
			Doc:      "report locks that are held during work that does not need them",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			cause("wait", "lock held while waiting",
				"what the lock protects depends on the program: copy what is needed under the lock, and wait "+
					"after Unlock"),
			cause("work", "lock held while formatting or encoding",
				"what the lock protects depends on the program: copy the values under the lock, and format "+
					"them after Unlock"),
			cause("reads", "readers that block each other",
				"which lock pays off depends on how long sections are: use an RWMutex, or an atomic.Pointer "+
					"to a snapshot"),
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A section is a critical section.
type section struct {
	lock     *ast.CallExpr
	mutex    string // in the source
	reading  bool   // RLock
	shared   bool   // a Mutex, not an RWMutex
	deferred bool   // until the function returns
	from, to token.Pos
	body     []ast.Stmt
}

// Pos returns the start of the section, the call of Lock.
func (s *section) Pos() token.Pos { return s.from }

// End returns the end of the call of Unlock, or of the function that defers it.
func (s *section) End() token.Pos { return s.to }

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	known := newKnown(pass)
	for c := range root.Preorder((*ast.BlockStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil)) {
		list := statements(c.Node())
		for i := range list {
			if s := sectionAt(pass, c, list, i); s != nil {
				report(pass, known, s)
			}
		}
	}
	return nil, nil
}

func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// lockCall returns the method that a statement calls on a mutex, and the mutex as written in the
// source.
func lockCall(pass *analysis.Pass, call *ast.CallExpr) (method, mutex string) {
	name := flow.Callee(pass.TypesInfo, call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(name, "(*sync.Mutex).") && !strings.HasPrefix(name, "(*sync.RWMutex).") {
		return "", ""
	}
	return name, rewrite.Text(pass, sel.X)
}

// sectionAt returns the section that begins at a statement of a list, or nil if none does, or if it
// ends outside the list.
func sectionAt(pass *analysis.Pass, c inspector.Cursor, list []ast.Stmt, i int) *section {
	expr, ok := list[i].(*ast.ExprStmt)
	if !ok {
		return nil
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok {
		return nil
	}
	method, mutex := lockCall(pass, call)
	unlock := ""
	switch {
	case strings.HasSuffix(method, ").Lock"):
		unlock = strings.TrimSuffix(method, "Lock") + "Unlock"
	case strings.HasSuffix(method, ").RLock"):
		unlock = strings.TrimSuffix(method, "RLock") + "RUnlock"
	default:
		return nil
	}
	s := &section{
		lock: call, mutex: mutex,
		reading: strings.HasSuffix(unlock, "RUnlock"),
		shared:  strings.HasPrefix(method, "(*sync.Mutex)"),
		from:    call.Pos(),
	}
	for j, stmt := range list[i+1:] {
		switch stmt := stmt.(type) {
		case *ast.DeferStmt:
			if name, of := lockCall(pass, stmt.Call); name == unlock && of == mutex {
				s.deferred = true
				s.body = list[i+1:]
				s.to = c.Node().End()
				if f, ok := flow.Func(c); ok {
					s.to = f.Node().End()
				}
				return s
			}
		case *ast.ExprStmt:
			if inner, ok := stmt.X.(*ast.CallExpr); ok {
				if name, of := lockCall(pass, inner); name == unlock && of == mutex {
					s.body, s.to = list[i+1:i+1+j], stmt.End()
					return s
				}
			}
		}
	}
	return nil
}

// report reports a section, with the work in it that does not need the lock.
func report(pass *analysis.Pass, known *known, s *section) {
	var waits, works []string
	for _, stmt := range s.body {
		if unlocks(pass, stmt, s.mutex) {
			continue // what follows is not in the section
		}
		known.visit(stmt, func(kind kind, what string) {
			switch {
			case kind == waiting && !has(waits, what):
				waits = append(waits, what)
			case kind == working && !has(works, what):
				works = append(works, what)
			}
		})
	}
	until := ""
	if s.deferred {
		until = ", until the function returns,"
	}
	switch {
	case len(waits) > 0:
		rules.Report(pass, s, "wait",
			fmt.Sprintf("%s is held%s during %s: others wait for it "+
				"meanwhile", s.mutex, until, some(append(waits, works...))),
			analysis.SuggestedFix{})
	case len(works) > 0:
		rules.Report(pass, s, "work",
			fmt.Sprintf("%s is held%s during %s: others wait for it meanwhile", s.mutex, until, some(works)),
			analysis.SuggestedFix{})
	case s.shared && onlyReads(pass.TypesInfo, s):
		rules.Report(pass, s, "reads",
			fmt.Sprintf(
				"what is done under %s only reads, and readers need not wait for each other: "+
					"use an RWMutex if sections are long, "+
					"or an atomic.Pointer to a snapshot if writes are rare",
				s.mutex,
			),
			analysis.SuggestedFix{})
	}
}

// unlocks reports whether a mutex is unlocked within a statement that is not the section's end.
func unlocks(pass *analysis.Pass, stmt ast.Stmt, mutex string) bool {
	if _, ok := stmt.(*ast.DeferStmt); ok {
		return false
	}
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, of := lockCall(pass, call)
			found = found || of == mutex && strings.HasSuffix(name, "Unlock")
		}
		return !found
	})
	return found
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// some returns the first entries of a list.
func some(list []string) string {
	const most = 3
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}

// onlyReads reports whether a section performs a map lookup or a loop and, as far as can be seen,
// changes only local variables: it calls only len, cap and conversions. Reading a field takes less
// time than an RWMutex.
func onlyReads(info *types.Info, s *section) bool {
	reads, changes := false, false
	local := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && (id.Name == "_" || flow.Variable(info, id) != nil)
	}
	for _, stmt := range s.body {
		ast.Inspect(stmt, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.DeferStmt:
				if stmt == n { // the Unlock, or another unknown call
					changes = changes || !strings.HasSuffix(flow.Callee(info, n.Call), "Mutex).Unlock")
					return false
				}
				changes = true
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					changes = changes || !local(l)
				}
			case *ast.IncDecStmt:
				changes = changes || !local(n.X)
			case *ast.RangeStmt:
				reads = true
				changes = changes || n.Key != nil && !local(n.Key) || n.Value != nil && !local(n.Value)
			case *ast.UnaryExpr:
				changes = changes || n.Op == token.AND || n.Op == token.ARROW
			case *ast.FuncLit, *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.LabeledStmt:
				changes = true
			case *ast.CallExpr:
				_, isConversion := flow.Conversion(info, n)
				b := flow.Builtin(info, n)
				changes = changes || !isConversion && b != "len" && b != "cap"
			case *ast.ForStmt:
				reads = true
			case *ast.IndexExpr:
				if t := info.TypeOf(n.X); t != nil {
					_, isMap := t.Underlying().(*types.Map)
					reads = reads || isMap
				}
			}
			return !changes
		})
	}
	return reads && !changes
}
