package syntax

import (
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Kind is what a changed file is.
type Kind int

// Kinds.
const (
	Code   Kind = iota // is compiled
	Test               // belongs to tests
	Unused             // documentation, or for other tools: no program is built from it or reads it
	Other              // is none of these: a program may read it, or it decides how programs are built
)

// KindOf returns what a changed file of the module is. embedded are the files that packages embed.
func KindOf(file string, embedded []string) Kind {
	dirs := strings.Split(path.Dir(file), "/")
	base, ext := path.Base(file), path.Ext(file)
	switch {
	case strings.HasSuffix(base, "_test.go"), slices.Contains(dirs, "testdata"):
		return Test
	case ext == ".go" && slices.ContainsFunc(dirs, func(d string) bool {
		return d != "." && (strings.HasPrefix(d, "_") || strings.HasPrefix(d, "."))
	}):
		return Unused // the go command ignores it
	case isCompiled(ext), base == "go.mod", base == "go.sum", slices.Contains(embedded, file):
		return Code
	case strings.HasPrefix(file, "vendor/"):
		return Code
	case ext == ".golden", strings.Contains(base, ".golden."):
		return Test
	case isUnused(dirs, base, ext):
		return Unused
	}
	return Other
}

// isUnused reports whether a file is documentation, or its name says that it is for git, an editor or CI.
func isUnused(dirs []string, base, ext string) bool {
	switch ext {
	case ".md", ".markdown", ".rst", ".adoc":
		return true
	}
	switch strings.ToUpper(strings.TrimSuffix(base, ".txt")) {
	case "README", "LICENSE", "COPYING", "NOTICE", "PATENTS", "AUTHORS", "CONTRIBUTORS", "MAINTAINERS",
		"OWNERS", "CODEOWNERS", "CHANGELOG", "CHANGES", "HISTORY", "SECURITY", "CONTRIBUTING":
		return true
	}
	hidden := func(name string) bool { return len(name) > 1 && name[0] == '.' && !strings.HasPrefix(name, ".env") }
	return hidden(base) || slices.ContainsFunc(dirs, hidden)
}

// isCompiled reports whether the go command compiles or links files with an extension (go help
// packages).
func isCompiled(ext string) bool {
	switch ext {
	case ".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".s", ".S",
		".sx", ".swig", ".swigcxx", ".syso":
		return true
	}
	return false
}

// IsSource reports whether a file is Go source and no test.
func IsSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// Growth returns how much source changes add to a package.
func Growth(changes scratch.Changes, dir string) (n int) {
	for _, file := range changes.In(dir) {
		if IsSource(file) {
			n += len(changes[file].After) - len(changes[file].Before)
		}
	}
	return n
}
