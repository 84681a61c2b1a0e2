package syntax

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
)

// StartsGoroutinesIn reports whether a file of a directory does what StartsGoroutines reports, or cannot be read.
func StartsGoroutinesIn(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err != nil || slices.ContainsFunc(files, func(name string) bool {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		return err != nil || StartsGoroutines(file)
	})
}

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
