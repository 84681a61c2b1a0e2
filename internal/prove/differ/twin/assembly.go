package twin

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// IsAssembly reports whether a file is assembly that the go command compiles, or a header of it.
func IsAssembly(name string) bool {
	return strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".h")
}

// symbol matches the name of a symbol in assembly with what comes before its last middle dot, the import path of a
// package.
var symbol = regexp.MustCompile(`([\pL\p{Nd}_·∕%]*)·[\pL\p{Nd}_]+`)

// include matches a file that assembly includes.
var include = regexp.MustCompile(`(?m)^\s*#\s*include\s*"([^"]*)"`)

// checkAssembly returns why assembly cannot be compiled as part of a copy of its package; "" if it can. Names
// without an import path are of the package that they are compiled in, so the copy has its own.
func (c *Copy) checkAssembly(text []byte) string {
	for _, m := range symbol.FindAllSubmatch(text, -1) {
		pkg := strings.NewReplacer("·", ".", "∕", "/", "%2d", "-", "%2e", ".").Replace(string(m[1]))
		if pkg == "main" || c.Paths[pkg] {
			return "its assembly has names with the import path " + pkg
		}
	}
	for _, m := range include.FindAllSubmatch(text, -1) {
		if bytes.ContainsRune(m[1], '/') {
			return "its assembly includes a file of another directory"
		}
	}
	return ""
}

// linkname matches a directive of the compiler that gives a function or variable the name of another symbol.
var linkname = regexp.MustCompile(`(?m)^//go:linkname[ \t]+(\S+)(?:[ \t]+(\S+))?`)

// checkLinknames returns why go:linkname keeps a file from being compiled twice; "" if it does not. A function
// without a body and a variable without a value use a symbol of another package, which any number of packages can
// do. Otherwise, they define it, and a program has only one definition.
func (c *Copy) checkLinknames(name string, text []byte) string {
	directives := linkname.FindAllSubmatch(text, -1)
	if len(directives) == 0 {
		return ""
	}
	const defines = "go:linkname defines a symbol of another package"
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return defines
	}
	empty := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			empty[d.Name.Name] = d.Recv == nil && d.Body == nil
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						empty[id.Name] = d.Tok == token.VAR && len(v.Values) == 0
					}
				}
			}
		}
	}
	for _, m := range directives {
		symbol := string(m[2])
		switch {
		case symbol == "": // it lets other packages use the symbol
		case !empty[string(m[1])]:
			return defines
		default:
			for p := range c.Paths {
				if strings.HasPrefix(symbol, p+".") {
					return "go:linkname uses a symbol of a package that is compiled twice"
				}
			}
		}
	}
	return ""
}

// text matches the beginning of a function in assembly.
var text = regexp.MustCompile(`(?m)^[ \t]*TEXT[ \t]+(?:"")?·?([\pL\p{Nd}_]+)`)

// shared matches lines that other functions of the file may depend on, such as a function that only the file sees.
var shared = regexp.MustCompile(`(?m)^[ \t]*(DATA|GLOBL|#|TEXT[^(\n]*<>)`)

// ChangedAssembly returns the names of the functions whose assembly differs in two versions of a file. any is set
// if any function of the package may differ: what changed is not within a function that Go calls.
func ChangedAssembly(name string, before, after []byte) (names []string, any bool) {
	if bytes.Equal(before, after) {
		return nil, false
	}
	if filepath.Ext(name) != ".s" {
		return nil, true
	}
	was, is := functionsOf(before), functionsOf(after)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, fn := range slices.Sorted(maps.Keys(all)) {
		if is[fn] == was[fn] {
			continue
		}
		if fn == "" || shared.MatchString(was[fn]+is[fn]) {
			return nil, true
		}
		names = append(names, fn)
	}
	return names, false
}

// functionsOf returns the functions of assembly by name, each with what comes after it; "" is the beginning.
func functionsOf(source []byte) map[string]string {
	all := map[string]string{}
	name, from := "", 0
	for _, m := range text.FindAllSubmatchIndex(source, -1) {
		all[name] += string(source[from:m[0]])
		name, from = string(source[m[2]:m[3]]), m[0]
	}
	all[name] += string(source[from:])
	return all
}
