package support

import (
	"bytes"
	"embed"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.txt
var parts embed.FS

// optional returns what the optional parts are for: code that needs one contains it.
func optional() map[string][]string {
	return map[string][]string{
		"compare": {"whetCompare("}, "scribe": {"whetCompare("}, "answers": {"whetPrintAnswers("},
		"bench": {"whetBenchmark("}, ExitPart: {"whetCompare(", "whetRunAs("},
	}
}

// ExitPart is the part that has a call end a run instead of the process. It links only with ExitFlag, since it
// uses a symbol of the runtime. The other parts do without it.
const (
	ExitPart = "exit"
	ExitFlag = "-ldflags=-checklinkname=0"
)

// For returns the files that code in a package with a name needs, with names from fileName. net is set
// if the package uses package net. The imports of the files get unused names: a package may declare
// its own log, url or time.
func For(pkg string, code []byte, net bool, fileName func(part string) string) map[string][]byte {
	entries, err := parts.ReadDir(".")
	if err != nil {
		panic("the support is not embedded: " + err.Error())
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".txt")
		used := func(use string) bool { return bytes.Contains(code, []byte(use)) }
		if uses, ok := optional()[name]; ok && !slices.ContainsFunc(uses, used) ||
			name == "web" && !net {
			continue // unused: linking all imports takes long
		}
		text, err := parts.ReadFile(entry.Name())
		if err != nil {
			panic("the support is not embedded: " + err.Error())
		}
		files[fileName(name)] = part(pkg, fileName(name), text)
	}
	return files
}

// part returns a file in a package with a name.
func part(pkg, name string, text []byte) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic(name + " is not Go: " + err.Error())
	}
	file.Name.Name = pkg
	names := map[string]string{}
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // already parsed
		names[path.Base(p)] = "whet_" + path.Base(p)
		spec.Name = ast.NewIdent("whet_" + path.Base(p))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && names[x.Name] != "" {
				x.Name = names[x.Name]
			}
		}
		return true
	})
	// The support may need a newer language version than the module has.
	out := bytes.NewBufferString("//go:build go1.24\n\n")
	if err := format.Node(out, fset, file); err != nil {
		panic(name + " is not Go: " + err.Error())
	}
	return out.Bytes()
}
