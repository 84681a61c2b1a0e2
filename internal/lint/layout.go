package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// modulePath is the path of this module.
const modulePath = "github.com/whet-go/whet"

// A layer is a set of components. A component is a directory with all below it; its packages may
// import each other and those of lower layers. Components of the same layer do not import each
// other.
type layer struct {
	name       string
	components []string
}

// layers is the import order, lowest first. ARCHITECTURE.md draws it.
func layers() []layer {
	return []layer{
		{"what every package may use", []string{
			"unit", "internal/diag", "internal/goruntime", "internal/procfs", "internal/procgroup",
			"internal/tempfile", "internal/terminal",
		}},
		{"engines and tools", []string{
			"profile", "source", "trace", "load", "bench", // engines
			"agent", "docs", "ui", "internal/golden", "internal/graphviz", "internal/hostile",
			"internal/leaktest", "internal/lint", "internal/modproxy", // tools
			"internal/capture", "internal/loopback", "internal/sandbox", "internal/smalldisk",
		}},
		{"what clients send where", []string{"internal/origin"}},
		{"a recording and what is read from its parts", []string{"recording", "goroutines", "memory"}},
		{"what a user names", []string{"input"}},
		{"what makes, keeps and explains recordings", []string{"collect", "store", "find"}},
		{"builds side by side, loads as users describe them, what is recorded at intervals", []string{
			"service", "load/plan", "internal/scrape",
		}},
		{"the proof of a change", []string{"prove"}},
		{"fixes", []string{"fix", "pgo"}},
		{"faces' helpers", []string{"internal/report", "internal/mcp", "internal/pprof", "internal/newrule"}},
		{"served pages", []string{"internal/server"}},
		{"faces", []string{"internal/cli"}},
		{"commands", []string{
			"cmd", "internal/bigtrace", "internal/cases", "internal/licenses", "internal/peers",
			"internal/power", "internal/precision", "internal/recall", "internal/release",
			"internal/servers",
		}},
	}
}

// componentOf returns the component that a package of the module belongs to and the index of its
// layer; -1 if it is in no layer.
//
// A package below internal/X belongs to component X: other programs cannot import it.
func componentOf(importPath string) (component string, at int) {
	rel := strings.TrimPrefix(strings.TrimPrefix(importPath, modulePath), "/")
	component, at = longest(rel)
	if at < 0 {
		component, at = longest(strings.TrimPrefix(rel, "internal/"))
	}
	return component, at
}

// longest returns the component with the longest path that rel is or lies below, and its layer.
func longest(rel string) (component string, at int) {
	at = -1
	for i, l := range layers() {
		for _, c := range l.components {
			if (rel == c || strings.HasPrefix(rel, c+"/")) && len(c) > len(component) {
				component, at = c, i
			}
		}
	}
	return component, at
}

// Imports returns the imports that violate the layout.
func Imports(packages []Package) []Problem {
	var problems []Problem
	add := func(pkg, text, cure string) {
		problems = append(problems, Problem{Where: pkg, Text: text, Cure: cure})
	}
	for _, p := range packages {
		if !inModule(p.ImportPath) {
			continue
		}
		from, level := componentOf(p.ImportPath)
		if level < 0 {
			add(p.ImportPath, "is in no layer", "give it a place in layers (internal/lint/layout.go) and in ARCHITECTURE.md")
			continue
		}
		for _, imported := range p.Imports {
			to, below := componentOf(imported)
			if from == "agent" && to != from && !isStd(packages, imported) {
				add(p.ImportPath, "imports "+imported,
					"agent is linked into users' services and uses the standard library only: write the few lines that are needed")
				continue
			}
			if !inModule(imported) {
				continue
			}
			switch {
			case below < 0 || to == from:
			case below > level:
				add(p.ImportPath, fmt.Sprintf("imports %s, which is above it (%s, %s)", imported, layers()[level].name,
					layers()[below].name),
					fmt.Sprintf("move what it needs down into %s or lower, or pass it in as a value, function or interface", from))
			case below == level:
				add(p.ImportPath, fmt.Sprintf("imports %s of the same layer (%s)", imported, layers()[level].name),
					"let a package above join the two, or move what both need down (typed quantities: unit)")
			}
		}
	}
	return problems
}

func inModule(importPath string) bool {
	return importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/")
}

// isStd reports whether an import is in the standard library, according to the list of packages, or
// by its path if it is not on the list.
func isStd(packages []Package, importPath string) bool {
	i := slices.IndexFunc(packages, func(p Package) bool { return p.ImportPath == importPath })
	if i >= 0 {
		return packages[i].Standard
	}
	return !strings.Contains(strings.SplitN(path.Clean(importPath), "/", 2)[0], ".")
}
