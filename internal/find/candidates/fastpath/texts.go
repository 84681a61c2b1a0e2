package fastpath

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// replaceType replaces the type in the source of a function.
func replaceType(source, typ string) string { return strings.ReplaceAll(source, "%[3]s", typ) }

// trimmedGenerator returns texts that have nothing to trim.
func trimmedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "trimmed", Title: "text trimmed that has nothing to trim",
		Why:     "the first and the last byte show that there is nothing to trim, without a call",
		Assumes: "most of the texts have nothing to trim",
		Kinds:   []diagnosis.Kind{diagnosis.Text, diagnosis.Own},
		Propose: eachCall((*site).trimmed, "strings.TrimSpace", "bytes.TrimSpace", "strings.Trim", "strings.TrimLeft",
			"strings.TrimRight"),
	}
}

// trimmedSpace is declared for TrimSpace, and the type of its text.
const trimmedSpace = `// %[1]s returns what %[2]s does.
func %[1]s(s %[3]s) %[3]s {
	if n := len(s); n > 0 && ' ' < s[0] && s[0] < 0x80 && ' ' < s[n-1] && s[n-1] < 0x80 {
		return s
	}
	return %[2]s(s)
}`

// trimmedOf is declared for the others, and a condition that there is something to trim.
const trimmedOf = `// %[1]s returns what %[2]s does for %[4]q.
func %[1]s(s, cutset string) string {
	if n := len(s); n > 0 && %[3]s {
		return s
	}
	return %[2]s(s, cutset)
}`

// mostTrimmed is the number of characters of a set up to which they are compared.
const mostTrimmed = 3

// trimmed calls a function that looks at the ends of a text first.
func (s *site) trimmed(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	const message = "Look for something to trim in front of %s"
	if !rewrite.Universe(s.Pass, "string", "byte", "len") {
		return p, false
	}
	callee := s.Callee(c)
	switch callee {
	case "strings.TrimSpace":
		return s.instead(call, "trimSpace", replaceType(trimmedSpace, "string"), message)
	case "bytes.TrimSpace":
		return s.instead(call, "trimSpaceBytes", replaceType(trimmedSpace, "[]byte"), message)
	}
	if len(call.Args) != 2 {
		return p, false
	}
	set, isConst := flow.StringConst(s.Pass.TypesInfo, call.Args[1])
	if !isConst || set == "" || len(set) > mostTrimmed {
		return p, false
	}
	var conditions []string
	for i := range len(set) {
		if set[i] >= 0x80 {
			return p, false
		}
		if callee != "strings.TrimRight" {
			conditions = append(conditions, fmt.Sprintf("s[0] != %q", rune(set[i])))
		}
		if callee != "strings.TrimLeft" {
			conditions = append(conditions, fmt.Sprintf("s[n-1] != %q", rune(set[i])))
		}
	}
	source := strings.ReplaceAll(trimmedOf, "%[4]q", fmt.Sprintf("%q", set))
	return s.instead(call, "trim", replaceType(source, strings.Join(conditions, " && ")), message)
}

// mappedGenerator returns texts that a mapping does not change.
func mappedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "mapped", Title: "text mapped character by character that does not change",
		Why:     "a loop over ASCII characters decodes nothing and writes nothing",
		Assumes: "most of the texts are ASCII characters that the function maps to themselves",
		Kinds: []diagnosis.Kind{
			diagnosis.Text, diagnosis.Own, diagnosis.Allocation, diagnosis.Escape, diagnosis.SliceGrowth,
		},
		Propose: eachCall((*site).mapped, "strings.Map"),
	}
}

// mapped calls a function that maps in place what does not change.
func (s *site) mapped(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	if len(call.Args) != 2 || !rewrite.Universe(s.Pass, "string", "rune", "len") {
		return p, false
	}
	var name *ast.Ident
	switch f := ast.Unparen(call.Args[0]).(type) {
	case *ast.Ident:
		name = f
	case *ast.SelectorExpr:
		name = f.Sel
	default:
		return p, false
	}
	fn, ok := s.Pass.TypesInfo.ObjectOf(name).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return p, false
	}
	if own := s.Code.Funcs[fn.FullName()]; fn.Pkg().Path() != "unicode" && (own == nil || !s.Code.PureFunction(own)) {
		return p, false
	}
	source := `// %[1]s returns what %[2]s does with %[3]s.
func %[1]s(mapping func(rune) rune, s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || %[3]s(rune(s[i])) != rune(s[i]) {
			return %[2]s(mapping, s)
		}
	}
	return s
}`
	return s.instead(call, "mapText", replaceType(source, s.Text(call.Args[0])),
		"Look for something to change in front of %s")
}
