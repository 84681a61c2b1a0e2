package advice

import (
	"fmt"
	"go/ast"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/trace/stacks"
	"github.com/whet-go/whet/unit"
)

// minLeaked is the growth from which on goroutines without proof of a leak are reported: fewer may
// be work in progress at the end of the window.
const minLeaked = 20

// leaks finds goroutines that own code starts and that do not end.
func leaks(e *evidence) []Advice {
	s := e.in.Goroutines
	if s == nil {
		return nil
	}
	var all []Advice
	for i := range s.Groups {
		g := &s.Groups[i]
		proven := g.Verdict == goroutines.Leak
		if !proven && (g.Verdict != goroutines.Suspect || g.Delta < minLeaked || s.Earlier == "") {
			continue
		}
		var blocked, created syntax.Line
		if f, ok := g.OwnFrame(func(f goroutines.Frame) bool { _, ok := e.locate(stacks.Frame(f)); return ok }); ok {
			blocked, _ = e.locate(stacks.Frame(f))
		}
		if g.Creator.File != "" {
			f := stacks.Frame{Func: g.Creator.Func, File: g.Creator.File, Line: g.Creator.Line}
			created, _ = e.locate(f)
		}
		if blocked.Line == 0 && created.Line == 0 {
			continue
		}
		if created.Line == 0 {
			created = e.goStatement(blocked)
		}
		a := Advice{
			Kind: GoroutineLeak, Title: "goroutines that do not end", Of: ofStarted,
			Share: float64(max(g.Delta, g.Leaked)) / float64(max(s.Total, 1)),
			Do:    "let each end: a channel with capacity for its only result, a select with the context's Done, or a close",
		}
		at := created
		if at.Line == 0 {
			at = blocked
		}
		a.Place = e.place(at, "")
		if blocked.Line > 0 && blocked != at {
			a.Also = append(a.Also, e.place(blocked, "they wait here"))
		}
		if s.Earlier != "" {
			a.Evidence = fmt.Sprintf("%d goroutines that this starts exist at the end, %d more than at the start",
				g.Count, g.Delta)
		} else {
			a.Evidence = fmt.Sprintf("%d goroutines that this starts exist", g.Count)
		}
		if g.Reason != "" {
			a.Evidence += ", waiting in " + g.Reason
		}
		if w := g.Longest; w.For > 0 {
			more := ""
			if w.AtLeast {
				more = " or more"
			}
			a.Evidence += fmt.Sprintf(", one for %v%s", unit.Duration(w.For), more)
		}
		if proven {
			a.Evidence += fmt.Sprintf("; the garbage collector found that nothing can wake %d of them", g.Leaked)
		}
		all = append(all, a)
	}
	return all
}

// goStatement returns the go statement around the function literal that a line is in, or the only
// one that starts the function it is in; no line if there is none.
func (e *evidence) goStatement(at syntax.Line) syntax.Line {
	f, nodes := e.code.Enclosing(at)
	for i := len(nodes) - 1; i >= 0; i-- {
		if s, ok := goOf(nodes[i]); ok {
			return f.At(s.Pos())
		}
	}
	return onlyGo(e.code, e.code.FunctionAt(at))
}

// goOf returns a node as a go statement.
func goOf(n ast.Node) (*ast.GoStmt, bool) {
	g, ok := n.(*ast.GoStmt)
	return g, ok
}

// onlyGo returns the line of the only go statement that starts a function; no line if there are
// none or several.
func onlyGo(c *syntax.Code, fn *syntax.Function) (at syntax.Line) {
	if fn == nil {
		return syntax.Line{}
	}
	several := false
	for _, f := range c.List {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if g, ok := goOf(n); ok && c.Called(f, g.Call) == fn {
				several = several || at.Line > 0
				at = f.At(g.Pos())
			}
			return true
		})
	}
	if several {
		return syntax.Line{}
	}
	return at
}
