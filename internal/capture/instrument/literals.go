package instrument

import (
	"fmt"
	"go/ast"
	"iter"
)

// literals returns the names of the function literals in the files of a package, as the compiler gives them, without
// the package: main.func1 is the first one in main, main.func1.2 the second one in that, and init.func1 the first one
// outside of functions. The compiler leaves out those in code that cannot run, and has other names for those in what
// it inlines and in loops over functions: these names are then not those in profiles.
func literals(files []*ast.File) iter.Seq[string] {
	return func(yield func(string) bool) {
		inits, global := 0, 0
		for _, file := range files {
			for _, d := range file.Decls {
				outer, count := "init", &global
				if f, ok := d.(*ast.FuncDecl); ok {
					outer, count = FuncName(f), new(int)
					if f.Recv == nil && f.Name.Name == "init" {
						outer = fmt.Sprintf("init.%d", inits)
						inits++
					}
				}
				if !literalsIn(d, outer+".func", count, yield) {
					return
				}
			}
		}
	}
}

// literalsIn yields the names of the literals in a node, which begin with prefix and end with a number after count. It
// reports whether to go on.
func literalsIn(n ast.Node, prefix string, count *int, yield func(string) bool) bool {
	more := true
	ast.Inspect(n, func(n ast.Node) bool {
		l, ok := n.(*ast.FuncLit)
		if !more || !ok {
			return more
		}
		*count++
		name := fmt.Sprint(prefix, *count)
		more = yield(name) && literalsIn(l.Body, name+".", new(int), yield)
		return false
	})
	return more
}
