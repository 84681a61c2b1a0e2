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

// fieldsGenerator keeps the fields of types that reflection describes.
func fieldsGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "fields", Keeps: true, Title: "field of a type described by reflection on each call",
		Why: "package reflect allocates the index of a field, and decodes its name and tag each time; a table has the " +
			"fields of a type",
		Assumes: "few different types occur, and no caller changes the index of a field",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.Allocation, diagnosis.Escape, diagnosis.Text, diagnosis.Copying,
		},
		Propose: eachCall((*site).described, "(reflect.Type).Field"),
	}
}

// fieldsOf is declared for types: the function, the table, and packages reflect and sync.
const fieldsOf = `// %[2]s has the fields of types.
var %[2]s %[4]s.Map

// %[1]s returns what t.Field returns, from a table.
func %[1]s(t %[3]s.Type, i int) %[3]s.StructField {
	if known, ok := %[2]s.Load(t); ok {
		if fields, ok := known.([]%[3]s.StructField); ok && 0 <= i && i < len(fields) {
			return fields[i]
		}
	}
	field := t.Field(i)
	fields := make([]%[3]s.StructField, t.NumField())
	for j := range fields {
		fields[j] = t.Field(j)
	}
	%[2]s.Store(t, fields)
	return field
}`

// described calls a function with a table instead of t.Field(i).
func (s *site) described(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 || flow.Once(c) || !rewrite.Universe(s.Pass, "len", "make", "int") {
		return p, false
	}
	syncName, edits, ok1 := rewrite.Import(s.Pass, call.Pos(), "sync")
	reflectName, more, ok2 := rewrite.Import(s.Pass, call.Pos(), "reflect")
	if !ok1 || !ok2 {
		return p, false
	}
	name := s.Names.Fresh("fieldOf")
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(
		fieldsOf, name, s.Names.Fresh("knownFields"), reflectName, syncName))
	p.Message = "Keep the fields of types in a table"
	p.Edits = append(append(edits, more...), declared,
		rewrite.Replace(call, fmt.Sprintf("%s(%s, %s)", name, s.Text(sel.X), s.Text(call.Args[0]))))
	return p, ok
}
