package syntax

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Shorter and smaller constants of tests are too common to mean anything.
const (
	leastText   = 4    // bytes
	leastNumber = 1000 // of integers
)

// testInputs returns constants of the tests that new or changed functions of b compare with, or look
// up, and that no code of a has: the code may treat an input that is measured differently from others.
func testInputs(a, b *source, before, tests map[string][]byte) (list []Suspect) {
	known := constantsOf(tests)
	for _, source := range before {
		for value := range known {
			if strings.Contains(string(source), value) {
				delete(known, value)
			}
		}
	}
	seen := map[string]bool{}
	add := func(e ast.Expr, file string) {
		value := constantOf(e)
		if value == "" || !known[value] || seen[value] {
			return
		}
		seen[value] = true
		list = append(list, Suspect{
			File: file, What: fmt.Sprintf("a constant of the tests (%s)", shortened(value)),
			Why: "an input that is tested or measured may be treated differently from others",
		})
	}
	look := func(n ast.Node, file string) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					add(n.X, file)
					add(n.Y, file)
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					add(e, file)
				}
			case *ast.KeyValueExpr:
				add(n.Key, file)
			}
			return true
		})
	}
	for _, fn := range b.changed(a) {
		look(fn.decl.Body, fn.file)
	}
	for _, name := range slices.Sorted(maps.Keys(b.variables)) {
		if a.variables[name] == nil {
			look(b.variables[name].spec, b.variables[name].file)
		}
	}
	return list
}

// shortened shortens a constant.
func shortened(value string) string {
	if len(value) > 40 {
		value = value[:40] + "…"
	}
	return strconv.Quote(value)
}

// constantOf returns the value of a literal that is long enough to mean something; "" if it is not.
func constantOf(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	switch lit.Kind {
	case token.STRING:
		if text, err := strconv.Unquote(lit.Value); err == nil && len(text) >= leastText {
			return text
		}
	case token.INT:
		if n, err := strconv.ParseInt(lit.Value, 0, 64); err != nil || n >= leastNumber {
			return lit.Value
		}
	}
	return ""
}

// constantsOf returns the constants of files.
func constantsOf(files map[string][]byte) map[string]bool {
	values := map[string]bool{}
	for name, source := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			continue // a test that does not parse has no inputs
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if value := constantOf(e); value != "" {
					values[value] = true
				}
			}
			return true
		})
	}
	return values
}
