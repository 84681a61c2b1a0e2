package support

import (
	"embed"
	"slices"
	"strings"
)

// Name is the name of the package that the files make up.
const Name = "whetlib"

//go:embed *.txt
var parts embed.FS

// A Kind is what generated code uses the package for.
type Kind string

// Kinds of code.
const (
	Comparison Kind = "comparison" // of two versions
	Answers    Kind = "answers"    // of one version, in a file
	Benchmark  Kind = "benchmark"
)

// ExitPart is the file that has a call end a run instead of the process. It links only with ExitFlag, since it
// uses a symbol of the runtime. The others do without it.
const ExitPart = "exit.go"

// ExitFlag returns the flag of go test with which ExitPart links, next to further ones: it includes what these already
// pass to the linker.
func ExitFlag(flags []string) string {
	const flag, value = "-ldflags=", "-checklinkname=0"
	for _, other := range slices.Backward(flags) {
		if name, passed, ok := strings.Cut(other, "="); ok && strings.TrimLeft(name, "-") == "ldflags" {
			return flag + passed + " " + value
		}
	}
	return flag + value
}

// kindOf returns the kind of code that needs a part; "" for all.
func kindOf(part string) Kind {
	switch part {
	case "compare", "scribe", "exit":
		return Comparison
	case "answers":
		return Answers
	case "bench", "benchclock_linux", "benchclock_other":
		return Benchmark
	}
	return ""
}

// Dir is the directory of the packages in a module. Patterns such as ./... do not match it.
const Dir = "_whet"

// A Library is the package that generated code calls: below the module of a package, for all of its packages.
type Library struct {
	Path  string            // the import path
	Files map[string][]byte // by their names relative to the package's directory
}

// For returns the library for code of a kind in a package with an import path, in a module with a path; "" if it is
// unknown. net is set if what is called uses package net: what is unused takes long to link.
func For(pkg, module string, kind Kind, net bool) Library {
	dir, root, up := Dir+"/"+string(kind), pkg, ""
	if net {
		dir += "net"
	}
	if module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/")) {
		root, up = module, strings.Repeat("../", strings.Count(strings.TrimPrefix(pkg, module), "/"))
	}
	entries, err := parts.ReadDir(".")
	if err != nil {
		panic("the support is not embedded: " + err.Error())
	}
	l := Library{Path: root + "/" + dir, Files: map[string][]byte{}}
	for _, entry := range entries {
		part := strings.TrimSuffix(entry.Name(), ".txt")
		if of := kindOf(part); of != "" && of != kind || part == "web" && !net {
			continue
		}
		text, err := parts.ReadFile(entry.Name())
		if err != nil {
			panic("the support is not embedded: " + err.Error())
		}
		constraint := "go1.24" // it may need a newer language version than the module has
		if strings.HasSuffix(part, "_other") {
			constraint += " && !linux"
		}
		l.Files[up+dir+"/"+part+".go"] = append([]byte("//go:build "+constraint+"\n\n"), text...)
	}
	return l
}
