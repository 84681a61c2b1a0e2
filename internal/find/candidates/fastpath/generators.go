package fastpath

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Generators returns the generators of the package.
func Generators() []*sites.Generator {
	return []*sites.Generator{
		parsedGenerator(),
		trimmedGenerator(),
		mappedGenerator(),
		headerGenerator(),
		iteratorGenerator(),
		typeAssertGenerator(),
		concreteGenerator(),
		writerGenerator(),
		skipGenerator(),
	}
}

// A site is a hot line, with what several generators of the package need.
type site struct{ *sites.Site }

type proposal = sites.Proposal

// visit makes a generator's function of one that takes a site.
func visit(propose func(*site) []proposal) func(*sites.Site) []proposal {
	return func(at *sites.Site) []proposal { return propose(&site{at}) }
}

// eachCall makes a generator's function of one that replaces a call of some functions.
func eachCall(replaced func(*site, inspector.Cursor, *ast.CallExpr) (proposal, bool), functions ...string,
) func(*sites.Site) []sites.Proposal {
	return visit(func(s *site) (list []proposal) {
		for _, c := range s.CallsOf(functions...) {
			call, ok := c.Node().(*ast.CallExpr)
			if !ok || call.Ellipsis.IsValid() || rewrite.HasComment(s.Pass, call.Pos(), call.End()) {
				continue
			}
			if p, ok := replaced(s, c, call); ok {
				list = append(list, p)
			}
		}
		return list
	})
}

// instead declares a function with the signature of the one that a call names, and calls it. In the source, %[1]s is
// its name, and %[2]s the old function.
func (s *site) instead(call *ast.CallExpr, name, source, message string) (p proposal, ok bool) {
	name = s.Names.Fresh(name)
	source = strings.ReplaceAll(source, "%[1]s", name)
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), strings.ReplaceAll(source, "%[2]s", s.Text(call.Fun)))
	if !ok {
		return p, false
	}
	return proposal{
		Message: fmt.Sprintf(message, s.Text(call.Fun)),
		Edits:   []analysis.TextEdit{declared, rewrite.Replace(call.Fun, name)},
	}, true
}
