package twin

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// UsedBy is a function, by its name in both versions, and the declaration that it uses, which has changed.
type UsedBy struct {
	Function string
	Used     types.Object // of the old version of its package
}

// A use is lines of a function that use what has changed. If they are all of the function, because values of
// a type are used anywhere in it, half of the blocks must run, instead of one.
type use struct {
	function, file string // the base name of the file
	from, to       int
	what           string
	whole          bool
}

// Uses is which lines that use what has changed the inputs have run.
type Uses struct {
	Coverage
	uses []use // of the places
}

// UsedLines returns the lines of the new version of a package in which functions use what has changed. name
// returns what a function is called in both versions, and within comes before it in what Unreached returns.
func UsedLines(now *packages.Package, name func(*ast.FuncDecl) string, within string, uses []UsedBy) *Uses {
	u := &Uses{Coverage: Coverage{Path: now.PkgPath}}
	decls := map[string]*ast.FuncDecl{}
	for _, file := range now.Syntax {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				decls[name(d)] = d
			}
		}
	}
	line := func(p token.Pos) int { return now.Fset.Position(p).Line }
	for _, by := range uses {
		d := decls[by.Function]
		if d == nil || d.Body == nil {
			continue
		}
		one := use{
			function: within + by.Function, file: filepath.Base(now.Fset.Position(d.Pos()).Filename), what: by.Used.Name(),
			from: line(d.Body.Pos()), to: line(d.Body.End()), whole: true,
		}
		if _, isType := by.Used.(*types.TypeName); isType {
			u.add(one)
			continue
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && declares(now.TypesInfo.Uses[id], by.Used) {
				one.from, one.to, one.whole = line(id.Pos()), line(id.Pos()), false
				u.add(one)
			}
			return true
		})
	}
	return u
}

// declares reports whether two objects are the same declaration at the top level of a package, in one version
// of it or the other.
func declares(a, b types.Object) bool {
	key := func(obj types.Object) string {
		if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			return ""
		}
		return strings.TrimSuffix(obj.Pkg().Path(), "/"+Dir) + "." + obj.Name()
	}
	return key(a) != "" && key(a) == key(b)
}

func (u *Uses) add(one use) {
	u.uses = append(u.uses, one)
	u.places = append(u.places, changedPlace{
		function: one.function, file: one.file, from: one.from, to: one.to, blocks: map[string]bool{},
	})
}

// Unreached says which uses no input has run.
func (u *Uses) Unreached() []string {
	not := map[string]bool{}
	for i, one := range u.uses {
		ran, all := u.places[i].count()
		where := fmt.Sprintf("%s in %s:%d", one.what, one.file, one.from)
		switch {
		case u.unknown:
			not[fmt.Sprintf("%s was not compared: it is unknown which of its lines the inputs reached", one.function)] = true
		case all == 0: // it is used where nothing runs
		case !one.whole && ran == 0:
			not[fmt.Sprintf("%s was not compared: no input reached its use of %s", one.function, where)] = true
		case one.whole && 2*ran < all:
			not[fmt.Sprintf("%s was not compared: inputs reached %d of its %d blocks, and it uses %s", one.function, ran, all,
				one.what)] = true
		}
	}
	return slices.Sorted(maps.Keys(not))
}
