package text

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// variantGenerator calls the function or method for strings where bytes of a string are passed, and the other way
// round.
func variantGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "variant", Title: "text converted for a function that has a variant without",
		Why:     "the other function takes the text as it is, without a copy",
		Assumes: "both variants behave the same",
		Kinds: []diagnosis.Kind{
			diagnosis.Conversion, diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying, diagnosis.Regexp, diagnosis.Text,
			diagnosis.Streams, diagnosis.Comparison,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.CallExpr)(nil)) {
				call, ok := c.Node().(*ast.CallExpr)
				if !ok || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
					continue
				}
				if p, ok := s.otherMethod(call); ok {
					list = append(list, p)
				} else if p, ok := s.otherPackage(c, call); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// otherMethod calls the method for strings: WriteString for Write, and those of regular expressions.
func (s *site) otherMethod(call *ast.CallExpr) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || info.Selections[sel] == nil || len(call.Args) == 0 {
		return p, false
	}
	text, ok := s.bytesOf(call.Args[0])
	if !ok {
		return p, false
	}
	name := ""
	switch sel.Sel.Name {
	case "Write":
		name = "WriteString"
	case "Match":
		name = "MatchString"
	case "FindIndex":
		name = "FindStringIndex"
	case "FindSubmatchIndex":
		name = "FindStringSubmatchIndex"
	default:
		return p, false
	}
	obj, _, _ := types.LookupFieldOrMethod(info.TypeOf(sel.X), true, s.Pass.Pkg, name)
	other, ok := obj.(*types.Func)
	if !ok || other.Signature().Params().Len() != len(call.Args) ||
		!flow.IsString(other.Signature().Params().At(0).Type()) ||
		!types.Identical(other.Signature().Results(), info.Selections[sel].Obj().(*types.Func).Signature().Results()) {
		return p, false
	}
	p.Message = "Call " + name + " without the conversion"
	p.Edits = []analysis.TextEdit{rewrite.Replace(sel.Sel, name), rewrite.Replace(call.Args[0], s.Text(text))}
	return p, true
}

// otherPackage calls the function of package bytes where the first argument of one of package strings is a string of
// bytes, or the other way round. The other arguments are constant, numbers, or converted, too.
func (s *site) otherPackage(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return p, false
	}
	from, name, _ := strings.Cut(s.Callee(c), ".")
	to, converted := "bytes", s.stringOf
	if from == "bytes" {
		to, converted = "strings", s.bytesOf
	}
	switch name {
	case "Contains", "ContainsAny", "ContainsRune", "Count", "EqualFold", "HasPrefix", "HasSuffix", "Index", "IndexAny",
		"IndexByte", "IndexRune", "LastIndex", "LastIndexAny", "LastIndexByte", "Compare":
	default:
		return p, false
	}
	if from != "strings" && from != "bytes" {
		return p, false
	}
	x, ok := converted(call.Args[0])
	if !ok {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), to)
	if !ok {
		return p, false
	}
	edits = append(edits, rewrite.Replace(sel.X, pkg), rewrite.Replace(call.Args[0], s.Text(x)))
	for _, a := range call.Args[1:] {
		if name == "ContainsAny" || name == "IndexAny" || name == "LastIndexAny" {
			continue // both take a string
		}
		if other, ok := converted(a); ok {
			edits = append(edits, rewrite.Replace(a, s.Text(other)))
			continue
		}
		basic, isBasic := info.TypeOf(a).Underlying().(*types.Basic)
		if isBasic && basic.Info()&types.IsString == 0 {
			continue
		}
		if _, isConst := flow.StringConst(info, a); !isConst || to != "bytes" ||
			!rewrite.Predeclared(s.Pass, call.Pos(), "byte") {
			return p, false
		}
		edits = append(edits, rewrite.Replace(a, fmt.Sprintf("[]byte(%s)", s.Text(a))))
	}
	return proposal{Message: "Call " + to + "." + name + " without the conversion", Edits: edits}, true
}

// bytesOf returns the string that a conversion to bytes is of.
func (s *site) bytesOf(e ast.Expr) (ast.Expr, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	to, ok := flow.Conversion(s.Pass.TypesInfo, call)
	if !ok || !sites.IsBytes(to) || !flow.IsString(s.Pass.TypesInfo.TypeOf(call.Args[0])) {
		return nil, false
	}
	return call.Args[0], true
}

// stringOf returns the bytes that a conversion to a string is of.
func (s *site) stringOf(e ast.Expr) (ast.Expr, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	to, ok := flow.Conversion(s.Pass.TypesInfo, call)
	if !ok || !flow.IsString(to) ||
		!types.Identical(s.Pass.TypesInfo.TypeOf(call.Args[0]), types.NewSlice(types.Typ[types.Byte])) {
		return nil, false
	}
	return call.Args[0], true
}
