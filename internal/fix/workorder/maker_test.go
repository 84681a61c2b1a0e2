package workorder_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/fix/workorder"
	"github.com/whet-go/whet/profile"
)

// maker returns a Maker for a module, with a profile of line 9 of its method, which is called by main.serve.
func maker(t *testing.T, source, notes string) *workorder.Maker {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "text/text.go": source} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name, file string, start, line int32) uint32 {
		fn := b.Function(profile.Function{Name: name, File: file, StartLine: int64(start)})
		return b.Location(0, profile.None, false, profile.Line{Function: fn, Line: line})
	}
	serve := at("main.serve", "/src/main.go", 1, 5)
	add := at("example.com/m/text.(*List).Add", "example.com/m/text/text.go", 7, 9)
	inner := at("example.com/m/text.(*List).Add.func1", "example.com/m/text/text.go", 10, 11)
	grow := at("runtime.growslice", "/go/src/runtime/slice.go", 1, 3)
	for _, s := range []struct {
		stack []uint32
		value int64
	}{{[]uint32{grow, add, serve}, 60}, {[]uint32{inner, add, serve}, 20}, {[]uint32{serve}, 20}} {
		if err := b.Sample(s.stack, nil, s.value); err != nil {
			t.Fatal(err)
		}
	}
	allocs := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"},
		profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	fn := allocs.Function(profile.Function{
		Name: "example.com/m/text.(*List).Add", File: "example.com/m/text/text.go", StartLine: 7,
	})
	if err := allocs.Sample([]uint32{allocs.Location(0, profile.None, false, profile.Line{Function: fn, Line: 9})}, nil,
		4, 1000); err != nil {
		t.Fatal(err)
	}
	m, err := workorder.New(t.Context(), find.Profiles{CPU: b.Profile(nil), Allocs: allocs.Profile(nil)}, find.Options{
		Dir: dir, Notes: notes, Own: profile.OwnMatcher([]string{"example.com/m"}, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const source = `package text

// A List is a list.
type List struct{ words []string }

// Add adds a word.
func (l *List) Add(word string) {
	for range 2 {
		l.words = append(l.words, word)
		func() {
			l.words[0] += "x"
		}()
	}
}
`

// TestOrder describes a line of a method: closures in it are part of it.
func TestOrder(t *testing.T) {
	o, err := maker(t, source, t.TempDir()).Order(t.Context(), "./text/text.go", 9)
	if err != nil {
		t.Fatal(err)
	}
	if o.Schema != "whet.workorder/1" || o.Module != "example.com/m" || o.File != "text/text.go" || o.Line != 9 ||
		o.Function != "(*List).Add" || o.Source.First != 6 || !strings.HasPrefix(o.Source.Text, "// Add adds") ||
		!strings.HasSuffix(o.Source.Text, "\t}\n}") || len(o.Warnings) > 0 {
		t.Errorf("%+v", o)
	}
	if len(o.Evidence) != 3 || o.Evidence[0].Cost != find.CPU || o.Evidence[0].Value != 60 {
		t.Errorf("the evidence: %+v", o.Evidence)
	}
	if !slices.Equal(o.Callers, []workorder.Call{{Function: "main.serve", Share: 1}}) ||
		!slices.Equal(o.Callees, []workorder.Call{{Function: "runtime.growslice", Share: 0.75}}) {
		t.Errorf("the calls: %+v, %+v", o.Callers, o.Callees)
	}
	if !slices.Equal(o.Allocations, []workorder.Allocation{{Line: 9, Bytes: 1, Objects: 1}}) {
		t.Errorf("the allocations: %+v", o.Allocations)
	}
	if len(o.Notes) == 0 || o.Notes[0].File != "text/text.go" {
		t.Errorf("the notes: %+v", o.Notes)
	}
	text, err := json.Marshal(o)
	const begin = `{"schema":"whet.workorder/1","module":"example.com/m","file":"text/text.go",`
	if err != nil || !strings.HasPrefix(string(text), begin) {
		t.Errorf("%v: %s", err, text)
	}
}

// TestOrderElsewhere describes lines outside of functions and in long ones, and refuses lines and files that are not
// there.
func TestOrderElsewhere(t *testing.T) {
	long := source + "\nfunc Long() {\n" + strings.Repeat("\tprintln()\n", 500) + "}\n"
	m := maker(t, long, "")
	o, err := m.Order(t.Context(), "text/text.go", 4)
	if err != nil || o.Function != "" || o.Source.First != 1 || strings.Count(o.Source.Text, "\n") != 13 || o.Share != 0 {
		t.Errorf("a type: %v, %+v", err, o)
	}
	o, err = m.Order(t.Context(), "text/text.go", 400)
	if err != nil || o.Function != "Long" || o.Source.First != 320 || strings.Count(o.Source.Text, "\n") != 159 ||
		!strings.Contains(fmt.Sprint(o.LeftOut), "lines 16 to 517") {
		t.Errorf("a long function: %v, %+v", err, o.LeftOut)
	}
	for _, file := range []string{"text/other.go", "../text.go", "/etc/passwd", "go.mod"} {
		if o, err := m.Order(t.Context(), file, 1); err == nil {
			t.Errorf("%s: %+v", file, o)
		}
	}
	for _, line := range []int{0, -1, 518} {
		if o, err := m.Order(t.Context(), "text/text.go", line); err == nil {
			t.Errorf("line %d: %+v", line, o)
		}
	}
}
