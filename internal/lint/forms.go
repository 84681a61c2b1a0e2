package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goForms checks the forms of a Go file: doc comments of boolean functions, errors, placeholders of
// flags, and the width of lines.
func goForms(name string, text []byte, add func(line int, text, cure string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	line := func(n ast.Node) int { return files.Position(n.Pos()).Line }
	raw := make(map[int]bool) // lines that begin or end within a raw string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Doc != nil && isBool(n.Type) && !boolDoc.MatchString(n.Doc.Text()) {
				add(line(n.Doc), "documents a boolean function without \"reports whether\"",
					fmt.Sprintf("write: %s reports whether …", n.Name.Name))
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				break
			}
			if end := files.Position(n.End()).Line; end > line(n) {
				for i := line(n); i <= end; i++ {
					raw[i] = true
				}
			}
		case *ast.CallExpr:
			checkError(n, func(text, cure string) { add(line(n), text, cure) })
			checkFlag(n, func(text, cure string) { add(line(n), text, cure) })
		}
		return true
	})
	wideCode(string(text), raw, add)
	return nil
}

// boolDoc matches the doc comment of a boolean function. A method of an interface that is
// documented elsewhere only names what it implements.
var boolDoc = regexp.MustCompile(`\breports? whether\b|\b[Ii]mplements\b`)

// isBool reports whether a function has one result, a bool.
func isBool(f *ast.FuncType) bool {
	if f.Results == nil || f.Results.NumFields() != 1 {
		return false
	}
	id, ok := f.Results.List[0].Type.(*ast.Ident)
	return ok && id.Name == "bool"
}

// constant returns the text of an expression of string literals, with NUL for other operands.
func constant(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, ok1 := constant(e.X)
		right, ok2 := constant(e.Y)
		if e.Op == token.ADD && (ok1 || ok2) {
			return left + right, true
		}
	}
	return "\x00", false
}

var (
	// valueUnknown matches an error about a value outside a set. Long and open sets are exempt: the
	// hint has them.
	valueUnknown = regexp.MustCompile(`\bunknown ((?:[a-z-]+ )+)%[qsv]`)
	openSets     = [...]string{"command", "flag", "option", "field", "variable", "function", "name"}
	wantsValues  = regexp.MustCompile(`\(want .`)
	oddWants     = regexp.MustCompile(`: want |, want |; want `)
)

// checkError checks the text of an error: fmt.Errorf, errors.New, and the functions of diag.
func checkError(call *ast.CallExpr, add func(text, cure string)) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	pkg, ok := f.X.(*ast.Ident)
	if !ok || !slices.Contains([]string{"fmt.Errorf", "errors.New", "fmt.Sprintf"}, pkg.Name+"."+f.Sel.Name) &&
		pkg.Name != "diag" {
		return
	}
	for _, arg := range call.Args {
		text, ok := constant(arg)
		if !ok {
			continue
		}
		if m := valueUnknown.FindStringSubmatch(text); m != nil && !wantsValues.MatchString(text) &&
			!slices.Contains(openSets[:], lastWord(m[1])) {
			add(fmt.Sprintf("reports an unknown %swithout the valid ones", m[1]), "unknown X %q (want a, b or c)")
		}
		if f.Sel.Name == "Sprintf" {
			continue
		}
		if oddWants.MatchString(text) {
			add("says what is wanted without parentheses", "X %q (want …)")
		}
		if strings.Contains(text, "failed t"+"o ") {
			add("says \"failed to\"", "operation subject: cause")
		}
	}
}

func lastWord(s string) string {
	words := strings.Fields(s)
	return words[len(words)-1]
}

var (
	flagMethod = regexp.MustCompile(
		`^(Bool|Count|String|Int|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray)?VarP?$`)
	placeholder = regexp.MustCompile("`([^`]*)`")
	// placeholderForm is the form of a flag's value: duration, as in pflag, or capitals.
	placeholderForm = regexp.MustCompile(`^(duration|[^a-z]*[A-Z][^a-z]*)$`)
)

// synonyms returns placeholders with their preferred spelling.
func synonyms() map[string]string {
	return map[string]string{
		"FOLDER": "DIR", "DIRECTORY": "DIR", "PATH": "FILE or DIR", "FILENAME": "FILE", "DURATION": "duration",
		"TIME": "duration", "NUMBER": "N", "COUNT": "N", "BYTES": "SIZE", "REGEX": "REGEXP", "PERCENTAGE": "PERCENT",
	}
}

// checkFlag checks how the usage of a flag names its value.
func checkFlag(call *ast.CallExpr, add func(text, cure string)) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 3 {
		return
	}
	kind := flagMethod.FindStringSubmatch(f.Sel.Name)
	if kind == nil {
		return
	}
	usage, ok := constant(call.Args[len(call.Args)-1])
	if _, err := constant(call.Args[1]); !ok || !err {
		return
	}
	m := placeholder.FindStringSubmatch(usage)
	switch {
	case m == nil && !slices.Contains([]string{"Bool", "Count", "Duration", ""}, kind[1]):
		add("is a flag whose help names its value by its Go type", "name the value in the usage: `FILE`, `N`, `PERCENT`")
	case m == nil:
	case synonyms()[m[1]] != "":
		add(fmt.Sprintf("names the value of a flag %s", m[1]), "write "+synonyms()[m[1]])
	case !placeholderForm.MatchString(m[1]):
		add(fmt.Sprintf("names the value of a flag %q", m[1]), "write `duration`, or capitals: `FILE`, `N`, `PERCENT`")
	}
}
