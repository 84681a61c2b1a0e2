package syntax_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// TestChangedFunctions lists the functions that differ, with their changed lines: not one that moved,
// whose comments changed, or that is gone.
func TestChangedFunctions(t *testing.T) {
	t.Parallel()
	const before = `package a

func same() int { return 1 }

func moved() int { return 2 }

func gone() {}

// commented has a comment.
func commented() int { return 3 }

func (t *T) changed(n int) int {
	n++
	n *= 2
	return n
}

type T struct{}
`
	root := filepath.FromSlash("/module")
	changes := scratch.Changes{
		"a/a.go": {Before: []byte(before), After: []byte(strings.NewReplacer(
			"func moved() int { return 2 }\n", "", "func gone() {}\n", "", "has a comment", "has another one", "*= 2", "+= n",
		).Replace(before))},
		"a/b.go": {After: []byte("package a\n\nfunc moved() int { return 2 }\n\nfunc added() {}\n")},
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join(root, "a", "a.go"), before, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	decls, err := syntax.ChangedFunctions(root, fset, []*ast.File{file}, changes)
	if err != nil || len(decls) != 1 || differ.FuncName(decls[0]) != "(*T).changed" {
		t.Fatalf("%v, %v", decls, err)
	}
	lines, err := syntax.ChangedLines(root, fset, decls[0], changes)
	if err != nil || lines.File != "a/a.go" || lines.Line != 14 || lines.EndLine != 14 {
		t.Errorf("%+v, %v", lines, err)
	}
}
