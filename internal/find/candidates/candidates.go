package candidates

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/find/syntax"
)

// MaxPerLine is the maximum number of candidates for a line.
const MaxPerLine = 3

// A Line is a hot line.
type Line struct {
	File string // name in the package's file set
	Line int
	// Costs are what each profile charges to the line by kind, as shares of the profile's total. Memory that
	// the line allocates itself is an Allocation.
	Costs []map[diagnosis.Kind]float64
}

// A Generator proposes changes of one kind.
type Generator struct {
	Name    string // for IDs
	Title   string // what costs
	Why     string // why a change may be faster, as a clause
	Assumes string // what must hold for the change to be right, as a clause
	// Kinds are the kinds of cost that a change may reduce.
	Kinds []diagnosis.Kind

	propose func(*site) []proposal
}

// A proposal is a change of a line by a generator.
type proposal struct {
	message string // what it does, in the imperative
	edits   []analysis.TextEdit
}

// A Candidate is a change of a line that compiles.
type Candidate struct {
	Generator *Generator
	Line      int     // index of the line in the argument of Propose
	Share     float64 // of a profile's total: what the generator is about, at most
	Message   string  // what it does, in the imperative
	Edits     []analysis.TextEdit
}

// Generators returns all generators. They have no state.
func Generators() []*Generator {
	return []*Generator{
		formatGenerator(), regexpGenerator(), memoGenerator(), constantErrorGenerator(),
		splitGenerator(), sequenceGenerator(), unchangedGenerator(), builderGenerator(),
		tableGenerator(), lookupGenerator(), invariantGenerator(), recomputeGenerator(), loadGenerator(),
		classGenerator(), replacerGenerator(), capacityGenerator(), stackGenerator(), boundsGenerator(), elementGenerator(), sortGenerator(),
	}
}

// A Result is what Propose found.
type Result struct {
	Candidates []Candidate // by line, then by share, the largest first
	// Invalid counts proposals that do not compile, by generator.
	Invalid map[string]int
	// Failed are generators that panicked; the candidates of the others are complete.
	Failed []error
}

// Options configure Propose.
type Options struct {
	Run     func(name string) bool // whether a generator runs; nil means that all do
	Imports Imports                // the types of packages that the package does not import; nil means none
}

// Propose returns candidates for lines of a package that builds.
func Propose(pkg *packages.Package, lines []Line, o Options) (*Result, error) {
	r := &Result{Invalid: map[string]int{}}
	a := &analysis.Analyzer{
		Name: "candidates", Doc: "propose changes of hot lines", Requires: []*analysis.Analyzer{inspect.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			r.propose(pass, pkg, lines, o)
			return nil, nil
		},
	}
	if _, err := driver.Run(pkg, []*analysis.Analyzer{a}); err != nil {
		return nil, err
	}
	return r, nil
}

// propose runs the generators on all lines of a package.
func (r *Result) propose(pass *analysis.Pass, pkg *packages.Package, lines []Line, o Options) {
	shared := newPassData(pass)
	check := &checker{pkg: pkg, imports: o.Imports}
	seen := map[string]bool{}
	for i := range lines {
		s := &site{passData: shared, line: lines[i]}
		if !s.locate() {
			continue
		}
		var list []Candidate
		for _, g := range Generators() {
			share := g.share(lines[i].Costs)
			if share == 0 || o.Run != nil && !o.Run(g.Name) {
				continue
			}
			proposals, err := g.safely(s)
			if err != nil {
				r.Failed = append(r.Failed, err)
			}
			for _, p := range proposals {
				if key := p.key(g); len(p.edits) > 0 && !seen[key] {
					seen[key] = true
					list = append(list, Candidate{g, i, share, p.message, p.edits})
				}
			}
		}
		slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Share, a.Share) })
		kept := 0
		for _, c := range list {
			if kept == MaxPerLine {
				break
			}
			if check.compiles(c.Edits) != nil {
				r.Invalid[c.Generator.Name]++
				continue
			}
			r.Candidates = append(r.Candidates, c)
			kept++
		}
	}
}

// safely returns what the generator proposes for a line. A panic is an error: it must not cost the candidates
// of other generators.
func (g *Generator) safely(s *site) (list []proposal, err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("generator %s on %s:%d: panic: %v", g.Name, filepath.Base(s.line.File), s.line.Line, bad)
		}
	}()
	return g.propose(s), nil
}

// minPart is the smallest part of a line's costs that a generator must be about.
const minPart = 0.1

// share returns the share of a line's costs that the generator is about, in the profile where it is largest; 0
// if it is too small a part of the line in all of them.
func (g *Generator) share(costs []map[diagnosis.Kind]float64) float64 {
	most := 0.0
	for _, byKind := range costs {
		about, all := 0.0, 0.0
		for _, k := range slices.Sorted(maps.Keys(byKind)) {
			all += byKind[k]
			if slices.Contains(g.Kinds, k) {
				about += byKind[k]
			}
		}
		if about >= minPart*all {
			most = max(most, about)
		}
	}
	return most
}

// key returns what proposals of a generator on several lines have in common if they are the same: what they
// replace. The names that they introduce differ.
func (p *proposal) key(g *Generator) string {
	key := g.Name
	for _, e := range p.edits {
		key += fmt.Sprintf(" %d-%d", e.Pos, e.End)
	}
	return key
}

// passData is what the sites of a package share.
type passData struct {
	pass   *analysis.Pass
	root   inspector.Cursor
	names  *rewrite.Names
	locals *rewrite.Locals
	places flow.Places
	code   *syntax.Code
}

func newPassData(pass *analysis.Pass) *passData {
	d := &passData{
		pass: pass, root: flow.Root(pass), names: rewrite.NewNames(pass), locals: rewrite.NewLocals(pass),
	}
	d.places = flow.NewPlaces(pass.TypesInfo, d.root)
	pkg := &packages.Package{Fset: pass.Fset, Syntax: pass.Files, Types: pass.Pkg, TypesInfo: pass.TypesInfo}
	d.code = syntax.New([]*packages.Package{pkg}, func(file string) (string, bool) { return file, true })
	return d
}

// A site is a hot line with the syntax around it.
type site struct {
	*passData
	line Line
	file inspector.Cursor // of the line
	decl inspector.Cursor // the function around the line
}

// locate finds the function around the line, and reports whether its file may be changed.
func (s *site) locate() bool {
	for file := range s.root.Preorder((*ast.File)(nil)) {
		if s.pass.Fset.File(file.Node().Pos()).Name() != s.line.File {
			continue
		}
		s.file = file
		for d := range file.Preorder((*ast.FuncDecl)(nil)) {
			if s.lineOf(d.Node().Pos()) <= s.line.Line && s.line.Line <= s.lineOf(d.Node().End()) {
				s.decl = d
				return !rewrite.Generated(s.pass, d.Node().Pos())
			}
		}
	}
	return false
}

func (s *site) lineOf(at token.Pos) int { return s.pass.Fset.PositionFor(at, false).Line }

// on reports whether profiles charge the execution of a node to the line: it begins there, or is a call
// whose parenthesis is there.
func (s *site) on(n ast.Node) bool {
	if call, ok := n.(*ast.CallExpr); ok && s.lineOf(call.Lparen) == s.line.Line {
		return true
	}
	return s.lineOf(n.Pos()) == s.line.Line
}

// nodes returns the nodes on the line that have the types of examples, in source order.
func (s *site) nodes(examples ...ast.Node) (list []inspector.Cursor) {
	for c := range s.decl.Preorder(examples...) {
		if s.on(c.Node()) {
			list = append(list, c)
		}
	}
	return list
}

// callsOf returns the calls on the line whose callee is one of some functions or methods.
func (s *site) callsOf(functions ...string) (list []inspector.Cursor) {
	for _, c := range s.nodes((*ast.CallExpr)(nil)) {
		if slices.Contains(functions, s.callee(c)) {
			list = append(list, c)
		}
	}
	return list
}

// callee returns the full name of the function or method that a call names, "" for all else.
func (s *site) callee(c inspector.Cursor) string {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return ""
	}
	return cmp.Or(flow.Callee(s.pass.TypesInfo, call), flow.Method(s.pass.TypesInfo, call))
}

func (s *site) text(n ast.Node) string { return rewrite.Text(s.pass, n) }
