package advice

import (
	"fmt"
	"go/ast"
)

// minTimers is the number of timers per second from which on a loop is reported.
const minTimers = 20

// loopTimers finds loops that make a timer for each select, and how many that are.
func loopTimers(e *evidence) []Advice {
	t := e.in.Traces
	if t == nil || t.length == 0 {
		return nil
	}
	counts := map[line]int64{}
	for i := range t.selects {
		if p := e.path(t.selects[i].stack); len(p.own) > 0 {
			counts[p.own[0]] += t.selects[i].count
		}
	}
	spent := map[line]cost{}
	for s, c := range e.costs {
		if makesTimer(s.callee) {
			sum := spent[s.own[0]]
			sum.add(c)
			spent[s.own[0]] = sum
		}
	}
	var all []Advice
	for _, f := range e.code.list {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectStmt)
			if !ok {
				return true
			}
			at := f.at(sel.Pos())
			perSecond := float64(counts[at]) / t.length.Seconds()
			if perSecond < minTimers {
				return true
			}
			_, loop := e.code.loop(at)
			if loop == nil {
				return true
			}
			for _, s := range eachTime(loop, sel) {
				if call := f.timer(s); call != nil {
					all = append(all, e.loopTimer(f.at(call.Pos()), at, perSecond, spent[f.at(call.Pos())]))
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
func (f *file) timer(within ast.Node) (found *ast.CallExpr) {
	ast.Inspect(within, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && makesTimer(f.calleeName(call)) {
			found = call
		}
		return found == nil
	})
	return found
}

func makesTimer(function string) bool {
	return function == "time.After" || function == "time.NewTimer" || function == "time.Tick" || function == "time.NewTicker"
}

func (e *evidence) loopTimer(at, sel line, perSecond float64, spent cost) Advice {
	share, of, costs := e.of(spent)
	return Advice{
		Kind: LoopTimer, Title: "timer made in each iteration of a loop", Place: e.place(at, ""), Share: share, Of: of,
		Also: []Place{e.place(sel, "waits here")},
		Evidence: fmt.Sprintf("%.0f timers per second, %s; each exists until it fires or, since Go 1.23, is collected",
			perSecond, costs),
		Do: "make one timer before the loop, and Reset it in each iteration; for work at intervals, use a time.Ticker",
	}
}
