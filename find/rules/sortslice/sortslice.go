package sortslice

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed doc.go
var doc string

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "sortslice",
			Doc:      "report slices that are sorted through reflection or an interface",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "reflection", Title: "slice sorted through reflection",
				ByHand: "the order is not a comparison that can be translated: write a comparison function for " +
					"slices.SortFunc",
				CPU: `^sort\.(Slice|SliceStable)$`, Alloc: `^$|^sort\.(Slice|SliceStable)$`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "interface", Title: "slice sorted through an interface",
				ByHand: "Less and Swap belong to the type and may do more than order the elements: write a " +
					"comparison function for slices.SortFunc",
				CPU: `^sort\.(Sort|Stable)$`, Alloc: `^$|^sort\.(Sort|Stable)$`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// maxSize is the largest element in bytes for which copying is better than indexing.
const maxSize = 128

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			continue
		}
		name := flow.Callee(pass.TypesInfo, call)
		switch name {
		case "sort.Slice", "sort.SliceStable", "sort.Sort", "sort.Stable":
		default:
			continue
		}
		t := pass.TypesInfo.TypeOf(call.Args[0])
		s, ok := t.Underlying().(*types.Slice)
		if !ok || !small(pass, s.Elem()) || !flow.Since(pass, call.Pos(), "go1.21") {
			continue
		}
		switch name {
		case "sort.Slice", "sort.SliceStable":
			message := fmt.Sprintf("%s moves the elements through reflection and takes the slice as an interface", name)
			rules.Report(pass, call.Fun, "reflection", message, translate(pass, c, call, s.Elem(), name == "sort.SliceStable"))
		default:
			message := fmt.Sprintf(
				"%s calls Less and Swap through an interface, where slices.SortFunc is compiled for the type",
				name,
			)
			rules.Report(pass, call.Fun, "interface", message, analysis.SuggestedFix{})
		}
	}
	return nil, nil
}

// small reports whether elements of a type are known to be cheap to copy.
func small(pass *analysis.Pass, t types.Type) bool {
	if flow.SizeVaries(t) {
		return false
	}
	return pass.TypesSizes.Sizeof(t) <= maxSize
}

// untranslated returns the reason why a function for the order stays.
func untranslated(pass *analysis.Pass, call *ast.CallExpr) analysis.SuggestedFix {
	return rules.None("the function for the order of " + rewrite.Text(pass, call.Args[0]) + " does more than " +
		"compare fields of two elements: with only such comparisons, slices.SortFunc sorts them")
}

// translate returns the fix that sorts with slices.SortFunc.
func translate(
	pass *analysis.Pass, c inspector.Cursor, call *ast.CallExpr, elem types.Type, stable bool,
) analysis.SuggestedFix {
	less, ok := call.Args[1].(*ast.FuncLit)
	if !ok {
		return rules.None(rewrite.Text(pass, call.Args[1]) + " is not a function literal: with one that compares " +
			"two elements, slices.SortFunc can call it")
	}
	pkg, edits, ok := rewrite.Import(pass, call.Pos(), "slices")
	if !ok ||
		rewrite.HasComment(pass, less.Type.Pos(), less.Body.Lbrace) ||
		rewrite.HasComment(pass, call.Fun.Pos(), call.Fun.End()) {
		return rules.None("a comment would be lost, or package slices has another name here: move the comment into " +
			"the function")
	}
	l := newLess(pass, call.Args[0], less)
	if l == nil {
		return untranslated(pass, call)
	}
	if l.plain(elem) && !rewrite.HasComment(pass, call.Pos(), call.End()) {
		text := fmt.Sprintf("%s.Sort(%s)", pkg, rewrite.Text(pass, call.Args[0]))
		return analysis.SuggestedFix{Message: "Sort with " +
			"slices.Sort", TextEdits: append(edits, rewrite.Replace(call, text))}
	}
	typ, ok := rewrite.TypeText(pass, call.Pos(), elem)
	if !ok {
		return rules.None("the type of the elements cannot be named here: write the comparison where it can")
	}
	body, ok := c.FindNode(less.Body)
	if !ok || !l.translate(body) {
		return untranslated(pass, call)
	}
	name := pkg + ".SortFunc"
	if stable {
		name = pkg + ".SortStableFunc"
	}
	edits = append(edits, rewrite.Replace(call.Fun, name),
		analysis.TextEdit{
			Pos: less.Type.Pos(), End: less.Type.End(),
			NewText: fmt.Appendf(nil, "func(%s, %s %s) int", l.a, l.b, typ),
		})
	return analysis.SuggestedFix{Message: "Sort with slices.SortFunc", TextEdits: append(edits, l.edits...)}
}
