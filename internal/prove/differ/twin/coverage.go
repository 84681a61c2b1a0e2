package twin

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Coverage is which statements on changed lines of a new version the inputs have run.
type Coverage struct {
	functions []changedFunc
	added     []changedFunc // functions that only the new version has
	unknown   bool
}

// A changedFunc is the lines of a function of the new version that are not in the old one.
type changedFunc struct {
	name, file string // the base name of the file
	from, to   int
	statements map[string]bool // by block: whether it ran
}

// ChangedLines returns the changed lines of the functions of both versions. name returns what a function
// is called in both.
func ChangedLines(old, now *packages.Package, name func(*ast.FuncDecl) string) *Coverage {
	was := map[string][]string{}
	eachFunc(old, name, func(name string, lines []string, _ string, _ int) { was[name] = lines })
	c := &Coverage{}
	eachFunc(now, name, func(name string, lines []string, file string, first int) {
		before, ok := was[name]
		if !ok { // what calls it has changed
			c.added = append(c.added, changedFunc{name: name, file: file, from: first, to: first + len(lines) - 1})
			return
		}
		same := 0
		for same < min(len(lines), len(before)) && lines[same] == before[same] {
			same++
		}
		if same == len(lines) && same == len(before) {
			return
		}
		end, endBefore := len(lines), len(before)
		for end > same && endBefore > same && lines[end-1] == before[endBefore-1] {
			end, endBefore = end-1, endBefore-1
		}
		if end > same {
			c.functions = append(c.functions, changedFunc{name, file, first + same, first + end - 1, map[string]bool{}})
		}
	})
	return c
}

// eachFunc passes the lines of each function, the base name of its file and the number of the first.
func eachFunc(
	pkg *packages.Package, nameOf func(*ast.FuncDecl) string,
	do func(name string, lines []string, file string, first int),
) {
	for _, file := range pkg.Syntax {
		name := pkg.Fset.File(file.Pos()).Name()
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				at := pkg.Fset.File(fn.Pos())
				lines := strings.Split(string(text[at.Offset(fn.Pos()):at.Offset(fn.End())]), "\n")
				do(nameOf(fn), lines, filepath.Base(name), at.Line(fn.Pos()))
			}
		}
	}
}

// Lines returns the first and the last changed line of each function of the new version, new ones
// included, by the base name of its file.
func (c *Coverage) Lines() map[string][][2]int {
	lines := map[string][][2]int{}
	for _, f := range slices.Concat(c.functions, c.added) {
		lines[f.file] = append(lines[f.file], [2]int{f.from, f.to})
	}
	return lines
}

// Lost records that some inputs could not be run again: what they reach is unknown.
func (c *Coverage) Lost() { c.unknown = true }

// Add adds a cover profile (cmd/cover), which has lines of the form
//
//	import/path/file.go:10.2,12.16 2 1
//
// where the last number is not 0 if the block ran.
func (c *Coverage) Add(profile string) {
	for line := range strings.Lines(profile) {
		where, counts, ok := strings.Cut(strings.TrimSpace(line), " ")
		i := strings.LastIndexByte(where, ':')
		var from, to int
		if !ok || i < 0 {
			continue
		}
		if _, err := fmt.Sscanf(where[i+1:], "%d.%d,%d.%d", &from, new(int), &to, new(int)); err != nil {
			continue
		}
		for k := range c.functions {
			f := &c.functions[k]
			if path.Base(where[:i]) == f.file && from <= f.to && f.from <= to {
				f.statements[where] = f.statements[where] || !strings.HasSuffix(counts, " 0")
			}
		}
	}
}

// Unreached returns the functions of whose changed blocks less than half ran.
func (c *Coverage) Unreached() (not []string) {
	if c.unknown {
		return nil
	}
	for _, f := range c.functions {
		switch ran, all := f.count(); {
		case all == 0:
		case ran == 0:
			not = append(not, f.name+" was not compared: no input reached its changed lines")
		case 2*ran < all:
			not = append(not, fmt.Sprintf("%s was not compared: inputs reached %d of the %d blocks on its changed lines",
				f.name, ran, all))
		}
	}
	slices.Sort(not)
	return not
}

// Blocks returns the number of blocks on changed lines, and of those that ran; 0 if it is unknown.
func (c *Coverage) Blocks() (all, ran int) {
	if c.unknown {
		return 0, 0
	}
	for i := range c.functions {
		r, n := c.functions[i].count()
		all, ran = all+n, ran+r
	}
	return all, ran
}

func (f *changedFunc) count() (ran, all int) {
	for _, ok := range f.statements {
		all++
		if ok {
			ran++
		}
	}
	return ran, all
}
