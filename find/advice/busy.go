package advice

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/whet-go/whet/internal/find/syntax"
)

// minSpin is the share of the CPU time from which on a loop is reported.
const minSpin = 0.03

// busyLoops finds loops that look for work again at once when there is none: a select with a
// default that does not wait.
func busyLoops(e *evidence) []Advice {
	var all []Advice
	for _, f := range e.code.List {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			loop, ok := n.(*ast.ForStmt)
			if !ok {
				return true
			}
			for _, s := range loop.Body.List {
				if sel, ok := s.(*ast.SelectStmt); ok && spins(f, loop, sel) {
					if a, ok := e.busyLoop(f, loop, sel); ok {
						all = append(all, a)
					}
				}
			}
			return true
		})
	}
	return all
}

// spins reports whether a select in a loop has a default after which nothing in the loop waits.
func spins(f *syntax.File, loop *ast.ForStmt, sel *ast.SelectStmt) bool {
	var otherwise *ast.CommClause
	for _, s := range sel.Body.List {
		if c, ok := s.(*ast.CommClause); ok && c.Comm == nil {
			otherwise = c
		}
	}
	if otherwise == nil {
		return false
	}
	for _, s := range otherwise.Body {
		if !idle(f, s) {
			return false
		}
	}
	for _, s := range loop.Body.List {
		if s != sel && !idle(f, s) {
			return false
		}
	}
	return true
}

// idle reports whether a statement neither waits nor works: nothing is called but what returns at
// once.
func idle(f *syntax.File, n ast.Node) bool {
	idle := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := f.CalleeName(n)
			if name == "runtime.Gosched" || strings.HasPrefix(strings.TrimPrefix(name, "(*"), "sync/atomic.") {
				return true
			}
			idle = false
		case *ast.BranchStmt:
			idle = idle && n.Tok == token.CONTINUE
		case *ast.ReturnStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt:
			idle = false
		case *ast.UnaryExpr:
			idle = idle && n.Op != token.ARROW
		}
		return idle
	})
	return idle
}

// busyLoop returns the advice about a loop if it uses CPU time itself.
func (e *evidence) busyLoop(f *syntax.File, loop *ast.ForStmt, sel *ast.SelectStmt) (Advice, bool) {
	inCase := func(at int) bool { // in the body of a case that has received or sent something
		for _, s := range sel.Body.List {
			if c, ok := s.(*ast.CommClause); ok && c.Comm != nil && len(c.Body) > 0 &&
				f.LineOf(c.Body[0].Pos()) <= at && at <= f.LineOf(c.Body[len(c.Body)-1].End()) && at > f.LineOf(c.Pos()) {
				return true
			}
		}
		return false
	}
	var spent int64
	for _, s := range e.cpu.list {
		at := s.own[0]
		if at.File == f.Name && f.Covers(loop, at.Line) && !inCase(at.Line) {
			spent += s.value
		}
	}
	share := e.cpu.share(spent)
	if share < minSpin {
		return Advice{}, false
	}
	e.spins += spent
	return Advice{
		Kind: BusyLoop, Title: "loop that never waits", Place: e.place(f.At(sel.Pos()), ""), Share: share, Of: ofCPU,
		Also: []Place{e.place(f.At(loop.Pos()), "the loop")},
		Evidence: fmt.Sprintf("%s of the CPU time: with nothing to receive, default begins the next iteration at once",
			percent(share)),
		Do: "remove the default, so that the select waits; or wait in it for a timer or a signal",
	}, true
}
