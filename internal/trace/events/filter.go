package events

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// A Filter selects events. It is not safe for concurrent use.
type Filter struct {
	program *vm.Program
	machine vm.VM
	stacks  bool // it uses stacks
}

// NewFilter compiles an expression, such as
//
//	kind == "StateTransition" && to == "Waiting" && reason startsWith "chan"
//	goroutine == 18 || resource == "goroutine" && id == 18
//	any(stack, .func matches "^main\\.")
//
// Its names are those of an [Event]'s JSON, its operators those of expr-lang.org.
func NewFilter(text string) (*Filter, error) {
	program, err := expr.Compile(text, expr.Env(Event{}), expr.AsBool())
	if err != nil {
		return nil, fmt.Errorf("%s", oneLine(err.Error()))
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s", oneLine(err.Error()))
	}
	f := &Filter{program: program}
	ast.Walk(&tree.Node, visitor(func(node *ast.Node) {
		if name, ok := (*node).(*ast.IdentifierNode); ok && name.Value == "stack" {
			f.stacks = true
		}
	}))
	return f, nil
}

// oneLine returns the first line of an error: the others are the expression with a mark below.
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}

type visitor func(*ast.Node)

// Visit implements [ast.Visitor].
func (v visitor) Visit(node *ast.Node) { v(node) }

// matches reports whether an event passes the filter.
func (f *Filter) matches(e *Event) (bool, error) {
	result, err := f.machine.Run(f.program, e)
	if err != nil {
		return false, fmt.Errorf("filter at %d ns: %s", e.Time, oneLine(err.Error()))
	}
	ok, _ := result.(bool) // the compiler has checked the type
	return ok, nil
}
