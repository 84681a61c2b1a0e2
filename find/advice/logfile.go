package advice

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/syntax"
)

// Unbuffered writes are reported from this share of the CPU time on, or from this number per second.
const (
	minWrites    = 0.01
	minPerSecond = 100
)

// unbufferedLogs finds loggers that write each entry to a file with a system call.
func unbufferedLogs(e *evidence) []Advice {
	byLine := map[syntax.Line]int64{}
	var spent int64
	for _, s := range e.cpu.list {
		if s.below&(logs|writesFile|buffers) == logs|writesFile {
			byLine[s.own[0]] += s.value
			spent += s.value
		}
	}
	writes := map[syntax.Line]int64{}
	perSecond := 0.0
	if t := e.in.Traces; t != nil && t.length > 0 {
		for i := range t.syscalls {
			p := e.path(t.syscalls[i].stack)
			if len(p.own) > 0 && p.below&(logs|writesFile|buffers) == logs|writesFile {
				writes[p.own[0]] += t.syscalls[i].count
				perSecond += float64(t.syscalls[i].count) / t.length.Seconds()
				byLine[p.own[0]] += 0
			}
		}
	}
	share := e.cpuShare(spent)
	if share < minWrites && perSecond < minPerSecond {
		return nil
	}
	lines := slices.SortedFunc(maps.Keys(byLine), func(a, b syntax.Line) int {
		return cmp.Or(cmp.Compare(writes[b], writes[a]), cmp.Compare(byLine[b], byLine[a]), syntax.Compare(a, b))
	})
	var all []Advice
	for _, f := range e.code.List {
		for _, d := range f.Syntax.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !makesLogger(f.CalleeName(call)) {
					return true
				}
				opened := opened(f, decl, call)
				if opened == nil {
					return true
				}
				at := f.At(call.Pos())
				a := Advice{
					Kind: UnbufferedLog, Title: "log written with a system call per entry", Place: e.place(at, ""),
					Share: share, Of: e.ofCPU(),
					Evidence: fmt.Sprintf("log entries take %s of %s on their way to this file, which nothing buffers",
						percent(share), e.ofCPU()),
					Do: "write through a bufio.Writer behind a mutex, which is flushed at intervals and on every way out",
				}
				if perSecond > 0 {
					a.Evidence += fmt.Sprintf("; %.0f writes per second", perSecond)
				}
				if o := f.At(opened.Pos()); o != at {
					a.Also = append(a.Also, e.place(o, "opens the file"))
				}
				for _, l := range lines[:min(2, len(lines))] {
					a.Also = append(a.Also, e.place(l, "writes an entry"))
				}
				if exits := exits(e.code, f); len(exits) > 0 {
					a.Do += "; it ends without deferred calls at " + strings.Join(exits, ", ") + ", so flush before that"
				}
				all = append(all, a)
				return true
			})
		}
	}
	return all
}

// makesLogger reports whether a function takes the writer of a logger.
func makesLogger(name string) bool {
	switch name {
	case "log.SetOutput", "log.New", "(*log.Logger).SetOutput", "log/slog.NewTextHandler", "log/slog.NewJSONHandler",
		"github.com/rs/zerolog.New", "github.com/sirupsen/logrus.SetOutput", "(*github.com/sirupsen/logrus.Logger).SetOutput",
		"go.uber.org/zap/zapcore.AddSync", "github.com/go-kit/log.NewLogfmtLogger", "github.com/go-kit/log.NewJSONLogger":
		return true
	}
	return false
}

// opened returns the call that opens the file that a call gets as its writer; nil if it gets
// another writer.
func opened(f *syntax.File, decl *ast.FuncDecl, call *ast.CallExpr) (found *ast.CallExpr) {
	vars := map[types.Object]bool{}
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if name := f.CalleeName(c); name != "io.MultiWriter" && !strings.HasSuffix(name, ".NewSyncWriter") &&
					name != "go.uber.org/zap/zapcore.AddSync" {
					return false
				}
			}
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := f.Info().Uses[id].(*types.Var); ok && types.TypeString(v.Type(), nil) == "*os.File" {
					vars[v] = true
				}
			}
			return true
		})
	}
	if len(vars) == 0 {
		return nil
	}
	within := ast.Node(decl.Body)
	for v := range vars {
		if syntax.Global(v) || syntax.IsField(v) {
			within = f.Syntax
		}
	}
	set := func(left, right ast.Expr) {
		c, ok := ast.Unparen(right).(*ast.CallExpr)
		if !ok || !vars[f.Object(left)] {
			return
		}
		switch f.CalleeName(c) {
		case "os.OpenFile", "os.Create", "os.CreateTemp", "io/ioutil.TempFile":
			found = c
		}
	}
	ast.Inspect(within, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 {
				set(n.Lhs[0], n.Rhs[0])
			}
		case *ast.ValueSpec:
			if len(n.Values) == 1 {
				set(n.Names[0], n.Values[0])
			}
		}
		return true
	})
	return found
}

// exits lists the lines in a file's package that end the program at once, at most three.
func exits(c *syntax.Code, of *syntax.File) (lines []string) {
	for _, f := range c.List {
		if f.Pkg != of.Pkg {
			continue
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(lines) < 3 {
				if name := f.CalleeName(call); name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") {
					lines = append(lines, fmt.Sprintf("%s:%d", f.Name, f.LineOf(call.Pos())))
				}
			}
			return true
		})
	}
	return lines
}
