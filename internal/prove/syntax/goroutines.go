package syntax

import (
	"go/ast"
	"strconv"
)

// StartsGoroutines reports whether a file starts goroutines, or leaves that to another package.
func StartsGoroutines(file *ast.File) bool {
	for _, spec := range file.Imports {
		switch name, _ := strconv.Unquote(spec.Path.Value); name {
		case "net/http", "net/http/httptest", "net/rpc", "sync", "sync/atomic", "testing/synctest",
			"golang.org/x/sync/errgroup":
			return true
		}
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || n.Sel.Name == "Parallel" || n.Sel.Name == "RunParallel"
		}
		return !found
	})
	return found
}
