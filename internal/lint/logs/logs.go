package logs

import (
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/lint"
)

// Bytes loads the packages of the module in dir, with tests, and returns the calls that print bytes
// as numbers, "[104 105]": a []byte, or a value that contains one, under %v or without a format.
func Bytes(ctx context.Context, dir string, patterns ...string) ([]lint.Problem, error) {
	loaded, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Tests: true, Mode: packages.LoadSyntax},
		patterns...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	var problems []lint.Problem
	seen := map[string]bool{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("load package %s: %w", p.PkgPath, e)
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, arg := range printedAsNumbers(p.TypesInfo, call) {
					at := p.Fset.Position(arg.Pos())
					// A package and its variant for tests have the same files.
					if where := place(dir, at); !seen[where] {
						seen[where] = true
						problems = append(problems, lint.Problem{
							Where: where, Text: "prints bytes as numbers", Cure: "print text: %q of the value, or string(value)",
						})
					}
				}
				return true
			})
		}
	}
	slices.SortFunc(problems, func(a, b lint.Problem) int { return strings.Compare(a.Where, b.Where) })
	return problems, nil
}

func place(dir string, at token.Position) string {
	name := at.Filename
	if abs, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(abs, name); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	return fmt.Sprintf("%s:%d:%d", name, at.Line, at.Column)
}

// printers are the printing functions of fmt and methods of testing, without f and ln.
const printers = " Error Fatal Log Skip Print Sprint Fprint Append "

// printedAsNumbers returns the arguments that a call of fmt or testing prints as numbers.
func printedAsNumbers(info *types.Info, call *ast.CallExpr) []ast.Expr {
	if call.Ellipsis.IsValid() {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "testing" && f.Pkg().Path() != "fmt" {
		return nil
	}
	signature := f.Signature()
	if !signature.Variadic() {
		return nil
	}
	fixed := signature.Params().Len() - 1
	printed := call.Args[min(fixed, len(call.Args)):]
	name := f.Name()
	switch {
	case !strings.Contains(printers, " "+strings.TrimSuffix(strings.TrimSuffix(name, "f"), "ln")+" "):
		return nil
	case strings.HasSuffix(name, "f") && fixed > 0:
		format := info.Types[call.Args[fixed-1]].Value
		if format == nil || format.Kind() != constant.String {
			return nil
		}
		verbs := plainVerbs(constant.StringVal(format))
		var out []ast.Expr
		for i, arg := range printed {
			if i < len(verbs) && verbs[i] && holdsBytes(info.TypeOf(arg), 0) {
				out = append(out, arg)
			}
		}
		return out
	}
	return slices.DeleteFunc(slices.Clone(printed), func(arg ast.Expr) bool { return !holdsBytes(info.TypeOf(arg), 0) })
}

// plainVerbs returns for each argument of a format whether its verb is %v, with or without flags.
// It skips formats with argument indices.
func plainVerbs(format string) []bool {
	var out []bool
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*[", format[i]) >= 0; i++ {
			switch format[i] {
			case '*':
				out = append(out, false)
			case '[':
				return nil
			}
		}
		if i < len(format) && format[i] != '%' {
			out = append(out, format[i] == 'v' && format[i-1] != '#')
		}
	}
	return out
}

// holdsBytes reports whether fmt prints a []byte in a value of type t, depth levels down, as
// numbers.
func holdsBytes(t types.Type, depth int) bool {
	const deepest = 4 // also ends recursive types
	if t == nil || depth > deepest || printsItself(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if e, ok := u.Elem().Underlying().(*types.Basic); ok {
			return e.Kind() == types.Byte && u.Elem() == types.Universe.Lookup("byte").Type()
		}
		return holdsBytes(u.Elem(), depth+1)
	case *types.Array:
		return holdsBytes(u.Elem(), depth+1)
	case *types.Map:
		return holdsBytes(u.Elem(), depth+1)
	case *types.Pointer: // deeper, it prints as an address
		if _, ok := u.Elem().Underlying().(*types.Pointer); !ok && depth == 0 {
			return holdsBytes(u.Elem(), depth+1)
		}
	case *types.Struct:
		for f := range u.Fields() {
			if holdsBytes(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// printsItself reports whether a type has a method that fmt calls.
func printsItself(t types.Type) bool {
	for _, name := range []string{"Error", "String", "Format"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name); obj != nil {
			if _, ok := obj.(*types.Func); ok {
				return true
			}
		}
	}
	return false
}
