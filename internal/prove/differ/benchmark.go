package differ

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ/support"
)

// BenchmarkFile is the name of the file that Benchmarks writes in the package's directory.
const BenchmarkFile = "zz_whet_written_test.go"

// A Benchmark is a benchmark that was written.
type Benchmark struct {
	Function string // that it calls, as in Go source: (*T).Name
	Name     string // BenchmarkWhet_T_Name
}

// A Target is a function to benchmark.
type Target struct {
	Decl *ast.FuncDecl
	// Returned selects the function or handler that it returns, if it returns one.
	Returned bool
	// Callers selects exported functions that call it, too, if it is unexported: what they pass may be hard to make.
	Callers bool
}

// ChosenEnv is the environment variable that names a file for the inputs of a benchmark. If the file is empty or
// missing, the benchmark writes its chosen inputs there, and does not measure; otherwise it makes one call with each of
// those, so that a cover profile contains nothing else.
const ChosenEnv = "WHET_CHOSEN"

// UnusualEnv is the environment variable that names a file with inputs that a benchmark has chosen, or none. If it is
// not empty, the benchmark adds inputs as comparisons have them, if these run code that those do not run: first those
// that a comparison found, in the directory that CorpusEnv names.
const UnusualEnv = "WHET_UNUSUAL"

// CorpusEnv is the environment variable with the directory of the inputs that a comparison found.
const CorpusEnv = "WHET_CORPUS"

// BySizeEnv is the environment variable that has a benchmark go through its inputs of each size alone, in
// sub-benchmarks.
const BySizeEnv = "WHET_BY_SIZE"

// Benchmarks writes benchmarks for functions of a package. It returns the contents of the files to overlay on the
// package's directory, by name; BenchmarkFile is the one worth reading. Arguments of calls that a program made come
// before generated ones. Inputs have the words of now, too, which is the package as it becomes, and may be nil. The
// errors are for functions without a benchmark; files is nil if there are no others.
func Benchmarks(
	pkg, now *packages.Package, targets []Target, calls *captured.Calls,
) (files map[string][]byte, benchmarks []Benchmark, errs []error) {
	f := newTestFile(pkg, nil)
	if now != nil {
		f.more = append(f.more, now)
	}
	names := map[string]bool{}
	var helpers strings.Builder
	for _, t := range targets {
		calls, err := f.ways(t.Decl, t.Callers)
		if err != nil {
			errs = append(errs, fmt.Errorf("no benchmark can be written: %w", err))
			continue
		}
		of := FuncName(t.Decl)
		for _, call := range calls {
			depths := []int{0}
			if t.Returned && call.Function == of && call.oneCall(1, false, "", "") != "" {
				depths = []int{1, 2}
			}
			before := "whetBefore_" + identifier(call.Function)
			help := f.before(before, call)
			if help == "" {
				before = ""
			}
			for _, depth := range depths {
				name := "BenchmarkWhet_" + identifier(call.Function) + strings.Repeat("_returned", max(depth-1, 0))
				sets := f.settings(call.fn, pkg.Types, setToo)
				body := call.oneCall(depth, f.calledDynamically(call.fn), before, sets)
				if names[name] || body == "" {
					continue
				}
				if names[name] = true; before != "" && !names[before] {
					names[before] = true
					helpers.WriteString(help)
				}
				what := []string{"%s", "what %s returns", "what the function that %s returns returns"}[depth]
				f.addf("// %s calls "+what+" with generated inputs.\nfunc %s(b *testing.B) {\n\twhetlib.Benchmark(b, %s)\n}\n\n",
					name, call.Function, name, body)
				benchmarks = append(benchmarks, Benchmark{Function: call.Function, Name: name})
			}
		}
	}
	if len(benchmarks) == 0 {
		return nil, nil, errs
	}
	f.addf("%s", helpers.String())
	files, err := f.texts(BenchmarkFile, support.Benchmark, calls)
	if err != nil {
		return nil, nil, append(errs, err)
	}
	return files, benchmarks, errs
}

// Picked returns the file next to written benchmarks that says which inputs they go through: what each wrote to the
// file that ChosenEnv names, by the benchmark's name. Benchmarks that are not in chosen choose their own, which may be
// others in each version.
func Picked(pkg *packages.Package, chosen map[string]string) (name string, text []byte) {
	var b strings.Builder
	l := libraryOf(pkg, support.Benchmark, usesNet(pkg.Types))
	fmt.Fprintf(&b, "package %[1]s\n\nimport %[2]s %[3]q\n\nfunc init() {\n\t%[2]s.Picked = map[string]string{\n",
		pkg.Types.Name(), support.Name, l.Path)
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		fmt.Fprintf(&b, "\t\t%q: %q,\n", name, chosen[name])
	}
	b.WriteString("\t}\n}\n")
	return supportName("picked"), []byte(b.String())
}

var notIdentifier = regexp.MustCompile(`[^\pL\pN]+`)

// identifier converts a function's name to a part of an identifier.
func identifier(function string) string {
	return strings.Trim(notIdentifier.ReplaceAllString(function, "_"), "_")
}
