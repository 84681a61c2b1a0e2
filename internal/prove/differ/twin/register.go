package twin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// registerFile is the file that DelayRegistering adds to a copy.
const registerFile = "zz_whet_register.go"

// registerSource has what calls what functions init left.
const registerSource = `

import (
	whetfmt "fmt"
	whetstrings "strings"
)

var whetLater []func()

// WhetRegister makes the calls that functions init left, and ignores panics about something that is registered twice.
func WhetRegister() {
	for _, call := range whetLater {
		func() {
			defer func() {
				bad := recover()
				if bad == nil {
					return
				}
				text := whetstrings.ToLower(whetfmt.Sprint(bad))
				for _, word := range []string{"twice", "already", "duplicate", "reuse", "exists", "conflict", "registered"} {
					if whetstrings.Contains(text, word) {
						return
					}
				}
				panic(bad)
			}()
			call()
		}()
	}
}
`

// DelayRegistering rewrites a copy, in whose directory the package was before, so that WhetRegister makes the calls
// of other packages in functions init, once the old version is initialized: it ignores panics about what that has
// registered before. What is looked up there is the old version's, and changed lines that are reached only that
// way do not run. No line gets another number.
func (c *Copy) DelayRegistering(dir string) error {
	files, err := filepath.Glob(filepath.Join(c.Module.Path(path.Join(dir, Dir)), "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "zz_whet_") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if text, err = delaying(file, text); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return c.Write(path.Join(dir, Dir, registerFile), []byte("package "+c.Names[dir]+registerSource))
}

// delaying returns a file whose functions init leave calls of other packages to WhetRegister.
func delaying(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var e inserter
	at := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	imported := map[string]bool{}
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			imported[importName(file, p)] = true
		}
	}
	inInit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && imported[packageOf(call)] {
				e.insert(at(n.Pos()), "whetLater = append(whetLater, func() { ")
				e.insert(at(n.End()), " })")
			}
			return false
		}
		return true
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" && fn.Body != nil {
			ast.Inspect(fn.Body, inInit)
		}
	}
	return e.apply(text), nil
}

// packageOf returns what comes before the dot in the name of what is called, as the package of a function does.
func packageOf(call *ast.CallExpr) string {
	if fun, ok := call.Fun.(*ast.SelectorExpr); ok {
		if x, ok := fun.X.(*ast.Ident); ok {
			return x.Name
		}
	}
	return ""
}

// importName returns the name of an imported package in a file; "" if it is not imported.
func importName(file *ast.File, importPath string) string {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// An inserter inserts text at offsets, which come in order.
type inserter struct {
	offsets []int
	texts   []string
}

func (e *inserter) insert(offset int, text string) {
	e.offsets, e.texts = append(e.offsets, offset), append(e.texts, text)
}

func (e *inserter) apply(text []byte) []byte {
	var out []byte
	from := 0
	for i, offset := range e.offsets {
		out = append(append(out, text[from:offset]...), e.texts[i]...)
		from = offset
	}
	return append(out, text[from:]...)
}
