package profile

import (
	"net/url"
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
		// Type arguments and receivers may contain paths, too.
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

// IsStd reports whether a package path looks like the standard library's: its
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
	case "go.uber.org", "k8s.io", "sigs.k8s.io", "modernc.org", "go.etcd.io", "google.golang.org",
		"gocloud.dev", "honnef.co":
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

// Generic returns the name of a generic Go function without the type arguments of an
// instantiation: "main.Map[...].func1" of "main.Map[go.shape.int].func1". Other names
// are returned as they are.
func Generic(symbol string) string {
	first := strings.IndexByte(symbol, '[')
	if first < 0 || strings.IndexByte(symbol[:first], '.') < 0 || PackagePath(symbol) == "" {
		return symbol
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(symbol); i++ {
		switch c := symbol[i]; {
		case c == '[':
			if depth++; depth == 1 {
				b.WriteString("[...")
			}
		case c == ']':
			if depth--; depth < 0 {
				return symbol
			}
			if depth == 0 {
				b.WriteByte(c)
			}
		case depth == 0:
			b.WriteByte(c)
		}
	}
	if depth != 0 {
		return symbol
	}
	return b.String()
}

// IsInjected reports whether a function is one that the runtime or the kernel made a
// goroutine run by changing its program counter: whatever frame it appears below did
// not call it. (The runtime injects runtime.sigpanic too, but for what the line did.)
func IsInjected(symbol string) bool {
	switch strings.TrimSuffix(symbol, ".abi0") {
	case "runtime.asyncPreempt", "runtime.asyncPreempt2", "runtime.debugCallV2",
		"runtime.sigtramp", "runtime.sigtrampgo", "runtime.sigreturn__sigaction":
		return true
	}
	return false
}
