package repeated

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

// resultsGenerator keeps the results of a function that only computes something of texts and numbers.
func resultsGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "results", Keeps: true, Title: "function that computes the same for the same arguments",
		Why:     "the function only depends on its arguments, so a table can keep what it returned for them",
		Assumes: "few different arguments occur, again and again",
		Kinds: []diagnosis.Kind{
			diagnosis.Formatting, diagnosis.Regexp, diagnosis.Conversion, diagnosis.Concatenation, diagnosis.Text,
			diagnosis.SliceGrowth, diagnosis.Escape, diagnosis.Allocation, diagnosis.Hashing, diagnosis.Encoding, diagnosis.Math,
			diagnosis.Own, diagnosis.MapAccess,
		},
		Propose: visit(func(s *site) []proposal {
			if p, ok := s.resultsKept(); ok {
				return []proposal{p}
			}
			return nil
		}),
	}
}

// results is declared for a function: its declaration up to the body, the type of the key with its fields, the table,
// the type of the results with its fields, package sync, the arguments of the key, the names of the results, the call
// that computes them, and the results of an entry.
const results = `%[1]s {
	key := %[2]s{%[7]s}
	%[4]s.Lock()
	known, ok := %[4]s.by[key]
	%[4]s.Unlock()
	if ok {
		return %[10]s
	}
	%[8]s = %[9]s
	%[4]s.Lock()
	if %[4]s.by == nil || len(%[4]s.by) >= 256 {
		%[4]s.by = map[%[2]s]%[5]s{}
	}
	%[4]s.by[key] = known
	%[4]s.Unlock()
	return %[10]s
}

// %[2]s has the arguments of a call.
type %[2]s struct {
%[3]s}

// %[5]s has the results of a call.
type %[5]s struct {
%[6]s}

// %[4]s are the results of at most 256 calls.
var %[4]s struct {
	%[11]s.Mutex
	by map[%[2]s]%[5]s
}

`

// mostParameters is the number of parameters of functions whose results are kept.
const mostParameters = 4

// resultsKept renames the function around the line, and declares one with a table in its place.
func (s *site) resultsKept() (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Recv != nil || decl.Body == nil || decl.Type.TypeParams != nil || decl.Name.Name == "main" ||
		decl.Name.Name == "init" || !s.worthKeeping(decl) ||
		!rewrite.Universe(s.Pass, "len", "nil") {
		return p, false
	}
	fn, ok := info.Defs[decl.Name].(*types.Func)
	if !ok || fn.Signature().Variadic() || fn.Signature().Params().Len() == 0 ||
		fn.Signature().Params().Len() > mostParameters || fn.Signature().Results().Len() == 0 {
		return p, false
	}
	own := s.Code.Funcs[fn.FullName()]
	if own == nil || !s.Code.PureFunction(own) {
		return p, false
	}
	var inputs, outputs, args, known []string
	for v := range fn.Signature().Params().Variables() {
		typ, written := rewrite.TypeText(s.Pass, decl.Pos(), v.Type())
		if !written || v.Name() == "_" || v.Name() == "" || v.Name() == "key" || v.Name() == "known" || v.Name() == "ok" ||
			!isPlain(v.Type()) {
			return p, false
		}
		args = append(args, v.Name())
		inputs = append(inputs, fmt.Sprintf("\tinput%d %s\n", len(args), typ))
	}
	for v := range fn.Signature().Results().Variables() {
		typ, written := rewrite.TypeText(s.Pass, decl.Pos(), v.Type())
		if _, isBasic := v.Type().Underlying().(*types.Basic); !written || !isBasic || v.Name() != "" {
			return p, false
		}
		known = append(known, fmt.Sprintf("known.result%d", len(known)+1))
		outputs = append(outputs, fmt.Sprintf("\tresult%d %s\n", len(known), typ))
	}
	pkg, edits, ok := rewrite.Import(s.Pass, decl.Pos(), "sync")
	if !ok {
		return p, false
	}
	compute := s.Names.Fresh("compute" + strings.ToUpper(decl.Name.Name[:1]) + decl.Name.Name[1:])
	key, kept := s.Names.Fresh(sites.Lowered(decl.Name.Name)+"Key"), s.Names.Fresh(sites.Lowered(decl.Name.Name)+"Result")
	table := s.Names.Fresh("known" + strings.ToUpper(decl.Name.Name[:1]) + decl.Name.Name[1:])
	head := strings.TrimSpace(rewrite.Between(s.Pass, decl.Type.Func, decl.Body.Lbrace))
	text := fmt.Sprintf(results, head, key, strings.Join(inputs, ""), table, kept, strings.Join(outputs, ""),
		strings.Join(args, ", "), strings.Join(known, ", "), compute+"("+strings.Join(args, ", ")+")",
		strings.Join(known, ", "), pkg)
	p.Message = "Keep the results of " + decl.Name.Name + " in a table"
	p.Edits = append(edits, analysis.TextEdit{
		Pos: decl.Pos(), End: decl.Name.End(),
		NewText: []byte(text + fmt.Sprintf("// %s computes what %s returns.\nfunc %s", compute, decl.Name.Name, compute)),
	})
	return p, true
}

// worthKeeping reports whether a function does more than a search of a table does: it has a loop, or several calls.
func (s *site) worthKeeping(decl *ast.FuncDecl) bool {
	loops, calls := false, 0
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			loops = true
		case *ast.CallExpr:
			if _, converts := flow.Conversion(s.Pass.TypesInfo, n); !converts && flow.Builtin(s.Pass.TypesInfo, n) == "" {
				calls++
			}
		}
		return true
	})
	return loops || calls > 1
}

// matchesGenerator keeps what regular expressions find in texts.
func matchesGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "matches", Keeps: true, Title: "regular expression run on the same texts",
		Why:     "a table keeps what the expression found in the last texts",
		Assumes: "few different texts occur, again and again, and no caller changes what all of them get",
		Kinds:   []diagnosis.Kind{diagnosis.Regexp, diagnosis.Text, diagnosis.Allocation, diagnosis.Escape},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("(*regexp.Regexp).FindStringSubmatch", "(*regexp.Regexp).FindStringSubmatchIndex",
				"(*regexp.Regexp).FindStringIndex", "(*regexp.Regexp).FindString", "(*regexp.Regexp).MatchString") {
				if p, ok := s.matchesKept(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// matches is declared for an expression: the function, the table, the type of the results, package sync, the
// expression, and the method.
const matches = `// %[2]s has what %[1]s returned for at most 256 texts.
var %[2]s struct {
	%[4]s.Mutex
	by map[string]%[3]s
}

// %[1]s returns what %[5]s.%[6]s returns, from a table if it is there.
func %[1]s(text string) %[3]s {
	%[2]s.Lock()
	known, ok := %[2]s.by[text]
	%[2]s.Unlock()
	if ok {
		return known
	}
	known = %[5]s.%[6]s(text)
	if len(text) > 256 {
		return known
	}
	%[2]s.Lock()
	defer %[2]s.Unlock()
	if %[2]s.by == nil || len(%[2]s.by) >= 256 {
		%[2]s.by = map[string]%[3]s{}
	}
	%[2]s.by[text] = known
	return known
}`

// matchesKept replaces a call of a method of an expression that is a variable of the package, and set once.
func (s *site) matchesKept(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || info.Types[call.Args[0]].Value != nil ||
		!rewrite.Universe(s.Pass, "string", "len", "nil", "bool", "int") {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return p, false
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok || v.Parent() != s.Pass.Pkg.Scope() || s.setElsewhere(v) {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), info.TypeOf(call))
	pkg, edits, ok2 := rewrite.Import(s.Pass, call.Pos(), "sync")
	if !ok || !ok2 {
		return p, false
	}
	name := s.Names.Fresh("known" + strings.ToUpper(v.Name()[:1]) + v.Name()[1:])
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), fmt.Sprintf(
		matches, name, s.Names.Fresh(name+"Table"), typ, pkg, v.Name(), sel.Sel.Name))
	p.Message = "Keep what " + v.Name() + " finds in a table"
	p.Edits = append(edits, declared, rewrite.Replace(call.Fun, name))
	return p, ok
}
