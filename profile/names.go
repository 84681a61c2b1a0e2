package profile

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// PackagePath returns the package path of a Go symbol, "net/http" of
// "net/http.(*conn).serve"; "" when the name has none. Dots in the last element,
// which the linker escapes, are unescaped ("gopkg.in/yaml%2ev3.Unmarshal").
func PackagePath(symbol string) string {
	s := symbol
	if strings.HasPrefix(s, "type:") || strings.HasPrefix(s, "go:") {
		return "" // made by the compiler
	}
	if i := strings.IndexAny(s, "[("); i >= 0 {
		// Type arguments and receivers may hold paths of their own.
		s = s[:i]
	}
	slash := strings.LastIndexByte(s, '/')
	dot := strings.IndexByte(s[slash+1:], '.')
	if dot < 0 {
		return ""
	}
	pkg := s[:slash+1+dot]
	if strings.IndexByte(pkg, '%') >= 0 {
		if u, err := url.PathUnescape(pkg); err == nil {
			pkg = u
		}
	}
	return pkg
}

// IsStd tells whether a package path looks like the standard library's: its
// first element has no dot and is not "main". So do paths of modules without a
// domain, which is why Kind and OwnMatcher look at own modules first.
func IsStd(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return pkg != "" && first != "main" && !strings.Contains(first, ".")
}

// GuessModule guesses a package's module from its path: "std" for the standard
// library, else what the well-known hosts use, else the first three elements.
func GuessModule(pkg string) string {
	if pkg == "" {
		return ""
	}
	if IsStd(pkg) {
		return "std"
	}
	n := 3
	parts := strings.Split(pkg, "/")
	switch parts[0] {
	case "gopkg.in":
		n = 2
		if len(parts) > 1 && !strings.Contains(parts[1], ".v") {
			n = 3
		}
	case "go.uber.org", "k8s.io", "sigs.k8s.io", "modernc.org", "go.etcd.io", "google.golang.org", "gocloud.dev", "honnef.co":
		n = 2
	}
	if len(parts) > n && isMajor(parts[n]) {
		n++
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}

func isMajor(s string) bool {
	return len(s) >= 2 && s[0] == 'v' && s[1] >= '1' && s[1] <= '9' && strings.Trim(s[1:], "0123456789") == ""
}

// OwnMatcher returns a predicate for the functions of own modules: of package
// main, and of packages in one of the given module paths or package prefixes. A
// test binary's generated main is not own, and neither is a closure of the
// standard library or of a dependency that was inlined into an own function,
// though the compiler names it after that ("main.handle.(*Logger).Printf.func1").
func OwnMatcher(modules []string) func(Function) bool {
	modules = slices.Clone(modules)
	return func(f Function) bool {
		pkg := PackagePath(f.Name)
		own := pkg == "main"
		for _, m := range modules {
			if rest, ok := strings.CutPrefix(pkg, m); ok && (rest == "" || rest[0] == '/' || rest == "_test" || strings.HasSuffix(m, "/")) {
				own = true
			}
		}
		return own && path.Base(f.File) != "_testmain.go" && !isForeignClosure(pkg, f)
	}
}

// isForeignClosure tells a closure that was inlined together with the foreign
// function around it: its name holds a second function's name, and its file lies
// in the module cache or where only the standard library lies.
func isForeignClosure(pkg string, f Function) bool {
	name, closure, ok := strings.Cut(f.Name, ".func")
	if !ok || closure == "" {
		return false
	}
	if strings.Contains(f.File, "/pkg/mod/") || strings.Contains(f.File, "@v") {
		return true
	}
	// Without the package: f.g, (*T).f.g, f.(*U).g, … but not (*T).f.
	name = name[strings.LastIndexByte(name[:min(len(pkg)+1, len(name))], '.')+1:]
	if strings.HasPrefix(name, "(") {
		_, name, _ = strings.Cut(name, ").")
	}
	if !strings.Contains(name, ".") {
		return false
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
