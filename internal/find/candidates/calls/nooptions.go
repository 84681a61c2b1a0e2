package calls

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// mostCopied is the number of statements of a function up to which they are written twice.
const mostCopied = 8

// noOptionsGenerator returns early where a loop over a parameter has nothing to do.
func noOptionsGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "nooptions", Title: "value moved to the heap for options that are rarely given",
		Why: "without the loop over the options, nothing gets the address of the value, so it needs no allocation in the " +
			"calls without any",
		Assumes: "many calls give no options",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection, diagnosis.Own,
		},
		Propose: visit((*site).withoutOptions),
	}
}

// withoutOptions copies the statements of a function in front of them, without the loop over a parameter with several
// values, for the case that there is none.
func (s *site) withoutOptions() (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok || decl.Body == nil || len(decl.Body.List) < 2 || len(decl.Body.List) > mostCopied ||
		len(decl.Type.Params.List) == 0 || decl.Type.Results == nil {
		return p, false
	}
	last := decl.Type.Params.List[len(decl.Type.Params.List)-1]
	if _, variadic := last.Type.(*ast.Ellipsis); !variadic || len(last.Names) != 1 || last.Names[0].Name == "_" {
		return p, false
	}
	if _, returns := decl.Body.List[len(decl.Body.List)-1].(*ast.ReturnStmt); !returns ||
		!rewrite.Predeclared(s.Pass, decl.Body.Pos(), "len") || flow.Jumps(s.Decl) {
		return p, false
	}
	var rest []string
	loops := 0
	for _, stmt := range decl.Body.List {
		if r, isRange := stmt.(*ast.RangeStmt); isRange {
			if v := flow.Variable(info, r.X); v == nil || v.Name() != last.Names[0].Name {
				return p, false
			}
			loops++
			continue
		}
		if _, labeled := stmt.(*ast.LabeledStmt); labeled || flow.Mentions(info, stmt, info.Defs[last.Names[0]]) {
			return p, false
		}
		rest = append(rest, s.Text(stmt))
	}
	if loops != 1 {
		return p, false
	}
	p.Message = "Return early without " + last.Names[0].Name
	p.Edits = []analysis.TextEdit{rewrite.Before(s.Pass, decl.Body.List[0], fmt.Sprintf(
		"if len(%s) == 0 {\n%s\n}", last.Names[0].Name, strings.Join(rest, "\n")))}
	return p, true
}
