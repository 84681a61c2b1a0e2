package syntax

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// ErrUnsafe is the reason for refusing a rewrite before any of it runs: tests and comparisons
// cannot show what an unsafe conversion does with different code around it, or in the next Go
// version.
var ErrUnsafe = errors.New("it would use package unsafe or an equivalent, which whet never adds")

// Refuse returns why changes are not tried at all: ErrUnsafe, or that a file is not Go.
func Refuse(changes scratch.Changes) error {
	for name, c := range changes {
		before, err := unsafeUses(name, c.Before)
		if err != nil {
			return err
		}
		after, err := unsafeUses(name, c.After)
		if err != nil {
			return err
		}
		if after > before {
			return ErrUnsafe
		}
	}
	return nil
}

var linkname = regexp.MustCompile(`(?m)^//go:(linkname|noescape|nocheckptr)\b`)

// unsafeUses counts where a file bypasses the type system: with unsafe, the headers of package
// reflect, cgo and compiler directives.
func unsafeUses(name string, source []byte) (n int, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	of := map[string][]string{} // import name -> identifiers that count; nil means all
	reflects := ""              // the import name of package reflect; "" if it is not imported
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // already parsed
		as := p
		if spec.Name != nil {
			as = spec.Name.Name
		}
		switch p {
		case "unsafe", "C":
			of[as] = nil
			n++
		case "reflect":
			of[as] = []string{"SliceHeader", "StringHeader", "NewAt"}
			reflects = as
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		sel, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, isName := sel.X.(*ast.Ident)
		if isName {
			if what, imported := of[x.Name]; imported && (what == nil || slices.Contains(what, sel.Sel.Name)) {
				n++
			}
		}
		// Of a value; the package's own UnsafePointer is a kind, which a switch may name.
		isMethod := sel.Sel.Name == "UnsafeAddr" || sel.Sel.Name == "UnsafePointer"
		if isMethod && reflects != "" && !(isName && x.Name == reflects) {
			n++
		}
		return true
	})
	return n + len(linkname.FindAll(source, -1)), nil
}
