package text

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// repeatedBytes is the size of the constant text that repetitions are part of.
const repeatedBytes = 256

// repeatGenerator takes a repeated constant text from a longer constant.
func repeatGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "repeat", Title: "constant text repeated",
		Why:     "a part of a longer constant needs no memory",
		Assumes: "the text is usually repeated a few times only",
		Kinds: []diagnosis.Kind{
			diagnosis.Text, diagnosis.Allocation, diagnosis.Copying, diagnosis.Escape, diagnosis.Concatenation,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("strings.Repeat") {
				if p, ok := s.partOfConstant(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// partOfConstant declares a function for strings.Repeat of a constant, and calls it.
func (s *site) partOfConstant(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || rewrite.HasComment(s.Pass, call.Pos(), call.End()) ||
		!rewrite.Universe(s.Pass, "string", "int", "len") {
		return p, false
	}
	text, isConst := flow.StringConst(s.Pass.TypesInfo, call.Args[0])
	_, fixed := flow.IntConst(s.Pass.TypesInfo, call.Args[1])
	if !isConst || fixed || text == "" || len(text) > repeatedBytes/4 {
		return p, false
	}
	all, name := s.Names.Fresh("manyTimes"), s.Names.Fresh("repeated")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(
		"// %[1]s is what short results of %[2]s are part of.\nconst %[1]s = %[3]q\n\n"+
			"// %[2]s returns what strings.Repeat does for %[4]q.\nfunc %[2]s(n int) string {\n"+
			"\tif n >= 0 && n <= len(%[1]s)/%[5]d {\n\t\treturn %[1]s[:n*%[5]d]\n\t}\n\treturn %[6]s(%[4]q, n)\n}",
		all, name, strings.Repeat(text, repeatedBytes/len(text)), text, len(text), s.Text(call.Fun)))
	if !ok {
		return p, false
	}
	p.Message = "Take repetitions from a constant"
	p.Edits = append(p.Edits, declared, rewrite.Replace(call, fmt.Sprintf("%s(%s)", name, s.Text(call.Args[1]))))
	return p, true
}
