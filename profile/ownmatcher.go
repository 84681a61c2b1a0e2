package profile

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// OwnMatcher returns a predicate for own functions: those of package main, and of the packages
// below the module paths or package prefixes own. A package that is also below one of deps, the
// paths of other modules or packages, belongs to the longest matching path, so a module nested in
// an own one is not own. A test binary's generated main is not own. Neither is a closure of the
// standard library or of a dependency that was inlined into an own function, although the compiler
// names it after that ("main.handle.(*Logger).Printf.func1").
func OwnMatcher(own, deps []string) func(Function) bool {
	own, deps = slices.Clone(own), slices.Clone(deps)
	return func(f Function) bool {
		pkg := PackagePath(f.Name)
		if pkg != "main" {
			n := longest(pkg, own)
			if n == 0 || longest(pkg, deps) > n {
				return false
			}
		}
		return path.Base(f.File) != "_testmain.go" && !isForeignClosure(pkg, f, own)
	}
}

// longest returns the length of the longest path that a package is below, 0 if none.
func longest(pkg string, paths []string) int {
	n := 0
	for _, m := range paths {
		if rest, ok := strings.CutPrefix(pkg, m); ok && (rest == "" || rest[0] == '/' || rest == "_test" ||
			strings.HasSuffix(m, "/")) {
			n = max(n, len(m))
		}
	}
	return n
}

// BelowAny returns a predicate for paths of modules or packages that are below one of
// the given prefixes.
func BelowAny(prefixes []string) func(string) bool {
	return func(path string) bool { return longest(path, prefixes) > 0 }
}

// isForeignClosure reports whether a closure was inlined together with the foreign function around
// it: its name contains a second function's name, and its file belongs to another module or is in a
// directory that only the standard library has.
func isForeignClosure(pkg string, f Function, own []string) bool {
	name, closure, ok := strings.Cut(f.Name, ".func")
	if !ok || closure == "" {
		return false
	}
	if head, _, ok := SplitVersion(f.File); ok {
		head = "/" + head + "/"
		return (pkg == "main" || fileModule(f.File, pkg) == "") && !slices.ContainsFunc(own, func(m string) bool {
			return strings.Contains(head, "/"+strings.Trim(m, "/")+"/")
		})
	}
	// Without the package: f.g, (*T).f.g, f.(*U).g, … but not (*T).f.
	name = name[strings.LastIndexByte(name[:min(len(pkg)+1, len(name))], '.')+1:]
	if strings.HasPrefix(name, "(") {
		_, name, _ = strings.Cut(name, ").")
	}
	if !strings.Contains(name, ".") {
		return false
	}
	if isVendored(f.File) {
		return !strings.Contains(f.File, "/vendor/"+pkg+"/")
	}
	file := f.File
	if i := strings.LastIndex(file, "/src/"); i >= 0 {
		file = file[i+len("/src/"):]
	} else if path.IsAbs(file) || len(file) > 1 && file[1] == ':' {
		return false
	}
	dir, _ := path.Split(file)
	return dir != "" && IsStd(strings.TrimSuffix(dir, "/"))
}

// isVendored reports whether a file is in the vendor directory of a module.
func isVendored(file string) bool { return strings.Contains(file, "/vendor/") }

// SplitVersion splits the name of a file in a module cache, or as -trimpath shortens it: head is
// the directory that contains the module, followed by the module's path
// ("/root/go/pkg/mod/github.com/Azure/sdk" for "…/github.com/!azure/sdk@v1.2.3/a.go"); rest is the
// file within the module.
func SplitVersion(file string) (head, rest string, ok bool) {
	file = strings.ReplaceAll(file, `\`, "/")
	i := max(strings.LastIndex(file, "@v"), strings.LastIndex(file, "@(devel)/"))
	if i <= 0 {
		return "", "", false
	}
	if _, rest, ok = strings.Cut(file[i:], "/"); !ok {
		return "", "", false
	}
	return unescapePath(file[:i]), rest, true
}

// unescapePath reverses the escaping of capital letters in a module cache.
func unescapePath(s string) string {
	if strings.IndexByte(s, '!') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '!' && i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z' {
			i++
			b.WriteByte(s[i] - 'a' + 'A')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// fileModule returns the path of the module whose version is in a file's name, if a package of the
// given path belongs to that module; else "". For package main only the path shows that, so the
// module cache must have its usual name.
func fileModule(file, pkg string) string {
	head, _, ok := SplitVersion(file)
	if !ok {
		return ""
	}
	if pkg == "main" {
		if i := strings.LastIndex(head, moduleCache); i >= 0 {
			return head[i+len(moduleCache):]
		}
		if path.IsAbs(head) || len(head) > 1 && head[1] == ':' {
			return ""
		}
		return head
	}
	for m := pkg; m != "." && m != "/"; m = path.Dir(m) {
		if head == m || strings.HasSuffix(head, "/"+m) {
			return m
		}
	}
	return ""
}

// moduleCache is the directory of modules below GOPATH.
const moduleCache = "/pkg/mod/"

// MainModule returns the path of the main module if the files of package main have it, as in
// programs installed with go install MODULE@VERSION; else "".
func (p *Profile) MainModule() string {
	for i := range p.Functions {
		f := &p.Functions[i]
		// A closure may belong to a dependency.
		if PackagePath(f.Name) == "main" && !strings.Contains(f.Name, ".func") {
			if m := fileModule(f.File, "main"); m != "" {
				return m
			}
		}
	}
	return ""
}

// FileModules lists the modules whose versions are in the names of p's files.
func (p *Profile) FileModules() []string {
	seen := map[string]bool{}
	for i := range p.Functions {
		f := &p.Functions[i]
		if m := fileModule(f.File, PackagePath(f.Name)); m != "" {
			seen[m] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Dependencies lists the packages of p whose files are in the module cache, except for own modules,
// or are vendored.
func (p *Profile) Dependencies(own []string) []string {
	seen := map[string]bool{}
	for i := range p.Functions {
		f := &p.Functions[i]
		pkg := PackagePath(f.Name)
		if pkg == "" || pkg == "main" {
			continue
		}
		_, _, dep := SplitVersion(f.File)
		if m := fileModule(f.File, pkg); m != "" {
			dep = !slices.Contains(own, m)
		} else if strings.Contains(f.Name, ".func") {
			dep = false // a closure of a dependency, inlined into own code
		}
		if dep || strings.Contains(f.File, "/vendor/"+pkg+"/") {
			seen[pkg] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
