package differ

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// testFileName is the name of the test file that Generate and Dump write.
const testFileName = "zz_whet_differ_test.go"

// An UnsupportedError is the reason why a function cannot be called with generated inputs.
type UnsupportedError struct {
	Function string
	What     string // the receiver, parameter or type at fault
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s cannot be compared: %s", e.Function, e.What)
}

// A Test is a generated test.
type Test struct {
	Function string // in the form of Go source: (*T).Name
	Name     string // of the fuzz target or the test
}

// Generate writes tests that compare functions of the original package, old, with those of the same
// names in the package's directory. For a function that cannot be called, its callers in the
// package are compared instead. It returns the files' contents by name, and the fuzz targets. The
// errors are for functions that cannot be compared; files is nil if there are no others.
func Generate(old *packages.Package, decls []*ast.FuncDecl) (files map[string][]byte, tests []Test, errs []error) {
	f := newTestFile(old)
	entries, errs := f.entries(decls)
	was := map[*types.Func]string{} // names of the original functions
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		for _, fn := range e.functions() {
			if err := f.copyable(fn); err != nil {
				errs = append(errs, &UnsupportedError{Function: e.name(), What: err.Error()})
				return true
			}
		}
		for _, fn := range e.functions() {
			if was[fn] == "" {
				was[fn] = fmt.Sprintf("whetOld%d%s", len(was)+1, fn.Name())
			}
		}
		return false
	})
	written := map[*types.Func]bool{}
	for _, e := range entries {
		for _, fn := range e.functions() {
			if written[fn] {
				continue
			}
			written[fn] = true
			text, err := f.oldFunction(fn, was)
			if err != nil {
				return nil, nil, append(errs, err)
			}
			f.addf("%s\n", text)
		}
		test := Test{Function: e.name(), Name: fmt.Sprintf("FuzzWhetDiffer%d", len(tests)+1)}
		f.addf("func %s(f *testing.F) {\n\twhetSeeds(f)\n\tf.Fuzz(func(t *testing.T, data []byte) {\n\t\twhetCompare(t, "+
			"data, %s, %s)\n\t})\n}\n\n",
			test.Name, e.call.manyCalls(was[e.call.fn]), e.call.manyCalls(e.call.fn.Name()))
		tests = append(tests, test)
	}
	if len(tests) == 0 {
		return nil, nil, errs
	}
	files, err := f.texts(testFileName)
	if err != nil {
		return nil, nil, append(errs, err)
	}
	return files, tests, errs
}

// maxCallers is the maximum number of callers that replace a function that cannot be called.
const maxCallers = 3

// An entry is a way to run functions: by calling one of them, or one of their callers.
type entry struct {
	call *callCode
	of   []*types.Func // that it calls and that cannot be called themselves
}

// name describes what is called, and for which functions.
func (e entry) name() string {
	if len(e.of) == 0 {
		return e.call.Function
	}
	names := make([]string, len(e.of))
	for i, fn := range e.of {
		names[i] = fn.Name()
	}
	return e.call.Function + " (which calls " + strings.Join(names, ", ") + ")"
}

func (e entry) functions() []*types.Func { return append([]*types.Func{e.call.fn}, e.of...) }

// entries returns the ways to run functions; the errors are for functions without one.
func (g *testFile) entries(decls []*ast.FuncDecl) (entries []entry, errs []error) {
	add := func(call *callCode, of ...*types.Func) {
		for i := range entries {
			if entries[i].call.fn == call.fn {
				entries[i].of = append(entries[i].of, of...)
				return
			}
		}
		entries = append(entries, entry{call, of})
	}
	for _, d := range decls {
		call, err := g.callOf(d)
		if err == nil {
			add(call)
			if !call.partial {
				continue
			}
		}
		fn, _ := g.pkg.TypesInfo.Defs[d.Name].(*types.Func)
		found := err == nil
		for _, caller := range g.callers(fn) {
			if call, err := g.callOf(caller); err == nil {
				add(call, fn)
				found = true
			}
		}
		if !found {
			errs = append(errs, err)
		}
	}
	return entries, errs
}

// callers returns functions of the package that mention another one, at most maxCallers.
func (g *testFile) callers(fn *types.Func) (decls []*ast.FuncDecl) {
	for _, file := range g.pkg.Syntax {
		for _, d := range file.Decls {
			caller, ok := d.(*ast.FuncDecl)
			if !ok || caller.Body == nil || fn == nil || g.pkg.TypesInfo.Defs[caller.Name] == fn || len(decls) == maxCallers {
				continue
			}
			calls := false
			ast.Inspect(caller.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if used, ok := g.pkg.TypesInfo.Uses[id].(*types.Func); ok && used.Origin() == fn {
						calls = true
					}
				}
				return !calls
			})
			if calls {
				decls = append(decls, caller)
			}
		}
	}
	return decls
}
