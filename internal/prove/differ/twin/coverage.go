package twin

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/packages"
)

// Coverage records which statements on changed lines of a new version the inputs ran.
type Coverage struct {
	// Path is the import path of the new version: other lines of profiles do not count. "" means all do.
	Path string

	places  []changedPlace
	added   []changedPlace // functions that only the new version has
	unknown bool
}

// A changedPlace is a run of lines of a function of the new version that are not in the old one, or the
// lines next to deleted ones.
type changedPlace struct {
	function, file string // the base name of the file
	from, to       int
	deleted        bool
	blocks         map[string]bool // by place: whether it ran
}

// ChangedLines returns the changed lines of the functions of both versions. name returns what a function
// is called in both.
func ChangedLines(old, now *packages.Package, name func(*ast.FuncDecl) string) *Coverage {
	was := map[string][][]string{} // several functions of a package may be called init
	eachFunc(old, name, func(name string, lines []string, _ string, _ int) { was[name] = append(was[name], lines) })
	c, nth := &Coverage{}, map[string]int{}
	eachFunc(now, name, func(name string, lines []string, file string, first int) {
		before, n := was[name], nth[name]
		nth[name]++
		switch {
		case slices.ContainsFunc(before, func(b []string) bool { return slices.Equal(b, lines) }):
			return
		case n >= len(before): // what calls it has changed
			c.added = append(c.added, changedPlace{function: name, file: file, from: first, to: first + len(lines) - 1})
			return
		}
		for _, place := range changedPlaces(before[n], lines) {
			place.function, place.file, place.blocks = name, file, map[string]bool{}
			place.from, place.to = first+place.from, first+place.to
			c.places = append(c.places, place)
		}
	})
	return c
}

// changedPlaces returns the runs of changed lines, counted from 0, without regard to indentation.
func changedPlaces(before, after []string) (places []changedPlace) {
	text := func(lines []string) []byte {
		var b bytes.Buffer
		for _, line := range lines {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
		return b.Bytes()
	}
	at, run, removed := 0, 0, false // the next line, and how many before it are new
	end := func() {
		switch {
		case run > 0:
			places = append(places, changedPlace{from: at - run, to: at - 1})
		case removed:
			places = append(places, changedPlace{from: max(at-1, 0), to: min(at, len(after)-1), deleted: true})
		}
		run, removed = 0, false
	}
	head := true
	for line := range strings.Lines(string(diff.Diff("a", text(before), "b", text(after)))) {
		var start int
		if n, _ := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", new(int), new(int), &start, new(int)); n == 4 {
			end()
			at, head = start-1, false
			continue
		}
		switch {
		case head:
		case line[0] == '+':
			at, run = at+1, run+1
		case line[0] == '-':
			removed = true
		default:
			end()
			at++
		}
	}
	end()
	return places
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
	function := ""
	for _, p := range slices.Concat(c.places, c.added) {
		if p.deleted {
			continue
		}
		of := lines[p.file]
		if p.function == function && len(of) > 0 {
			of[len(of)-1][1] = p.to
			continue
		}
		function = p.function
		lines[p.file] = append(of, [2]int{p.from, p.to})
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
		if !ok || i < 0 || c.Path != "" && path.Dir(where[:i]) != c.Path {
			continue
		}
		if _, err := fmt.Sscanf(where[i+1:], "%d.%d,%d.%d", &from, new(int), &to, new(int)); err != nil {
			continue
		}
		for k := range c.places {
			p := &c.places[k]
			if path.Base(where[:i]) == p.file && from <= p.to && p.from <= to {
				p.blocks[where] = p.blocks[where] || !strings.HasSuffix(counts, " 0")
			}
		}
	}
}

// Unreached describes the functions of which no input ran some changed lines, or of which inputs ran less
// than half of the changed blocks.
func (c *Coverage) Unreached() (not []string) {
	if c.unknown {
		return nil
	}
	for begin := 0; begin < len(c.places); {
		end := begin
		for end < len(c.places) && c.places[end].function == c.places[begin].function {
			end++
		}
		if what := unreached(c.places[begin:end]); what != "" {
			not = append(not, c.places[begin].function+" was not compared: "+what)
		}
		begin = end
	}
	slices.Sort(not)
	return not
}

// unreached describes which changed places of a function no input ran; "" if inputs ran enough.
func unreached(places []changedPlace) string {
	var ran, all int
	var lines []string
	reached := false
	for i := range places {
		p := &places[i]
		r, n := p.count()
		ran, all, reached = ran+r, all+n, reached || r > 0
		switch {
		case n == 0 || r > 0:
		case p.from == p.to:
			lines = append(lines, strconv.Itoa(p.from))
		default:
			lines = append(lines, fmt.Sprintf("%d-%d", p.from, p.to))
		}
	}
	switch {
	case all == 0:
		return ""
	case !reached:
		return "no input reached its changed lines"
	case len(lines) > 0:
		return fmt.Sprintf("no input reached what changed in %s:%s", places[0].file, strings.Join(lines, ", "))
	case 2*ran < all:
		return fmt.Sprintf("inputs reached %d of the %d blocks on its changed lines", ran, all)
	}
	return ""
}

// Blocks returns the number of blocks on changed lines, and of those that ran; 0 if it is unknown.
func (c *Coverage) Blocks() (all, ran int) {
	if c.unknown {
		return 0, 0
	}
	blocks := map[string]bool{}
	for i := range c.places {
		for where, ok := range c.places[i].blocks {
			blocks[where] = blocks[where] || ok
		}
	}
	for _, ok := range blocks {
		all++
		if ok {
			ran++
		}
	}
	return all, ran
}

func (p *changedPlace) count() (ran, all int) {
	for _, ok := range p.blocks {
		all++
		if ok {
			ran++
		}
	}
	return ran, all
}
