package metricpackets

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

//go:embed packets.txt
var source string

// A holder is the struct with the connection.
type holder struct {
	name  *types.TypeName
	field *ast.Field // of the connection alone
}

// packets changes a field's type to one that collects lines; without edits if that is impossible.
func packets(
	pass *analysis.Pass, root inspector.Cursor, names *rewrite.Names,
	field *types.Var, calls []inspector.Cursor,
) analysis.SuggestedFix {
	none := rules.None(field.Name() + " is also used in other ways than to write whole metrics: with one function " +
		"for all writes, it can collect lines and send them on a timer")
	h, ok := holderOf(pass, root, field)
	if field.Exported() {
		return rules.None(field.Name() + " is exported, so other packages may write to it: with an unexported " +
			"field, it can collect lines and send them on a timer")
	}
	if !ok || rewrite.Elsewhere(pass, field.Name()) ||
		!rewrite.Universe(pass, "append", "len", "nil", "byte", "string", "int", "error", "bool", "true") {
		return none
	}
	typ, maker := names.Fresh("metricPackets"), names.Fresh("newMetricPackets")
	var edits []analysis.TextEdit
	known := map[ast.Node]bool{}
	for _, c := range calls {
		if !unused(c) || rewrite.Generated(pass, c.Node().Pos()) {
			return none
		}
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			return none
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return none
		}
		known[ast.Unparen(sel.X)] = true
		edits = append(edits, asString(pass, sel, call)...)
	}
	written := len(edits)
	for _, use := range flow.Uses(pass.TypesInfo, root, field) {
		id := use.Node()
		switch parent := use.Parent(); {
		case id.Pos() == field.Pos(), known[parent.Node()] && use.ParentEdgeKind() == edge.SelectorExpr_Sel:
		case use.ParentEdgeKind() == edge.KeyValueExpr_Key: // T{conn: x}
			edits = append(edits, wrap(pass, parent.Node().(*ast.KeyValueExpr).Value, maker)...)
		default:
			return none
		}
	}
	for c := range root.Preorder((*ast.CompositeLit)(nil)) {
		if value := unkeyed(pass.TypesInfo, c, h.name, field); value != nil {
			edits = append(edits, wrap(pass, value, maker)...)
		}
	}
	if len(edits) == written {
		return rules.None(field.Name() + " is not set in this package: wrap the connection in a type that collects " +
			"lines where it is set")
	}
	edits = append(edits, rewrite.Replace(h.field.Type, "*"+typ))
	more, ok := declare(pass, h, typ, maker, names.Fresh("sendMetric"))
	if !ok {
		return none
	}
	edits = append(edits, more...)
	edits = append(edits, closing(pass, root, h, field)...)
	return analysis.SuggestedFix{Message: "Send several lines per packet", TextEdits: edits}
}

// asString writes a string directly instead of a copy in bytes.
func asString(pass *analysis.Pass, sel *ast.SelectorExpr, call *ast.CallExpr) []analysis.TextEdit {
	arg, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	if !ok || rewrite.HasComment(pass, call.Pos(), call.End()) {
		return nil
	}
	if _, converts := flow.Conversion(pass.TypesInfo, arg); !converts ||
		!flow.IsString(types.Default(pass.TypesInfo.TypeOf(arg.Args[0]))) {
		return nil
	}
	return []analysis.TextEdit{
		rewrite.Replace(sel.Sel, "WriteString"),
		rewrite.Replace(call.Args[0], rewrite.Text(pass, arg.Args[0])),
	}
}

// holderOf returns the declared struct with a field that is declared on its own line.
func holderOf(pass *analysis.Pass, root inspector.Cursor, field *types.Var) (holder, bool) {
	for c := range root.Preorder((*ast.TypeSpec)(nil)) {
		spec, ok := c.Node().(*ast.TypeSpec)
		if !ok || spec.TypeParams != nil {
			continue
		}
		st, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range st.Fields.List {
			if len(f.Names) == 1 && f.Names[0].Pos() == field.Pos() {
				name, ok := pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
				return holder{name, f}, ok && name.Parent() == pass.Pkg.Scope()
			}
		}
	}
	return holder{}, false
}

// unused reports whether the results of a call are unused: it is a statement, or all of them are
// assigned to blanks.
func unused(c inspector.Cursor) bool {
	switch parent := c.Parent().Node().(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		return !slices.ContainsFunc(parent.Lhs, func(lhs ast.Expr) bool {
			id, ok := lhs.(*ast.Ident)
			return !ok || id.Name != "_"
		})
	}
	return false
}

// unkeyed returns the value of a field in an unkeyed literal of the struct, or nil.
func unkeyed(info *types.Info, c inspector.Cursor, name *types.TypeName, field *types.Var) ast.Expr {
	lit, ok := c.Node().(*ast.CompositeLit)
	if !ok {
		return nil
	}
	named, ok := info.TypeOf(lit).(*types.Named)
	if !ok || named.Obj() != name {
		return nil
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range min(st.NumFields(), len(lit.Elts)) {
		if _, keyed := lit.Elts[i].(*ast.KeyValueExpr); !keyed && st.Field(i) == field {
			return lit.Elts[i]
		}
	}
	return nil
}

func wrap(pass *analysis.Pass, value ast.Expr, maker string) []analysis.TextEdit {
	return []analysis.TextEdit{rewrite.Replace(value, maker+"("+rewrite.Text(pass, value)+")")}
}

// declare writes the collecting type before the struct.
func declare(pass *analysis.Pass, h holder, typ, maker, send string) ([]analysis.TextEdit, bool) {
	text := strings.NewReplacer("newMetricPackets", maker, "metricPackets", typ, "sendMetric", send).Replace(source)
	var edits []analysis.TextEdit
	for _, path := range []string{"io", "sync", "time"} {
		name, more, ok := rewrite.Import(pass, h.name.Pos(), path)
		if !ok || name != path {
			return nil, false
		}
		edits = append(edits, more...)
	}
	decl, ok := rewrite.Declare(pass, h.name.Pos(), text)
	return append(edits, decl), ok
}

// closing makes a Close method of the struct send pending lines before anything else.
func closing(pass *analysis.Pass, root inspector.Cursor, h holder, field *types.Var) []analysis.TextEdit {
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		decl, ok := c.Node().(*ast.FuncDecl)
		if !ok || decl.Name.Name != "Close" || decl.Recv == nil || decl.Body == nil || len(decl.Recv.List[0].Names) != 1 {
			continue
		}
		t := pass.TypesInfo.TypeOf(decl.Recv.List[0].Type)
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		receiver := decl.Recv.List[0].Names[0].Name
		if named, ok := t.(*types.Named); !ok || named.Obj() != h.name || receiver == "_" {
			continue
		}
		text := receiver + "." + field.Name() + ".close()"
		if decl.Body.Rbrace == decl.Body.Lbrace+token.Pos(1) {
			return []analysis.TextEdit{rewrite.Insert(decl.Body.Lbrace+1, " "+text+" ")}
		}
		return []analysis.TextEdit{rewrite.Insert(decl.Body.Lbrace+1, "\n"+text)}
	}
	return nil
}
