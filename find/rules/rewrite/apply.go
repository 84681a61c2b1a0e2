package rewrite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// An Edit replaces the bytes From to To of a file.
type Edit struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// ErrOverlap is wrapped by Apply's error if two edits change the same bytes.
var ErrOverlap = errors.New("edits overlap")

// Apply returns the source of a Go file after edits, which may be in any order. Identical edits are
// made once, such as imports of the same package by two fixes. names are the names of packages by
// path, where the name is not the last element of the path. Imports that become unused are removed;
// source that was formatted is formatted again.
func Apply(source []byte, edits []Edit, names map[string]string) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	edits = distinct(edits)
	var out []byte
	at := 0
	for _, e := range edits {
		if e.From < 0 || e.To < e.From || e.To > len(source) {
			return nil, fmt.Errorf("edit of bytes %d to %d: there are %d", e.From, e.To, len(source))
		}
		if e.From < at {
			return nil, fmt.Errorf("%w at byte %d", ErrOverlap, e.From)
		}
		out = append(out, source[at:e.From]...)
		out = append(out, e.Text...)
		at = e.To
	}
	out = append(out, source[at:]...)
	if formatted, err := format.Source(source); err == nil && bytes.Equal(formatted, source) {
		if out, err = format.Source(out); err != nil {
			return nil, fmt.Errorf("the edits do not result in valid Go: %w", err)
		}
	}
	return dropImports(source, out, names)
}

// distinct removes duplicate edits. Two insertions of the same text are duplicates only if it is an
// import or a declaration, which can occur only once: otherwise each belongs to a different place.
func distinct(edits []Edit) []Edit {
	var kept []Edit
	for _, e := range edits {
		if slices.Contains(kept, e) && (e.From < e.To || isImport(e.Text) || isDeclaration(e.Text)) {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// isImport reports whether a text is an import, named or not, or adds parentheses to one.
func isImport(text string) bool {
	if text == openImport || text == closeImport {
		return true
	}
	fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), "import "))
	if len(fields) == 0 || len(fields) > 2 || len(fields) == 2 && !token.IsIdentifier(fields[0]) {
		return false
	}
	_, err := strconv.Unquote(fields[len(fields)-1])
	return err == nil
}

// isDeclaration reports whether a text consists of top-level declarations, with comments.
func isDeclaration(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "//") {
			continue
		}
		return strings.HasPrefix(line, "func ") || strings.HasPrefix(line, "var ") || strings.HasPrefix(line, "type ")
	}
	return false
}

// dropImports removes imports from after that before used and after does not.
func dropImports(before, after []byte, names map[string]string) ([]byte, error) {
	used, _, err := imports(before, names)
	if err != nil {
		return nil, err
	}
	left, file, err := imports(after, names)
	if err != nil {
		return nil, fmt.Errorf("the edits do not result in valid Go: %w", err)
	}
	fset := token.NewFileSet()
	dropped := false
	for key, isUsed := range left {
		if isUsed || !used[key] {
			continue
		}
		if !dropped {
			if file, err = parser.ParseFile(fset, "", after, parser.ParseComments|parser.SkipObjectResolution); err != nil {
				return nil, err
			}
		}
		dropped = true
		astutil.DeleteNamedImport(fset, file, key.name, key.path)
	}
	if !dropped {
		return after, nil
	}
	var buf bytes.Buffer
	if err := format.Node(&buf, fset, file); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// An imported is an import: its name in the file, or "", and its path.
type imported struct{ name, path string }

// imports reports for the imports of a file whether they are used: those without a name, and those
// that qualify an identifier.
func imports(source []byte, names map[string]string) (map[imported]bool, *ast.File, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	qualifiers := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				qualifiers[x.Name] = true
			}
		}
		return true
	})
	used := map[imported]bool{}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, nil, err
		}
		key := imported{path: p}
		name := cmp.Or(names[p], path.Base(p))
		if spec.Name != nil {
			key.name, name = spec.Name.Name, spec.Name.Name
		}
		used[key] = name == "_" || name == "." || p == "C" || qualifiers[name]
	}
	return used, file, nil
}
