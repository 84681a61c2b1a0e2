package percall

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

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
			Name:     "percall",
			Doc:      "report values that are built on each call from constants",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Causes: []rules.Cause{
			{
				Category: "regexp", Title: "regular expression compiled on each call",
				ByHand: "the result may be changed or the pattern depends on the function: declare a package " +
					"variable with regexp.MustCompile",
				CPU:   `^regexp\.(MustCompile|Compile|MatchString|Match|MatchReader)`,
				Alloc: `^regexp\.(MustCompile|Compile|compile)`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "replacer", Title: "strings.Replacer built on each call",
				ByHand: "it is passed on or refers to local names: declare it as a package variable",
				CPU: `^strings\.(NewReplacer|\(\*Replacer\)\.(build|buildOnce)|makeGenericReplacer|` +
					`\(\*genericReplacer\)\.lookup|\(\*Replacer\)\.Replace)|` +
					`^sync\.\(\*Once\)`,
				Alloc: `^strings\.(NewReplacer|\(\*Replacer\)\.(build|buildOnce)|makeGenericReplacer)`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "template", Title: "template parsed on each call",
				ByHand: "it is passed on or refers to local names: parse it into a package variable",
				CPU: `^(text|html)/template\.(New|Must|[Pp]arse|\(\*Template\)\.(Parse|escape))|` +
					`^html/template\.\(\*Template\)\.lookupAndEscape`,
				Alloc: `^(text|html)/template\.(New|Must|[Pp]arse|\(\*Template\)\.(Parse|escape))|` +
					`^html/template\.\(\*Template\)\.lookupAndEscape`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
			{
				Category: "encoding", Title: "encoding built on each call",
				ByHand: "it is passed on or refers to local names: declare it as a package variable",
				CPU:    `^encoding/base(32|64)\.NewEncoding`, Alloc: `^encoding/base(32|64)\.NewEncoding`,
				Mutex: rules.Nothing, Block: rules.Nothing,
			},
		},
		Doc: rules.ParseDoc(doc),
	}
}

// A constructor builds a value that depends only on its arguments.
type constructor struct {
	category string
	suffix   string // of the variable's name
	what     string // for the message
	// valid reports whether it accepts these constants without an error or panic.
	valid func(args []string) bool
	// keeps reports whether a method does not modify the value.
	keeps func(method string) bool
}

func anyMethod(string) bool { return true }

func constructors() map[string]constructor {
	compiles := func(compile func(string) (*regexp.Regexp, error)) func([]string) bool {
		return func(args []string) bool {
			_, err := compile(args[0])
			return err == nil
		}
	}
	// Longest changes how the expression matches; UnmarshalText replaces it.
	matcher := func(method string) bool { return method != "Longest" && method != "UnmarshalText" }
	// Distinct bytes without newlines: otherwise the constructor panics.
	alphabet := func(size int) func([]string) bool {
		return func(args []string) bool {
			seen := map[byte]bool{'\r': true, '\n': true}
			for i := range len(args[0]) {
				seen[args[0][i]] = true
			}
			return len(args[0]) == size && len(seen) == size+2
		}
	}
	return map[string]constructor{
		"regexp.MustCompile": {
			"regexp", "Pattern", "a regular expression is compiled",
			compiles(regexp.Compile), matcher,
		},
		"regexp.MustCompilePOSIX": {
			"regexp", "Pattern", "a regular expression is compiled",
			compiles(regexp.CompilePOSIX), matcher,
		},
		"strings.NewReplacer": {
			"replacer", "Replacer", "a replacer is built",
			func(args []string) bool { return len(args)%2 == 0 }, anyMethod,
		},
		"encoding/base64.NewEncoding": {"encoding", "Encoding", "an encoding is built", alphabet(64), anyMethod},
		"encoding/base32.NewEncoding": {"encoding", "Encoding", "an encoding is built", alphabet(32), anyMethod},
		"text/template.Must":          {"template", "Template", "a template is parsed", parses, executes},
		"html/template.Must":          {"template", "Template", "a template is parsed", parses, executes},
	}
}

// parses reports whether a template is valid.
func parses(args []string) bool {
	_, err := template.New("").Parse(args[len(args)-1])
	return err == nil
}

// executes reports whether a method does not modify a template: Parse, Funcs, Option and similar
// methods do.
func executes(method string) bool { return method == "Execute" || method == "ExecuteTemplate" }

func run(pass *analysis.Pass) (any, error) {
	root := flow.Root(pass)
	known := constructors()
	names := rewrite.NewNames(pass)
	for c := range root.Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || flow.Once(c) {
			continue
		}
		name := flow.Callee(pass.TypesInfo, call)
		if k, ok := known[name]; ok {
			if args, ok := arguments(pass.TypesInfo, name, call); ok && k.valid(args) {
				reportBuilt(pass, names, c, call, k)
			}
			continue
		}
		if name == "regexp.MatchString" || name == "regexp.Match" {
			if pattern, ok := flow.StringConst(pass.TypesInfo, call.Args[0]); ok {
				reportMatch(pass, names, c, call, pattern)
			}
		}
	}
	return nil, nil
}

// arguments returns the arguments of a constructor; false if they are not all constant.
func arguments(info *types.Info, name string, call *ast.CallExpr) ([]string, bool) {
	if strings.HasSuffix(name, "template.Must") {
		return templateArguments(info, strings.TrimSuffix(name, "Must"), call)
	}
	var args []string
	for _, a := range call.Args {
		s, ok := flow.StringConst(info, a)
		if !ok {
			return nil, false
		}
		args = append(args, s)
	}
	return args, !call.Ellipsis.IsValid()
}

// templateArguments returns those of Must(New(name).Parse(text)).
func templateArguments(info *types.Info, pkg string, must *ast.CallExpr) ([]string, bool) {
	if len(must.Args) != 1 {
		return nil, false
	}
	parse, ok := ast.Unparen(must.Args[0]).(*ast.CallExpr)
	if !ok || flow.Callee(info, parse) != "(*"+pkg+"Template).Parse" {
		return nil, false
	}
	sel, ok := parse.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	made, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok || flow.Callee(info, made) != pkg+"New" {
		return nil, false
	}
	name, ok1 := flow.StringConst(info, made.Args[0])
	text, ok2 := flow.StringConst(info, parse.Args[0])
	return []string{name, text}, ok1 && ok2
}

// reportBuilt reports a value that is built, and moves it to a package variable if no use modifies
// it.
func reportBuilt(pass *analysis.Pass, names *rewrite.Names, c inspector.Cursor, call *ast.CallExpr, k constructor) {
	value, ok := portable(pass, call)
	fix := rules.None("the result is kept, changed or passed on, and its users may rely on having their own: if " +
		"they only read it, declare a package variable")
	if !ok {
		fix = rules.None(local)
	}
	if ok && flow.OnlyReceives(pass.TypesInfo, c, k.keeps) {
		fix = hoist(pass, names, c, k.suffix, value, func(name string) []analysis.TextEdit {
			return []analysis.TextEdit{rewrite.Replace(call, name)}
		})
	}
	rules.Report(pass, call, k.category, k.what+" on each call, from constants: the result is always the same", fix)
}

// local is why a call stays where it is.
const local = "an argument refers to a name that is declared in the function: move that to a package constant or " +
	"variable, too"

// hoist returns the fix that declares a package variable next to the function around c and uses it.
func hoist(
	pass *analysis.Pass, names *rewrite.Names, c inspector.Cursor, suffix, value string,
	use func(name string) []analysis.TextEdit,
) analysis.SuggestedFix {
	base := "the" + suffix
	if d, ok := flow.Decl(c); ok {
		if f, ok := d.Node().(*ast.FuncDecl); ok && f.Name.Name != "_" {
			first, size := utf8.DecodeRuneInString(f.Name.Name)
			base = string(unicode.ToLower(first)) + f.Name.Name[size:] + suffix
		}
	}
	name := names.Fresh(base)
	decl, ok := rewrite.Hoist(pass, c.Node().Pos(), name, name+" is built once and never changes.", value)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	return analysis.SuggestedFix{
		Message:   "Build it once, in a package variable",
		TextEdits: append([]analysis.TextEdit{decl}, use(name)...),
	}
}

// portable returns the source of an expression for use outside its function; false if it refers
// to something declared within.
func portable(pass *analysis.Pass, e ast.Expr) (string, bool) {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, isIdent := n.(*ast.Ident); isIdent {
			obj := pass.TypesInfo.ObjectOf(id)
			if obj == nil ||
				obj.Pkg() != nil && obj.Parent() != nil && obj.Parent() != pass.Pkg.Scope() &&
					!isFileScope(pass, obj) && obj.Pkg() == pass.Pkg {
				ok = false
			}
		}
		return ok
	})
	return rewrite.Text(pass, e), ok
}

// isFileScope reports whether a name is that of an imported package.
func isFileScope(pass *analysis.Pass, obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok && slices.ContainsFunc(pass.Files, func(f *ast.File) bool {
		return pass.TypesInfo.Scopes[f] == obj.Parent()
	})
}

// reportMatch reports regexp.MatchString(constant, s), which compiles the pattern. A method takes
// the same argument, without the error, which a valid pattern does not return.
func reportMatch(pass *analysis.Pass, names *rewrite.Names, c inspector.Cursor, call *ast.CallExpr, pattern string) {
	_, err := regexp.Compile(pattern)
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	pkg, isSelector := call.Fun.(*ast.SelectorExpr)
	text, isPortable := portable(pass, call.Args[0])
	fix := rules.None("the error is used, which a pattern that is compiled once does not return: assign it to _ if " +
		"the pattern is valid")
	switch {
	case err != nil:
		fix = rules.None(fmt.Sprintf("the pattern %q is not valid: mend it", pattern))
	case !isPortable:
		fix = rules.None(local)
	}
	if ok && isSelector && isPortable && err == nil && len(assign.Rhs) == 1 && isBlank(assign.Lhs[1]) {
		fix = hoist(pass, names, c, "Pattern",
			rewrite.Text(pass, pkg.X)+".MustCompile("+text+")",
			func(name string) []analysis.TextEdit {
				edits := []analysis.TextEdit{
					{Pos: call.Pos(), End: call.Args[1].Pos(), NewText: []byte(name + "." + pkg.Sel.Name + "(")},
					{Pos: assign.Lhs[0].End(), End: assign.Lhs[1].End()},
				}
				// _, _ := declares nothing, and _ := is not valid Go.
				if isBlank(assign.Lhs[0]) && assign.Tok == token.DEFINE {
					return nil
				}
				return edits
			})
	}
	rules.Report(pass, call, "regexp", "the pattern is compiled on each call, although it is constant", fix)
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}
