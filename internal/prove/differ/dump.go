package differ

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ/dumps"
	"github.com/whet-go/whet/internal/prove/differ/support"
)

// DumpEnv is the environment variable that names the file to which the tests of Dump append results.
const DumpEnv = "WHET_ANSWERS"

// Dump writes tests that print the results of functions of a package for inputs drawn from a seed,
// and from calls, to compare two builds of the same source. Each side overlays the files on the package's directory
// and runs a test alone with DumpEnv set to a new file; package dumps compares both files. Dump
// returns the files' contents by name, and the tests. For a function that cannot be called, its
// callers print their results; the errors are for functions without callers; files is nil if there
// are no others.
func Dump(
	pkg *packages.Package, decls []*ast.FuncDecl, inputs int, seed uint64, calls *captured.Calls,
) (files map[string][]byte, tests []Test, errs []error) {
	f := newTestFile(pkg, nil)
	entries, errs := f.entries(f.objects(decls))
	files, tests, err := f.dumps(entries, inputs, seed, calls)
	if err != nil {
		errs = append(errs, err)
	}
	return files, tests, errs
}

// dumps writes the tests that print results.
func (g *testFile) dumps(
	entries []entry, inputs int, seed uint64, calls *captured.Calls,
) (files map[string][]byte, tests []Test, err error) {
	for _, e := range certain(entries) {
		test := Test{Function: e.name(), Name: fmt.Sprintf("TestWhetAnswers%d", len(tests)+1), Fixed: e.call.fixed()}
		g.addf("func %s(t *testing.T) {\n\twhetlib.PrintAnswers(t, %d, %d, whetCaptured, %s)\n}\n\n", test.Name, inputs, seed,
			e.call.manyCalls(e.call.fn.Name()))
		tests = append(tests, test)
	}
	if len(tests) == 0 {
		return nil, nil, nil
	}
	files, err = g.texts(testFileName, support.Answers, calls)
	return files, tests, err
}

// DumpOutcome returns the counts of what two builds printed as the outcome of a test.
func DumpOutcome(t Test, d *dumps.Counts) Outcome {
	o := Outcome{
		Function: t.Function, Fixed: t.Fixed,
		Inputs: d.Alike + d.Panics, Returned: d.Alike, Distinct: d.Distinct,
	}
	o.Judge()
	if d.Alike == 0 && d.Panics == 0 && d.Varying > 0 {
		o.Unproven = t.Function + " was not compared: its results depend on time or randomness"
	}
	return o
}
