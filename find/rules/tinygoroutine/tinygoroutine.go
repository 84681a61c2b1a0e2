package tinygoroutine

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "tinygoroutine",
			Doc:      "report loops that start a goroutine for each item",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "start", Title: "goroutine for each item",
				ByHand: "how many may run depends on the work: start a few workers that take the items from a " +
					"channel, or set a limit on the group",
				CPU: `^runtime\.(newproc|newobject|mallocgc)|^sync\.\(\*WaitGroup\)\.(Go|Add)$|` +
					`^golang\.org/x/sync/errgroup\.`,
				Alloc: rules.Line + `|^sync\.\(\*WaitGroup\)\.Go$|^golang\.org/x/sync/errgroup\.`,
				Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
			},
			{
				Category: "channel", Title: "channel for each item's result",
				ByHand: "who reads the results when depends on the program: store each result in its element of a " +
					"slice, and wait for all",
				CPU: `^runtime\.makechan`, Alloc: rules.Line,
				Mutex: rules.Nothing, Block: rules.Nothing, Needs: rules.Review,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.GoStmt)(nil), (*ast.CallExpr)(nil)) {
		at, work := started(pass.TypesInfo, c)
		if at == nil {
			continue
		}
		loop, ok := flow.Loop(c)
		if !ok || !overItems(pass.TypesInfo, loop) || loops(work) ||
			limited(pass.TypesInfo, loop, c) || limits(pass.TypesInfo, c) ||
			recurses(pass, root, c) {
			continue
		}
		rules.Report(pass, at, "start",
			"each iteration starts a goroutine, and nothing limits how many run: "+
				"a few workers, or a group with a limit, start fewer",
			analysis.SuggestedFix{})
		channels(pass, loop, work)
	}
	return nil, nil
}

// started returns what starts a goroutine, a go statement or a call of a group's Go, and the
// function that it runs; nil for all else.
func started(info *types.Info, c inspector.Cursor) (at ast.Node, work *ast.FuncLit) {
	switch n := c.Node().(type) {
	case *ast.GoStmt:
		work, _ = ast.Unparen(n.Call.Fun).(*ast.FuncLit)
		return n, work
	case *ast.CallExpr:
		switch flow.Callee(info, n) {
		case "(*sync.WaitGroup).Go", "(*golang.org/x/sync/errgroup.Group).Go":
			if len(n.Args) == 1 {
				work, _ = ast.Unparen(n.Args[0]).(*ast.FuncLit)
				return n, work
			}
		}
	}
	return nil, nil
}

// overItems reports whether a loop iterates over something that there may be many of: the elements
// of a slice, map or string, or a count that is not constant. An endless loop, or one over a
// channel, takes what comes.
func overItems(info *types.Info, loop inspector.Cursor) bool {
	const few = 16
	switch l := loop.Node().(type) {
	case *ast.ForStmt:
		cond, ok := l.Cond.(*ast.BinaryExpr)
		if !ok || l.Post == nil {
			return false
		}
		n, isConst := flow.IntConst(info, cond.Y)
		return (!isConst || n > few) && !workers(cond.Y)
	case *ast.RangeStmt:
		n, isConst := flow.IntConst(info, l.X)
		if isConst {
			return n > few
		}
		t := info.TypeOf(l.X)
		if t == nil || workers(l.X) {
			return false
		}
		switch u := t.Underlying().(type) {
		case *types.Slice, *types.Map:
			_, isLit := ast.Unparen(l.X).(*ast.CompositeLit)
			return !isLit
		case *types.Array:
			return u.Len() > few
		case *types.Basic:
			return true
		}
	}
	return false
}

// workers reports whether a count is the number of CPUs, judging by the function that it calls.
func workers(count ast.Expr) bool {
	call, ok := ast.Unparen(count).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "NumCPU" || sel.Sel.Name == "GOMAXPROCS")
}

// loops reports whether a goroutine handles more than one item: it contains a loop, or the function
// that it runs is unknown.
func loops(work *ast.FuncLit) bool {
	if work == nil {
		return false // go f(item): the profile shows what f does
	}
	found := false
	ast.Inspect(work.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// limited reports whether the loop waits before it starts the next goroutine: it sends to a
// channel, receives from one, or acquires a semaphore.
func limited(info *types.Info, loop, start inspector.Cursor) bool {
	own, _ := flow.Func(loop)
	sent, received := map[types.Object]bool{}, map[types.Object]bool{}
	for c := range loop.Preorder(
		(*ast.SendStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.SelectStmt)(nil),
	) {
		if f, _ := flow.Func(c); f != own {
			// Results are sent to separate channels; acquiring a semaphore inside is a limit, too.
			switch n := c.Node().(type) {
			case *ast.CallExpr:
				if acquires(info, n) {
					return true
				}
			case *ast.SendStmt:
				sent[channel(info, n.Chan)] = true
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					received[channel(info, n.X)] = true
				}
			}
			continue
		}
		switch n := c.Node().(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			return true
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return true
			}
		case *ast.CallExpr:
			if n != start.Node() && (acquires(info, n) || flow.Callee(info, n) == "(*sync.WaitGroup).Wait") {
				return true
			}
		}
	}
	for c := range sent {
		if c != nil && received[c] {
			return true
		}
	}
	return false
}

// channel returns the variable or field that holds a channel, or nil.
func channel(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.ObjectOf(e)
	case *ast.SelectorExpr:
		return info.ObjectOf(e.Sel)
	}
	return nil
}

func acquires(info *types.Info, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Acquire" || flow.Callee(info, call) == "time.Sleep")
}

// limits reports whether the function calls SetLimit.
func limits(info *types.Info, c inspector.Cursor) bool {
	decl, ok := flow.Decl(c)
	if !ok {
		return false
	}
	for call := range decl.Preorder((*ast.CallExpr)(nil)) {
		if n, ok := call.Node().(*ast.CallExpr); ok &&
			flow.Callee(info, n) == "(*golang.org/x/sync/errgroup.Group).SetLimit" {
			return true
		}
	}
	return false
}

// recurses reports whether the started function calls the function that starts it, within the
// package: if goroutines wait for others of the same kind, a small number of workers would
// deadlock.
func recurses(pass *analysis.Pass, root, start inspector.Cursor) bool {
	decl, ok := flow.Decl(start)
	if !ok {
		return false
	}
	home, _ := decl.Node().(*ast.FuncDecl)
	bodies := map[types.Object]ast.Node{}
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if f, ok := c.Node().(*ast.FuncDecl); ok && f.Body != nil {
			bodies[pass.TypesInfo.Defs[f.Name]] = f.Body
		}
	}
	target := pass.TypesInfo.Defs[home.Name]
	seen, found := map[types.Object]bool{}, false
	var follow func(ast.Node)
	follow = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found {
				return !found
			}
			callee := typeutil.StaticCallee(pass.TypesInfo, call)
			if callee == nil || seen[callee] {
				return true
			}
			seen[callee] = true
			if found = callee == target; !found && bodies[callee] != nil {
				follow(bodies[callee])
			}
			return !found
		})
	}
	follow(start.Node())
	return found
}

// channels reports channels that a loop makes for the results of its goroutines.
func channels(pass *analysis.Pass, loop inspector.Cursor, work *ast.FuncLit) {
	if work == nil {
		return
	}
	sent := map[types.Object]bool{}
	ast.Inspect(work.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SendStmt); ok {
			if id, ok := ast.Unparen(s.Chan).(*ast.Ident); ok {
				sent[pass.TypesInfo.ObjectOf(id)] = true
			}
		}
		return true
	})
	for c := range loop.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Builtin(pass.TypesInfo, call) != "make" {
			continue
		}
		if in, ok := flow.Loop(c); !ok || in != loop {
			continue
		}
		if id := flow.Defines(c); id != nil && sent[pass.TypesInfo.Defs[id]] {
			rules.Report(pass, call, "channel",
				fmt.Sprintf("each iteration makes the channel %s for one result: a slice can hold all", id.Name),
				analysis.SuggestedFix{})
		}
	}
}
