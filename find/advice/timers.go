package advice

import (
	"fmt"
	"go/ast"

	"github.com/whet-go/whet/internal/find/syntax"
)

// minTimers is the number of timers per second from which on a loop is reported.
const minTimers = 20

// loopTimers finds loops that make a timer for each select, and how many that are.
func loopTimers(e *evidence) []Advice {
	t := e.in.Traces
	if t == nil || t.length == 0 {
		return nil
	}
	counts := map[syntax.Line]int64{}
	for i := range t.selects {
		if p := e.path(t.selects[i].stack); len(p.own) > 0 {
			counts[p.own[0]] += t.selects[i].count
		}
	}
	spent := map[syntax.Line]cost{}
	for s, c := range e.costs {
		if makesTimer(s.callee) {
			sum := spent[s.own[0]]
			sum.add(c)
			spent[s.own[0]] = sum
		}
	}
	var all []Advice
	for _, f := range e.code.List {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectStmt)
			if !ok {
				return true
			}
			at := f.At(sel.Pos())
			perSecond := float64(counts[at]) / t.length.Seconds()
			if perSecond < minTimers {
				return true
			}
			_, loop := e.code.Loop(at)
			if loop == nil {
				return true
			}
			for _, s := range eachTime(loop, sel) {
				if call := timer(f, s); call != nil {
					all = append(all, e.loopTimer(f.At(call.Pos()), at, perSecond, spent[f.At(call.Pos())]))
				}
			}
			return true
		})
	}
	return all
}

// eachTime returns what runs whenever a loop comes to a select in its body: the statements before
// it, and what its cases wait for.
func eachTime(loop ast.Stmt, sel *ast.SelectStmt) (list []ast.Node) {
	var body *ast.BlockStmt
	switch loop := loop.(type) {
	case *ast.ForStmt:
		body = loop.Body
	case *ast.RangeStmt:
		body = loop.Body
	}
	for _, s := range body.List {
		if s == sel {
			break
		}
		switch s.(type) {
		case *ast.AssignStmt, *ast.DeclStmt:
			list = append(list, s)
		}
	}
	for _, s := range sel.Body.List {
		if c, ok := s.(*ast.CommClause); ok && c.Comm != nil {
			list = append(list, c.Comm)
		}
	}
	return list
}

// timer returns the call that makes a timer in a node, or nil.
func timer(f *syntax.File, within ast.Node) (found *ast.CallExpr) {
	ast.Inspect(within, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && makesTimer(f.CalleeName(call)) {
			found = call
		}
		return found == nil
	})
	return found
}

func makesTimer(function string) bool {
	switch function {
	case "time.After", "time.NewTimer", "time.Tick", "time.NewTicker":
		return true
	}
	return false
}

func (e *evidence) loopTimer(at, sel syntax.Line, perSecond float64, spent cost) Advice {
	share, of, costs := e.of(spent)
	return Advice{
		Kind: LoopTimer, Title: "timer made in each iteration of a loop", Place: e.place(at, ""), Share: share, Of: of,
		Also: []Place{e.place(sel, "waits here")},
		Evidence: fmt.Sprintf("%.0f timers per second, %s; each exists until it fires or, since Go 1.23, is collected",
			perSecond, costs),
		Do: "make one timer before the loop, and Reset it in each iteration; for work at intervals, use a time.Ticker",
	}
}
