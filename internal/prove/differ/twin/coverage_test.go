package twin

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestUnreached checks that each changed place must be run: all of a function's places, the lines next
// to deleted ones, and half of the blocks.
func TestUnreached(t *testing.T) {
	const before = `func F(n int) int {
	if n > 9 {
		return slow(n)
	}
	for i := range n {
		log(i)
		n += i
	}
	return n
}`
	after := strings.NewReplacer("slow", "fast", "\t\tlog(i)\n", "", "\treturn n\n", "\tif n == 8 {\n\t\treturn 1\n\t}\n"+
		"\tif n == 7 {\n\t\treturn 2\n\t}\n\treturn n\n").Replace(before)
	for _, test := range []struct {
		name, after string
		places      []changedPlace
		ran         []string // the lines of blocks that ran
		want        string
	}{
		{
			name: "indentation", after: strings.ReplaceAll(before, "\t", "    "),
		},
		{
			name: "one place", after: strings.Replace(before, "slow", "fast", 1), places: []changedPlace{{from: 2, to: 2}},
			want: "no input reached its changed lines",
		},
		{
			name: "all", after: after,
			places: []changedPlace{{from: 2, to: 2}, {from: 4, to: 5, deleted: true}, {from: 7, to: 12}},
			ran:    []string{"2", "4", "5", "7", "8", "10"},
		},
		{
			name: "not the first", after: after,
			places: []changedPlace{{from: 2, to: 2}, {from: 4, to: 5, deleted: true}, {from: 7, to: 12}},
			ran:    []string{"4", "7", "8", "10", "11"}, want: "no input reached what changed in f.go:2",
		},
		{
			name: "not what was deleted", after: after,
			places: []changedPlace{{from: 2, to: 2}, {from: 4, to: 5, deleted: true}, {from: 7, to: 12}},
			ran:    []string{"2", "7", "8", "10", "11"}, want: "no input reached what changed in f.go:4-5",
		},
		{
			name: "few blocks", after: strings.Replace(after, "slow", "fast", 1),
			places: []changedPlace{{from: 2, to: 2}, {from: 4, to: 5, deleted: true}, {from: 7, to: 12}},
			ran:    []string{"2", "5", "7"}, want: "inputs reached 3 of the 8 blocks on its changed lines",
		},
	} {
		got := changedPlaces(strings.Split(before, "\n"), strings.Split(test.after, "\n"))
		if !slices.EqualFunc(got, test.places, func(a, b changedPlace) bool {
			return a.from == b.from && a.to == b.to && a.deleted == b.deleted
		}) {
			t.Errorf("%s: changed places %v, want %v", test.name, got, test.places)
			continue
		}
		c := &Coverage{places: got}
		for i := range got {
			got[i].function, got[i].file, got[i].blocks = "F", "f.go", map[string]bool{}
		}
		for _, line := range []string{"2", "4", "5", "7", "8", "10", "11", "12"} {
			count := " 1 0\n"
			if slices.Contains(test.ran, line) {
				count = " 1 1\n"
			}
			c.Add("example.com/m/f.go:" + line + ".2," + line + ".9" + count)
		}
		want := []string(nil)
		if test.want != "" {
			want = []string{"F was not compared: " + test.want}
		}
		if not := c.Unreached(); !slices.Equal(not, want) {
			t.Errorf("%s: %q, want %q", test.name, not, want)
		}
	}
}

// TestLines checks that a function's lines are those from the first changed one to the last.
func TestLines(t *testing.T) {
	c := &Coverage{
		places: []changedPlace{
			{function: "F", file: "f.go", from: 3, to: 4},
			{function: "F", file: "f.go", from: 6, to: 7, deleted: true},
			{function: "F", file: "f.go", from: 9, to: 9},
			{function: "G", file: "f.go", from: 20, to: 21},
			{function: "H", file: "h.go", from: 2, to: 3, deleted: true},
		},
		added: []changedPlace{{function: "I", file: "f.go", from: 30, to: 35}},
	}
	want := map[string][][2]int{"f.go": {{3, 9}, {20, 21}, {30, 35}}}
	if got := c.Lines(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestChangedInit checks that functions of a package that are all called init count as different ones.
func TestChangedInit(t *testing.T) {
	parsed := func(files ...string) *packages.Package {
		p, dir := &packages.Package{Fset: token.NewFileSet()}, t.TempDir()
		for i, text := range files {
			name := filepath.Join(dir, fmt.Sprintf("f%d.go", i))
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(p.Fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			p.Syntax = append(p.Syntax, f)
		}
		return p
	}
	name := func(d *ast.FuncDecl) string { return d.Name.Name }
	const one, two = "package p\n\nfunc init() {\n\tprint(1)\n}\n", "package p\n\nfunc init() {\n\tprint(2)\n}\n"
	const other = "package p\n\nfunc init() {\n\tprint(3)\n}\n"
	for _, c := range []struct {
		old, now []string
		want     map[string][][2]int
	}{
		{[]string{one, two}, []string{one, two}, map[string][][2]int{}},
		{[]string{one, two}, []string{two, one}, map[string][][2]int{}},
		{[]string{one, two}, []string{one, other}, map[string][][2]int{"f1.go": {{4, 4}}}},
		{[]string{one}, []string{one, two}, map[string][][2]int{"f1.go": {{3, 5}}}},
	} {
		if got := ChangedLines(parsed(c.old...), parsed(c.now...), name).Lines(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q to %q: %v, want %v", c.old, c.now, got, c.want)
		}
	}
}
