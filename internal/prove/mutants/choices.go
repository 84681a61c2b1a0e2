package mutants

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The kinds of errors.
const (
	arithmetic    = "arithmetic"
	comparison    = "comparison"
	logic         = "logic"
	negation      = "negation"
	offByOne      = "off by one"
	otherConstant = "constant"
	dropped       = "dropped statement"
	droppedElse   = "dropped else"
	zeroResult    = "zero result"
	swapped       = "swapped arguments"
	jump          = "break or continue"
)

// replacements returns what an operator is replaced by. All have the precedence of the original,
// except for those of && and ||.
func replacements(op token.Token) (mutator string, with []token.Token) {
	switch op {
	case token.ADD:
		return arithmetic, []token.Token{token.SUB}
	case token.SUB:
		return arithmetic, []token.Token{token.ADD}
	case token.MUL:
		return arithmetic, []token.Token{token.QUO}
	case token.QUO, token.REM:
		return arithmetic, []token.Token{token.MUL}
	case token.AND:
		return arithmetic, []token.Token{token.AND_NOT}
	case token.AND_NOT:
		return arithmetic, []token.Token{token.AND}
	case token.OR:
		return arithmetic, []token.Token{token.XOR}
	case token.XOR:
		return arithmetic, []token.Token{token.OR}
	case token.SHL:
		return arithmetic, []token.Token{token.SHR}
	case token.SHR:
		return arithmetic, []token.Token{token.SHL}
	case token.LSS:
		return comparison, []token.Token{token.LEQ, token.GEQ}
	case token.LEQ:
		return comparison, []token.Token{token.LSS, token.GTR}
	case token.GTR:
		return comparison, []token.Token{token.GEQ, token.LEQ}
	case token.GEQ:
		return comparison, []token.Token{token.GTR, token.LSS}
	case token.EQL:
		return comparison, []token.Token{token.NEQ}
	case token.NEQ:
		return comparison, []token.Token{token.EQL}
	case token.LAND:
		return logic, []token.Token{token.LOR}
	case token.LOR:
		return logic, []token.Token{token.LAND}
	}
	return "", nil
}

// expression adds the mutants of an expression, and reports whether it contains more.
func (s *source) expression(e ast.Expr, parent ast.Node, stack []ast.Node) bool {
	tv, ok := s.p.Info.Types[e]
	switch {
	case ok && tv.IsType():
		return false // the length of an array is constant
	case ok && tv.Value != nil:
		if kv, ok := parent.(*ast.KeyValueExpr); !ok || kv.Key != e { // a key may have to be constant
			s.constants(e)
		}
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		s.binary(e, parent)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.NOT:
			s.addExpr(e, change{mutator: negation, at: e.OpPos, from: e.Pos(), to: e.X.Pos()})
		case token.SUB:
			s.addExpr(e, change{mutator: arithmetic, at: e.OpPos, from: e.Pos(), to: e.X.Pos()})
		}
	case *ast.CallExpr:
		s.call(e, stack)
	case *ast.IndexExpr:
		s.limit(e.Index, " + 1")
	case *ast.SliceExpr:
		s.limit(e.Low, " + 1")
		s.limit(e.High, " - 1")
	}
	if s.isCondition(e, parent) {
		s.addExpr(e, change{mutator: negation, at: e.Pos(), from: e.Pos(), to: e.Pos(), with: "!"})
	}
	return true
}

// binary adds the mutants of an expression with two operands.
func (s *source) binary(e *ast.BinaryExpr, parent ast.Node) {
	if e.Op == token.ADD && isString(s.p.Info.TypeOf(e)) {
		s.addExpr(e, change{mutator: arithmetic, at: e.OpPos, from: e.X.End(), to: e.End()})
		return
	}
	mutator, ops := replacements(e.Op)
	for _, op := range ops {
		c := change{
			mutator: mutator, at: e.OpPos, from: e.OpPos, to: e.OpPos + token.Pos(len(e.Op.String())), with: op.String(),
		}
		if p, ok := parent.(*ast.BinaryExpr); ok && op.Precedence() < p.Op.Precedence() {
			c.from, c.to = e.Pos(), e.End()
			c.with = "(" + s.of(e.X) + " " + op.String() + " " + s.of(e.Y) + ")"
		}
		s.addExpr(e, c)
	}
}

func isString(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// isCondition reports whether an expression decides what runs, and its operators do not negate it.
func (s *source) isCondition(e ast.Expr, parent ast.Node) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
	default:
		return false
	}
	t := s.p.Info.TypeOf(e)
	if t == nil {
		return false
	}
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
		return false
	}
	switch p := parent.(type) {
	case *ast.IfStmt:
		return p.Cond == e
	case *ast.ForStmt:
		return p.Cond == e
	case *ast.BinaryExpr:
		return p.Op == token.LAND || p.Op == token.LOR
	case *ast.ReturnStmt:
		return true
	}
	return false
}

// limit adds the mutants of an index or of the limit of a loop or a slice that is an integer.
func (s *source) limit(e ast.Expr, more string) {
	if e == nil {
		return
	}
	if tv := s.p.Info.Types[e]; tv.Value == nil && !tv.IsType() && isInteger(tv.Type) {
		s.addExpr(e, change{mutator: offByOne, at: e.Pos(), from: e.End(), to: e.End(), with: more})
	}
}

func (s *source) rangeLimit(n *ast.RangeStmt) { s.limit(n.X, " - 1") }

// constants adds the mutants of a constant expression: of each literal in it.
func (s *source) constants(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		var with []string
		mutator := otherConstant
		switch n := n.(type) {
		case *ast.BasicLit:
			with = otherLiterals(n)
			if n.Kind == token.INT || n.Kind == token.CHAR {
				mutator = offByOne
			}
		case *ast.Ident:
			if obj := s.p.Info.Uses[n]; obj != nil && obj.Parent() == types.Universe {
				switch n.Name {
				case "true":
					with = []string{"false"}
				case "false":
					with = []string{"true"}
				}
			}
		}
		for _, w := range with {
			node := n
			s.addExpr(e, change{mutator: mutator, at: node.Pos(), from: node.Pos(), to: node.End(), with: w})
		}
		return true
	})
}

// otherLiterals returns other constants of the kind of a literal: the next ones of a number.
func otherLiterals(lit *ast.BasicLit) []string {
	switch lit.Kind {
	case token.INT:
		v := constant.MakeFromLiteral(lit.Value, token.INT, 0)
		n, exact := constant.Int64Val(v)
		if !exact || n == math.MaxInt64 {
			return nil
		}
		base := 10
		prefix := ""
		if len(lit.Value) > 2 && lit.Value[0] == '0' && strings.ContainsAny(lit.Value[1:2], "xX") {
			base, prefix = 16, lit.Value[:2]
		}
		more := []string{prefix + strconv.FormatInt(n+1, base)}
		if n > 0 {
			more = append(more, prefix+strconv.FormatInt(n-1, base))
		}
		return more
	case token.CHAR:
		r, _, _, err := strconv.UnquoteChar(lit.Value[1:], '\'')
		if err != nil {
			return nil
		}
		return []string{strconv.QuoteRune(r + 1)}
	case token.FLOAT:
		v, err := strconv.ParseFloat(lit.Value, 64)
		if err != nil {
			return nil
		}
		return []string{strconv.FormatFloat(v+1, 'g', -1, 64)}
	case token.STRING:
		if v, err := strconv.Unquote(lit.Value); err != nil || v == "" {
			return []string{`"whet"`}
		}
		return []string{`""`}
	}
	return nil
}

// call adds the mutants of a call: with two neighboring arguments of one type swapped, and max
// instead of min.
func (s *source) call(e *ast.CallExpr, stack []ast.Node) {
	parent := stack[len(stack)-1]
	switch p := parent.(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return // the call itself must stay
	case *ast.ExprStmt:
		if len(stack) > 1 && !inList(stack[len(stack)-2], p) {
			return
		}
	}
	add := func(c change) {
		if p, ok := parent.(*ast.ExprStmt); ok {
			s.add(statement, p, "", c)
		} else {
			s.addExpr(e, c)
		}
	}
	name := calledName(e)
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if _, ok := s.p.Info.Uses[id].(*types.Builtin); ok {
			switch name {
			case "min":
				add(change{mutator: comparison, at: id.Pos(), from: id.Pos(), to: id.End(), with: "max"})
				return
			case "max":
				add(change{mutator: comparison, at: id.Pos(), from: id.Pos(), to: id.End(), with: "min"})
				return
			case "copy", "make":
			default:
				return
			}
		}
	}
	if commutes(name) {
		return
	}
	for i := range len(e.Args) - 1 {
		a, b := e.Args[i], e.Args[i+1]
		ta, tb := s.p.Info.TypeOf(a), s.p.Info.TypeOf(b)
		if ta == nil || tb == nil || !types.Identical(ta, tb) || e.Ellipsis.IsValid() && i+1 == len(e.Args)-1 ||
			s.p.Info.Types[a].IsType() {
			continue
		}
		between := string(s.text[s.offset(a.End()):s.offset(b.Pos())])
		add(change{mutator: swapped, at: a.Pos(), from: a.Pos(), to: b.End(), with: s.of(b) + between + s.of(a)})
	}
}

func calledName(e *ast.CallExpr) string {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// commutes reports whether functions of a name usually have the same result with their arguments
// swapped.
func commutes(name string) bool {
	switch name {
	case "Equal", "EqualFold", "DeepEqual", "Max", "Min":
		return true
	}
	return false
}

// elseOf adds the mutant of an if statement without its else.
func (s *source) elseOf(n *ast.IfStmt) {
	if n.Else == nil {
		return
	}
	s.add(elseBranch, n.Else, "", change{
		mutator: droppedElse, at: n.Else.Pos(), from: n.Body.End(), to: n.Else.End(), flow: true,
	})
}

// statement adds the mutants of a statement in a list.
func (s *source) statement(n ast.Stmt, stack []ast.Node) {
	drop := change{mutator: dropped, at: n.Pos(), from: n.Pos(), to: n.End()}
	switch n := n.(type) {
	case *ast.ExprStmt:
		call, ok := ast.Unparen(n.X).(*ast.CallExpr)
		if ok && s.isForSpeed(call) {
			return
		}
		drop.flow = ok && calledName(call) == "panic"
		s.add(statement, n, "", drop)
	case *ast.DeferStmt:
		if !s.isForSpeed(n.Call) {
			s.add(statement, n, "", drop)
		}
	case *ast.IncDecStmt:
		s.add(statement, n, "", drop)
		s.add(statement, n, "", change{mutator: arithmetic, at: n.TokPos, from: n.TokPos, to: n.End(), with: reversed(n.Tok)})
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || allBlank(n.Lhs) {
			return
		}
		s.add(statement, n, "", drop)
		if n.Tok == token.ASSIGN || isString(s.p.Info.TypeOf(n.Lhs[0])) {
			return
		}
		text := n.Tok.String()
		_, ops := replacements(n.Tok - (token.ADD_ASSIGN - token.ADD))
		for _, op := range ops {
			s.add(statement, n, "", change{
				mutator: arithmetic, at: n.TokPos, from: n.TokPos, to: n.TokPos + token.Pos(len(text)), with: op.String() + "=",
			})
		}
	case *ast.BranchStmt:
		if n.Label != nil {
			return
		}
		other := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok]
		if other != "" {
			s.add(statement, n, "", change{mutator: jump, at: n.Pos(), from: n.Pos(), to: n.End(), with: other, flow: true})
		}
	case *ast.ReturnStmt:
		s.returned(n, stack)
	}
}

func reversed(tok token.Token) string {
	if tok == token.INC {
		return "--"
	}
	return "++"
}

func allBlank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// returned adds the mutants of a return statement: with the zero value of each result.
func (s *source) returned(n *ast.ReturnStmt, stack []ast.Node) {
	sig := s.signature(stack)
	if sig == nil || sig.Results().Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		tv := s.p.Info.Types[e]
		zero := zeroOf(sig.Results().At(i).Type())
		if zero == "" || tv.Value != nil || tv.IsNil() {
			continue
		}
		s.add(statement, n, "", change{mutator: zeroResult, at: e.Pos(), from: e.Pos(), to: e.End(), with: zero})
	}
}

// signature returns the type of the innermost function.
func (s *source) signature(stack []ast.Node) *types.Signature {
	for _, n := range slices.Backward(stack) {
		var t types.Type
		switch n := n.(type) {
		case *ast.FuncLit:
			t = s.p.Info.TypeOf(n)
		case *ast.FuncDecl:
			if obj := s.p.Info.Defs[n.Name]; obj != nil {
				t = obj.Type()
			}
		default:
			continue
		}
		sig, _ := t.(*types.Signature)
		return sig
	}
	return nil
}

// zeroOf returns the zero value of a type whose values have a short one; bool has none, since its
// values are negated.
func zeroOf(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return "nil"
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		case u.Kind() == types.UnsafePointer:
			return "nil"
		}
	}
	return ""
}
