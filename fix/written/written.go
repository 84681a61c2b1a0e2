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
	// Returned is set to measure the function or handler that it returns, if it returns one.
	Returned bool
}

// ChosenEnv is the environment variable that names a file for the inputs of a benchmark. When the file
// is empty or missing, the benchmark writes there which inputs it takes, and does not measure;
// otherwise it calls once with each of those, so that a cover profile is of nothing else.
const ChosenEnv = "WHET_CHOSEN"

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
			returned := t.Returned && call.Function == of
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
			f.Add("// %s calls %s with inputs that whet made.\nfunc %s(b *testing.B) {\n\twhetBenchmark(b, %s)\n}\n\n",
				name, what, name, body)
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

// InLiteral reports whether lines lie in a function literal of a function, which what it returns may be.
func InLiteral(fset *token.FileSet, d *ast.FuncDecl, line, endLine int) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			from, to := fset.Position(lit.Body.Pos()).Line, fset.Position(lit.Body.End()).Line
			found = found || from <= line && endLine <= to
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
