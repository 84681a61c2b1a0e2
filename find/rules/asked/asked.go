package asked

import (
	_ "embed"
	"fmt"
	"go/ast"
	"regexp"
	"strconv"
	"strings"

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
	r := &rules.Rule{
		Analyzer: &analysis.Analyzer{
			Name:     "asked",
			Doc:      "report values that are fetched from the system on each call",
			Requires: []*analysis.Analyzer{inspect.Analyzer},
			Run:      run,
		},
		Doc: rules.ParseDoc(doc),
	}
	for _, l := range lookups() {
		below := "^" + regexp.QuoteMeta(l.function) + "$"
		r.Causes = append(r.Causes, rules.Cause{
			ByHand: "how old the answer may be depends on the program: keep it, and fetch it again when it may " +
				"have changed",
			Category: l.category, Title: l.title, CPU: below, Alloc: below, Mutex: below, Block: below, Needs: l.needs,
			Profiled: l.function == "os.Getenv", // configuration is read everywhere, usually once
		})
	}
	return r
}

// A lookup is a function whose result almost never changes.
type lookup struct {
	function string // full name
	category string
	title    string
	message  string // why it is expensive
	needs    rules.Need
	cache    cacheKind
	result   string // the result's type, with a leading dot if it is declared in the function's package
	name     string // of the declared variable or function
}

// cacheKind is how a result is cached.
type cacheKind int

const (
	noCache      cacheKind = iota // no rewrite
	variable                      // no error, never changes: package variable
	onceValue                     // no error: sync.OnceValue
	firstSuccess                  // the first successful result
)

func lookups() []lookup {
	return []lookup{
		{
			"os.Hostname", "hostname", "host name fetched on each call",
			"os.Hostname makes a system call each time for a name that hardly ever changes",
			rules.Review, firstSuccess, "string", "Hostname",
		},
		{
			"os.Executable", "executable", "executable path fetched on each call",
			"os.Executable reads a symbolic link each time",
			rules.Review, firstSuccess, "string", "Executable",
		},
		{
			"os.Getpid", "pid", "process ID fetched on each call",
			"os.Getpid makes a system call each time for a number that never changes",
			rules.Free, variable, "", "processID",
		},
		{
			"os.Getenv", "getenv", "environment variable read on each call",
			"os.Getenv takes a lock that all goroutines share for each lookup",
			rules.Review, onceValue, "", "environment",
		},
		{
			"time.LoadLocation", "zone", "time zone loaded on each call",
			"time.LoadLocation opens, reads and parses the zone's file each time",
			rules.Review, firstSuccess, "*.Location", "Location",
		},
		{
			"net.InterfaceAddrs", "addresses", "network addresses fetched on each call",
			"net.InterfaceAddrs fetches the kernel's whole table of addresses each time",
			rules.Review, noCache, "", "",
		},
		{
			"net.Interfaces", "addresses-of-interfaces", "network interfaces fetched on each call",
			"net.Interfaces fetches the kernel's whole table of interfaces each time",
			rules.Review, noCache, "", "",
		},
		{
			"runtime/debug.ReadBuildInfo", "buildinfo", "build information parsed on each call",
			"debug.ReadBuildInfo parses the text of the build information each time",
			rules.Review, noCache, "", "",
		},
	}
}

// A callSite is a call of a lookup.
type callSite struct {
	call *ast.CallExpr
	at   inspector.Cursor
}

func run(pass *analysis.Pass) (any, error) {
	insp := flow.Root(pass).Inspector()
	known := map[string]lookup{}
	for _, l := range lookups() {
		known[l.function] = l
	}
	names := rewrite.NewNames(pass)
	sets := setsVariables(pass, insp)
	for file := range insp.Root().Children() {
		// Equal lookups in a file make one finding with one rewrite. Not in a package, because a
		// file may be excluded on other systems.
		places := map[string][]callSite{}
		var order []string
		for c := range file.Preorder((*ast.CallExpr)(nil)) {
			call, ok := c.Node().(*ast.CallExpr)
			if !ok {
				continue
			}
			function := flow.Callee(pass.TypesInfo, call)
			if _, ok := known[function]; !ok || flow.Once(c) || isCached(pass, c) {
				continue
			}
			argument, ok := isRepeatable(pass, function, call)
			if !ok {
				continue
			}
			key := function + " " + argument
			if places[key] == nil {
				order = append(order, key)
			}
			places[key] = append(places[key], callSite{call, c})
		}
		for _, key := range order {
			function, argument, _ := strings.Cut(key, " ")
			l := known[function]
			if l.cache == onceValue && sets {
				l.cache = noCache
			}
			fix := l.fix(pass, names, places[key], argument)
			for _, p := range places[key] {
				rules.Report(pass, p.call, l.category, l.message, fix)
			}
		}
	}
	return nil, nil
}

// isRepeatable reports whether a call has the same result each time, and returns its argument as Go
// code.
func isRepeatable(pass *analysis.Pass, function string, call *ast.CallExpr) (argument string, ok bool) {
	if function != "time.LoadLocation" && function != "os.Getenv" {
		return "", true
	}
	name, ok := flow.StringConst(pass.TypesInfo, call.Args[0])
	if function == "time.LoadLocation" && (name == "" || name == "UTC" || name == "Local") {
		return "", false // already in memory
	}
	return strconv.Quote(name), ok
}

// setsVariables reports whether a package sets environment variables, which it may expect to read
// back.
func setsVariables(pass *analysis.Pass, insp *inspector.Inspector) bool {
	for c := range insp.Root().Preorder((*ast.CallExpr)(nil)) {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		switch flow.Callee(pass.TypesInfo, call) {
		case "os.Setenv", "os.Unsetenv", "os.Clearenv",
			"(*testing.common).Setenv", "(*testing.T).Setenv", "(*testing.B).Setenv":
			return true
		}
	}
	return false
}

// isCached reports whether the function around a call already caches the result.
func isCached(pass *analysis.Pass, c inspector.Cursor) bool {
	around, ok := flow.Decl(c)
	if !ok {
		for d := range c.Enclosing((*ast.GenDecl)(nil)) {
			around, ok = d, true
		}
	}
	if !ok {
		return false
	}
	for n := range around.Preorder((*ast.CallExpr)(nil)) {
		call, ok := n.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		switch flow.Callee(pass.TypesInfo, call) {
		case "(*sync.Once).Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues",
			"(*sync.Map).Store", "(*sync.Map).LoadOrStore",
			"(*sync/atomic.Value).Store", "(*sync/atomic.Value).CompareAndSwap",
			"(*sync/atomic.Pointer[T]).Store", "(*sync/atomic.Pointer[T]).CompareAndSwap":
			return true
		}
	}
	return false
}

// fix caches the result of several calls in a file. The calls keep their results, so the code
// around them does not matter.
func (l lookup) fix(
	pass *analysis.Pass, names *rewrite.Names, places []callSite, argument string,
) analysis.SuggestedFix {
	first := places[0].call
	if rewrite.Declaration(pass, first.Pos()) == nil {
		return rules.None("the call is not in a declaration of a file: move it into a function")
	}
	// The package's name must refer to the package outside the function, too.
	sel, ok := ast.Unparen(first.Fun).(*ast.SelectorExpr)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	ask := pkg.Name + "." + sel.Sel.Name + "(" + argument + ")"

	var source, use string
	var edits []analysis.TextEdit
	switch l.cache {
	case noCache:
		if l.function == "os.Getenv" {
			return rules.None("the package also sets environment variables, and may read them back: without that, " +
				ask + " is kept after its first use")
		}
		return rules.None("the answer may change while the program runs: keep that of " + ask +
			" by hand for as long as it may be stale")
	case variable:
		use = names.Fresh(l.name)
		source = fmt.Sprintf("// %s never changes.\nvar %s = %s", use, use, ask)
	case onceValue:
		if !flow.Since(pass, first.Pos(), "go1.21") {
			// Type parameters or sync.OnceValue may be missing.
			return l.keep(pass, names, places, ask, "string", argument)
		}
		imported, imports, ok := rewrite.Import(pass, rewrite.Declaration(pass, first.Pos()).Pos(), "sync")
		if !ok {
			return rules.None(rules.Shadowed)
		}
		edits = imports
		name := names.Fresh(l.name + variableName(argument))
		use = name + "()"
		source = fmt.Sprintf(
			"// %s is %s as fetched on first use.\n"+
				"var %s = %s.OnceValue(func() string { return %s })",
			name, ask, name, imported, ask,
		)
	case firstSuccess:
		if !flow.Since(pass, first.Pos(), "go1.19") {
			// atomic.Pointer may be missing.
			return l.keep(pass, names, places, ask, strings.Replace(l.result, "*.", "*"+pkg.Name+".", 1), argument)
		}
		imported, imports, ok := rewrite.Import(pass, rewrite.Declaration(pass, first.Pos()).Pos(), "sync/atomic")
		if !ok {
			return rules.None(rules.Shadowed)
		}
		edits = imports
		result := l.result
		pointed, kept := "*known", "&answer"
		if strings.HasPrefix(result, "*.") {
			result = "*" + pkg.Name + result[1:]
			pointed, kept = "known", "answer"
		}
		name, known := names.Fresh("cached"+l.name+variableName(argument)), names.Fresh("known"+l.name+variableName(argument))
		use = name + "()"
		source = fmt.Sprintf(`// %[1]s is %[3]s, whose first successful result is kept.
func %[1]s() (%[4]s, error) {
	if known := %[2]s.Load(); known != nil {
		return %[6]s, nil
	}
	answer, err := %[3]s
	if err == nil {
		%[2]s.Store(%[7]s)
	}
	return answer, err
}

// %[2]s is nil until the first success.
var %[2]s %[5]s.Pointer[%[8]s]`, name, known, ask, result, imported, pointed, kept, strings.TrimPrefix(result, "*"))
	}
	declare, ok := rewrite.Declare(pass, first.Pos(), source)
	if !ok {
		return rules.None(rules.Shadowed)
	}
	edits = append(edits, declare)
	for _, p := range places {
		edits = append(edits, rewrite.Replace(p.call, use))
	}
	return analysis.SuggestedFix{Message: "Cache the result", TextEdits: edits}
}

// keep is the fix for versions of Go without sync.OnceValue or atomic.Pointer: an atomic.Value has the first
// answer, which is of type result.
func (l lookup) keep(
	pass *analysis.Pass, names *rewrite.Names, places []callSite, ask, result, argument string,
) analysis.SuggestedFix {
	at := places[0].call.Pos()
	imported, edits, ok := rewrite.Import(pass, rewrite.Declaration(pass, at).Pos(), "sync/atomic")
	if !ok {
		return rules.None(rules.Shadowed)
	}
	subject := strings.ToUpper(l.name[:1]) + l.name[1:] + variableName(argument)
	name, known := "cached"+subject, names.Fresh("known"+subject)
	text := `// %[1]s is %[3]s, whose first successful result is kept.
func %[1]s() (%[4]s, error) {
	if known, ok := %[2]s.Load().(%[4]s); ok {
		return known, nil
	}
	answer, err := %[3]s
	if err == nil {
		%[2]s.Store(answer)
	}
	return answer, err
}

// %[2]s is empty until the first success.
var %[2]s %[5]s.Value`
	if l.cache == onceValue {
		name = l.name + variableName(argument)
		text = `// %[1]s is %[3]s as fetched on first use.
func %[1]s() %[4]s {
	known, ok := %[2]s.Load().(%[4]s)
	if !ok {
		known = %[3]s
		%[2]s.Store(known)
	}
	return known
}

// %[2]s is empty until the first use.
var %[2]s %[5]s.Value`
	}
	name = names.Fresh(name)
	declare, ok := rewrite.Declare(pass, at, fmt.Sprintf(text, name, known, ask, result, imported))
	if !ok {
		return rules.None(rules.Shadowed)
	}
	edits = append(edits, declare)
	for _, p := range places {
		edits = append(edits, rewrite.Replace(p.call, name+"()"))
	}
	return analysis.SuggestedFix{Message: "Cache the result", TextEdits: edits}
}

// variableName converts a quoted argument to a part of a Go identifier: "MY_MODE" becomes MyMode.
func variableName(quoted string) string {
	name := ""
	for _, word := range strings.FieldsFunc(quoted, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}) {
		name += strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
	}
	return name
}
