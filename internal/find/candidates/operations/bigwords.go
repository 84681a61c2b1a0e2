package operations

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// bigWordsGenerator allocates a big.Int together with memory for its digits.
func bigWordsGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "bigwords", Title: "big.Int and its digits allocated one after the other",
		Why: "one allocation for the number and four words of digits costs less than one for each, and the digits of " +
			"package math/big have spare capacity, too",
		Assumes: "most of the numbers have at most 256 bits",
		Kinds: []diagnosis.Kind{
			diagnosis.Math, diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection, diagnosis.Library,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				if p, ok := s.withWords(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// newBig is declared for new(big.Int) and big.NewInt: its name, and that of the package.
const newBig = `// %[1]s returns a new number 0 with memory for its digits.
func %[1]s() *%[2]s.Int {
	x := new(struct {
		value %[2]s.Int
		words [4]%[2]s.Word
	})
	return x.value.SetBits(x.words[:0])
}`

// withWords replaces new(big.Int), of which a method is called, and big.NewInt.
func (s *site) withWords(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Universe(s.Pass, "new") {
		return p, false
	}
	info := s.Pass.TypesInfo
	isNew := flow.Builtin(info, call) == "new" && info.TypeOf(call.Args[0]).String() == "math/big.Int"
	isNumber := flow.Callee(info, call) == "math/big.NewInt" && info.Types[call.Args[0]].Value == nil
	if !isNew && !isNumber || flow.Once(c) {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), "math/big")
	if !ok {
		return p, false
	}
	name := s.Names.Fresh("newBigInt")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(newBig, name, pkg))
	text := name + "()"
	if isNumber {
		text += ".SetInt64(" + s.Text(call.Args[0]) + ")"
	}
	p.Message = "Allocate the number with memory for its digits"
	p.Edits = append(edits, declared, rewrite.Replace(call, text))
	return p, ok
}
