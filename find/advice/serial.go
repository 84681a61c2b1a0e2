package advice

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/unit"
)

// reads matches functions that ask a database or a server, and change nothing.
var reads = regexp.MustCompile(`^database/sql\.\(\*DB\)\.Query|` +
	`^github\.com/jmoiron/sqlx\.\(\*DB\)\.(Get|Select|Query)|` +
	`^github\.com/jackc/pgx/v\d+/pgxpool\.\(\*Pool\)\.Query|^net/http\.\(\*Client\)\.(Get|Head)$|^net/http\.(Get|Head)$`)

// changes matches methods that change something in a database or at a server, or that belong to a
// transaction, in which calls cannot run at once.
var changes = regexp.MustCompile(`^\(\*?database/sql\.\w+\)\.(Exec|Begin|Prepare|Commit|Conn)|` +
	`^\(\*?database/sql\.(Tx|Conn|Stmt)\)\.|` +
	`\.(Exec|ExecContext|Begin|BeginTx|Post|PostForm|Put|Delete|Do|CopyFrom|SendBatch)$`)

// A site is a statement at which requests wait for a call.
type site struct {
	stmt            ast.Stmt
	at              syntax.Line
	time            time.Duration
	count, requests int64
}

// serialCalls finds statements of one function that wait for queries or other servers one after the
// other, although none needs what another returns.
func serialCalls(e *evidence) []Advice {
	byFunction := map[*syntax.Function]map[syntax.Line]*site{}
	spoiled := map[syntax.Line]bool{}
	for i := range e.waits {
		t := &e.waits[i]
		if t.below&(queries|remote) == 0 {
			continue
		}
		reading := reads.MatchString(t.callee) || strings.HasPrefix(t.callee, "database/sql.(*Row") // Scan, Next
		for j, at := range t.own {
			if !reading || j > 0 && changing(e.code, t.own[j-1]) {
				spoiled[at] = true
			}
			fn := e.code.FunctionAt(at)
			if fn == nil {
				continue
			}
			if byFunction[fn] == nil {
				byFunction[fn] = map[syntax.Line]*site{}
			}
			s := byFunction[fn][at]
			if s == nil {
				s = &site{at: at}
				byFunction[fn][at] = s
			}
			s.time += t.wait.time
			s.count, s.requests = max(s.count, t.wait.count), max(s.requests, t.wait.requests)
		}
	}
	var all []Advice
	for _, name := range sortedNames(e.code.Funcs) {
		fn := e.code.Funcs[name]
		sites := byFunction[fn]
		if len(sites) < 2 {
			continue
		}
		all = append(all, e.serial(fn, sites, spoiled)...)
	}
	return all
}

// changing reports whether the function around a line may change something.
func changing(c *syntax.Code, at syntax.Line) bool {
	fn := c.FunctionAt(at)
	if fn == nil {
		return true
	}
	found := false
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && changes.MatchString(fn.File.CalleeName(call)) {
			found = true
		}
		return !found
	})
	return found
}

// serial finds the independent statements in each block of a function.
func (e *evidence) serial(
	fn *syntax.Function, sites map[syntax.Line]*site, spoiled map[syntax.Line]bool,
) (all []Advice) {
	f := fn.File
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		var group []*site
		var tainted map[types.Object]bool
		flush := func() {
			if a, ok := e.independent(group); ok {
				all = append(all, a)
			}
			group, tainted = nil, nil
		}
		for _, stmt := range block.List {
			s, clean := siteOf(f, stmt, sites, spoiled)
			switch {
			case s != nil && clean && !f.Mentions(stmt, tainted):
				if _, loop := e.code.Loop(s.at); loop != nil {
					flush()
					continue
				}
				group = append(group, s)
			case s != nil: // it depends on one before, or changes something
				flush()
				if clean {
					group = append(group, s)
				}
			case len(group) > 0 && divides(f, stmt, tainted):
				flush()
			}
			if len(group) > 0 {
				tainted = taint(f, stmt, tainted, s != nil)
			}
		}
		flush()
		return true
	})
	return all
}

// siteOf returns the site of a statement that calls something directly, not in a block within it;
// clean is false if what it calls may change something.
func siteOf(
	f *syntax.File, stmt ast.Stmt, sites map[syntax.Line]*site, spoiled map[syntax.Line]bool,
) (found *site, clean bool) {
	switch s := stmt.(type) {
	case *ast.AssignStmt, *ast.ExprStmt, *ast.DeclStmt:
	case *ast.IfStmt: // if x, err := call(); err != nil
		if s.Init == nil {
			return nil, false
		}
		return siteOf(f, s.Init, sites, spoiled)
	default:
		return nil, false
	}
	for at, s := range sites {
		if at.File == f.Name && f.Covers(stmt, at.Line) && (found == nil || s.time > found.time) {
			one := *s
			one.stmt = stmt
			found = &one
		}
	}
	return found, found != nil && !spoiled[found.at]
}

// taint adds the variables that a statement sets to what a call returns, or from what it returned.
// Errors do not count: they only end the function.
func taint(f *syntax.File, stmt ast.Stmt, tainted map[types.Object]bool, call bool) map[types.Object]bool {
	if tainted == nil {
		tainted = map[types.Object]bool{}
	}
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if !call && !slices.ContainsFunc(n.Rhs, func(x ast.Expr) bool { return f.Mentions(x, tainted) }) {
				return true
			}
			for _, left := range n.Lhs {
				if o := f.Object(left); o != nil && types.TypeString(o.Type(), nil) != "error" {
					tainted[o] = true
				}
			}
		case *ast.CallExpr: // Scan(&x)
			for _, arg := range n.Args {
				if u, ok := arg.(*ast.UnaryExpr); ok && (call || f.Mentions(n, tainted)) {
					if o := f.Object(u.X); o != nil {
						tainted[o] = true
					}
				}
			}
		}
		return true
	})
	return tainted
}

// divides reports whether a statement decides, by a result, whether what follows runs; or whether it
// changes something in between.
func divides(f *syntax.File, stmt ast.Stmt, tainted map[types.Object]bool) bool {
	divided := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			divided = divided || f.Mentions(n.Cond, tainted) && jumps(n)
		case *ast.SwitchStmt:
			divided = divided || n.Tag != nil && f.Mentions(n.Tag, tainted) && jumps(n)
		case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt:
			divided = true
		case *ast.CallExpr:
			name := f.CalleeName(n)
			divided = divided || strings.HasSuffix(name, ").Lock") || strings.HasSuffix(name, ").Unlock") ||
				changes.MatchString(name)
		}
		return !divided
	})
	return divided
}

func jumps(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		}
		return !found
	})
	return found
}

// independent returns the advice about calls that could run at once.
func (e *evidence) independent(group []*site) (Advice, bool) {
	if len(group) < 2 {
		return Advice{}, false
	}
	least := slices.MinFunc(group, func(a, b *site) int { return int(a.requests - b.requests) })
	var sum, most time.Duration
	for _, s := range group {
		sum, most = sum+s.time, max(most, s.time)
	}
	saved := sum - most
	share := e.requestShare(float64(saved))
	if share < minRequests || least.requests < 5 {
		return Advice{}, false
	}
	a := Advice{
		Kind: SerialCalls, Title: "calls that wait for each other without need", Place: e.place(group[1].at, ""),
		Share: share, Of: ofRequests,
		Evidence: fmt.Sprintf("%d requests wait for %d calls one after the other, %v in total; the longest alone takes %v",
			least.requests, len(group), unit.Duration(sum), unit.Duration(most)),
		Do: "start them together and wait for all (golang.org/x/sync/errgroup): none uses what another returns, as far as " +
			"this function shows",
	}
	for i, s := range group {
		if i != 1 {
			a.Also = append(a.Also, e.place(s.at, fmt.Sprintf("waits %v", unit.Duration(s.time))))
		}
	}
	return a, true
}
