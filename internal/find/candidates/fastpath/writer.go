package fastpath

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// writerGenerator writes text to buffers without a search for their method.
func writerGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "writer", Title: "text written to a buffer through io.WriteString",
		Why: "a comparison of the type shows that a writer is a bytes.Buffer; io.WriteString searches for the method in a " +
			"table, and calls it through an interface",
		Assumes: "most of the writers are buffers",
		Kinds: []diagnosis.Kind{
			diagnosis.Streams, diagnosis.Text, diagnosis.Interface, diagnosis.Own, diagnosis.Copying, diagnosis.SliceGrowth,
			diagnosis.Runtime,
		},
		Propose: eachCall((*site).written, "io.WriteString"),
	}
}

// written is declared for writers: the name, the old function, and packages io and bytes.
const written = `// %[1]s does what %[2]s does.
func %[1]s(w %[3]s.Writer, text string) (int, error) {
	if b, ok := w.(*%[4]s.Buffer); ok {
		return b.WriteString(text)
	}
	return %[2]s(w, text)
}`

// written calls a function that asks for a buffer first.
func (s *site) written(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	if len(call.Args) != 2 || s.Pass.TypesInfo.TypeOf(call.Args[0]).String() != "io.Writer" ||
		!rewrite.Universe(s.Pass, "string", "int", "error") {
		return p, false
	}
	io, edits, ok1 := rewrite.Import(s.Pass, call.Pos(), "io")
	bytes, more, ok2 := rewrite.Import(s.Pass, call.Pos(), "bytes")
	name := s.Names.Fresh("writeText")
	declared, ok3 := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(written, name, s.Text(call.Fun), io, bytes))
	p.Message = "Write to a bytes.Buffer directly"
	p.Edits = append(append(edits, more...), declared, rewrite.Replace(call.Fun, name))
	return p, ok1 && ok2 && ok3
}
