package written

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/fix/differ"
)

// FileName is the file of the benchmarks, in the package's directory.
const FileName = "zz_whet_written_test.go"

// A Benchmark is one that was written.
type Benchmark struct {
	Function string // that it calls, as in Go's source: (*T).Name
	Of       string // the function that was asked for, which is the same or is called by it
	Name     string // BenchmarkWhet_T_Name
}

// A Target is a function to benchmark.
type Target struct {
	Decl *ast.FuncDecl
	// Line and EndLine are the lines that matter, in the file of the function; 0 is any.
	Line, EndLine int
}

// Generate writes benchmarks for functions of a package. It returns the texts of the files to lay
// into the package's directory, by name; FileName is the one that is worth reading. Functions for
// which none can be written are in the errors; the files are nil when there are no others.
func Generate(pkg *packages.Package, targets []Target) (files map[string][]byte, benchmarks []Benchmark, errs []error) {
	f := differ.NewFile(pkg)
	names := map[string]bool{}
	for _, t := range targets {
		calls, err := f.Ways(t.Decl)
		if err != nil {
			errs = append(errs, fmt.Errorf("no benchmark can be written: %w", err))
			continue
		}
		of := differ.FuncName(t.Decl)
		for _, call := range calls {
			returned := call.Function == of && inLiteral(pkg.Fset, t)
			body := call.Once(returned)
			if body == "" {
				body, returned = call.Once(false), false
			}
			name := "BenchmarkWhet_" + identifier(call.Function)
			if names[name] {
				continue
			}
			names[name] = true
			what := call.Function
			if returned {
				what = "what " + what + " returns"
			}
			f.Add("// %s calls %s with inputs that whet made.\nfunc %s(b *testing.B) {\n\twhetBenchmark(b, %s)\n}\n\n", name, what, name, body)
			benchmarks = append(benchmarks, Benchmark{Function: call.Function, Of: of, Name: name})
		}
	}
	if len(benchmarks) == 0 {
		return nil, nil, errs
	}
	files, err := f.Texts(FileName)
	if err != nil {
		return nil, nil, append(errs, err)
	}
	return files, benchmarks, errs
}

// inLiteral tells whether the lines of a target lie in a function literal.
func inLiteral(fset *token.FileSet, t Target) bool {
	found := false
	ast.Inspect(t.Decl, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && t.Line > 0 {
			from, to := fset.Position(lit.Body.Pos()).Line, fset.Position(lit.Body.End()).Line
			found = found || from <= t.Line && max(t.Line, t.EndLine) <= to
		}
		return !found
	})
	return found
}

var notIdentifier = regexp.MustCompile(`[^\pL\pN]+`)

// identifier is a function's name as a part of another name.
func identifier(function string) string {
	return strings.Trim(notIdentifier.ReplaceAllString(function, "_"), "_")
}
