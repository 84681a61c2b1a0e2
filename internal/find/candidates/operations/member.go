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

// memberGenerator keeps where a type has a method or field of a name.
func memberGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "member", Keeps: true, Title: "method or field looked up by name with reflection",
		Why: "package reflect searches the type on each call, and describes the method that it finds; a table has its " +
			"index",
		Assumes: "few different types and names occur",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.Allocation, diagnosis.Text, diagnosis.Escape, diagnosis.Comparison,
		},
		Propose: eachCall((*site).indexed, "(reflect.Value).MethodByName", "(reflect.Value).FieldByName"),
	}
}

// member is the source of a function with a table: its name, the names of the table and of the key's type, and of
// packages reflect and sync; then the type of an index, what finds it, whether there is one, what returns the
// member, and the method of reflect.Value.
const member = `// %[3]s is a name in a type.
type %[3]s struct {
	of   %[4]s.Type
	name string
}

// %[2]s are the indexes of what %[1]s has found, at most 1024.
var %[2]s struct {
	%[5]s.RWMutex
	at map[%[3]s]%[6]s
}

// %[1]s returns what v.%[10]s returns, with a table of indexes.
func %[1]s(v %[4]s.Value, name string) %[4]s.Value {
	if !v.IsValid()%[11]s {
		return v.%[10]s(name)
	}
	key := %[3]s{v.Type(), name}
	%[2]s.RLock()
	index, ok := %[2]s.at[key]
	%[2]s.RUnlock()
	if !ok {
		%[7]s
		%[2]s.Lock()
		if %[2]s.at == nil || len(%[2]s.at) >= 1024 {
			%[2]s.at = map[%[3]s]%[6]s{}
		}
		%[2]s.at[key] = index
		%[2]s.Unlock()
	}
	if %[8]s {
		return %[4]s.Value{}
	}
	return %[9]s
}`

// indexed replaces a call by one of a function with a table.
func (s *site) indexed(c inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 || flow.Once(c) ||
		!rewrite.Universe(s.Pass, "len", "string", "nil", "int", "true", "false") {
		return p, false
	}
	syncName, edits, ok1 := rewrite.Import(s.Pass, call.Pos(), "sync")
	reflectName, more, ok2 := rewrite.Import(s.Pass, call.Pos(), "reflect")
	if !ok1 || !ok2 {
		return p, false
	}
	name, index := "methodNamed", "int"
	finds := "index = -1\nif m, found := key.of.MethodByName(name); found {\nindex = m.Index\n}"
	none, returns, more2 := "index < 0", "v.Method(index)", ""
	if sel.Sel.Name == "FieldByName" {
		name, index = "fieldNamed", "[]int"
		finds = "if f, found := key.of.FieldByName(name); found {\nindex = f.Index\n}"
		none, returns, more2 = "index == nil", "v.FieldByIndex(index)", " || v.Kind() != "+reflectName+".Struct"
	}
	name = s.Names.Fresh(name)
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(member, name, s.Names.Fresh(name+"Indexes"),
		s.Names.Fresh(name+"Key"), reflectName, syncName, index, finds, none, returns, sel.Sel.Name, more2))
	if !ok {
		return p, false
	}
	edits = append(append(edits, more...), declared,
		rewrite.Replace(call, fmt.Sprintf("%s(%s, %s)", name, s.Text(sel.X), s.Text(call.Args[0]))))
	return proposal{Message: "Keep the indexes that " + sel.Sel.Name + " finds in a table", Edits: edits}, true
}
