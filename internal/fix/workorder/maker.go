package workorder

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/module"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/profile"
)

// Limits of an order, so that it fits into the context of a model.
const (
	maxSource = 160 // lines
	maxCalls  = 12
	maxNotes  = 20 // lines with notes
)

// A Maker makes orders for the lines of a module.
type Maker struct {
	o       find.Options
	charged *find.Charged
	module  *module.Module
	view    *profile.View // by line, for the names of functions
	calls   *profile.View // by function
}

// New charges profiles to the lines of the module that o names. Only its Dir, Flags, Env, Own, Recorded
// and Notes are used. The Maker is not used anymore when ctx has ended.
func New(ctx context.Context, p find.Profiles, o find.Options) (*Maker, error) {
	charged, err := find.Charge(ctx, p, o)
	if err != nil {
		return nil, err
	}
	m := &Maker{o: o, charged: charged}
	if m.module, err = module.Find(charged.Dir); err != nil {
		return nil, err
	}
	main := cmp.Or(p.CPU, p.Allocs)
	if main == nil {
		return m, nil
	}
	q := profile.Query{Type: -1, By: profile.ByLine, Canceled: ctx.Err}
	if m.view, err = main.View(q); err != nil {
		return nil, err
	}
	q.By = profile.ByFunction
	m.calls, err = main.View(q)
	return m, err
}

// Order describes a line of a file, whose name is relative to the module. It returns an error if there is no
// such line.
func (m *Maker) Order(ctx context.Context, file string, line int) (*Order, error) {
	file = path.Clean(file)
	var text []byte
	err := fs.ErrInvalid
	if filepath.IsLocal(filepath.FromSlash(file)) && strings.HasSuffix(file, ".go") {
		text, err = m.module.Read(file)
	}
	if err != nil {
		return nil, &diag.Error{
			Op: "read", Subject: file, Err: err, Hint: "name a Go file of the module, relative to its directory",
		}
	}
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if line < 1 || line > len(all) {
		return nil, fmt.Errorf("%s has %d lines, and no line %d", file, len(all), line)
	}
	o := &Order{Schema: Schema, Module: m.charged.Module, File: file, Line: line}
	o.Evidence, o.Share = m.charged.Line(file, line)
	first, last := o.around(text, line)
	first, last = max(first, 1), min(last, len(all))
	m.addCalls(o, first, last)
	m.addAllocations(o, first, last)
	o.addSource(all, first, last)
	if m.o.Notes != "" {
		m.addNotes(ctx, o, first, last)
	}
	return o, ctx.Err()
}

// contextLines is how many lines before and after are shown of a line outside of functions.
const contextLines = 10

// around sets the name of the function around a line, and returns its first and last line; without a function,
// those of the lines nearby.
func (o *Order) around(text []byte, line int) (first, last int) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, o.File, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		o.Warnings.Add(err)
	}
	if parsed != nil {
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from := f.Pos()
			if f.Doc != nil {
				from = f.Doc.Pos()
			}
			first, last = files.Position(from).Line, files.Position(f.End()).Line
			if first <= line && line <= last {
				o.Function = nameOf(f)
				return first, last
			}
		}
	}
	return line - contextLines, line + contextLines
}

// nameOf returns the name of a function as written in Go source.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	pointer := false
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			pointer, t = true, x.X
			continue
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.Ident:
			if pointer {
				return "(*" + x.Name + ")." + f.Name.Name
			}
			return x.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
}

// addSource adds the lines of the function, or the part of them around the line.
func (o *Order) addSource(all []string, first, last int) {
	if n := last - first + 1; n > maxSource {
		from := min(max(first, o.Line-maxSource/2), last-maxSource+1)
		o.LeftOut = append(o.LeftOut, fmt.Sprintf("%d of the function's %d lines: it is lines %d to %d of the file",
			n-maxSource, n, first, last))
		first, last = from, from+maxSource-1
	}
	o.Source = Source{First: first, Text: strings.Join(all[first-1:last], "\n")}
}

// addCalls adds the callers and callees of the functions of a profile that have code on some lines: the function
// itself and the closures in it.
func (m *Maker) addCalls(o *Order, first, last int) {
	if m.view == nil {
		return
	}
	names := map[string]bool{}
	files := map[string]bool{} // by name in the profile: whether it is the file
	for _, w := range m.view.Nodes(true) {
		if w.Line < first || w.Line > last || w.Name == "" {
			continue
		}
		is, known := files[w.File]
		if !known {
			rel, err := m.module.File(w.File)
			is = err == nil && rel == o.File
			files[w.File] = is
		}
		if is {
			names[w.Name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	var quoted []string
	for name := range names {
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	slices.Sort(quoted)
	pattern, err := regexp.Compile("^(?:" + strings.Join(quoted, "|") + ")$")
	if err != nil {
		o.Warnings.Add(err)
		return
	}
	total := int64(0)
	callers, callees := map[string]int64{}, map[string]int64{}
	for _, n := range documents.NewPeek(documents.Header{}, m.calls, pattern, 0, true).Nodes {
		total = max(total, n.Cum)
		for _, e := range n.Callers {
			callers[e.Name] += e.Weight
		}
		for _, e := range n.Callees {
			callees[e.Name] += e.Weight
		}
	}
	o.Callers = calls(callers, names, total)
	o.Callees = calls(callees, names, total)
}

// calls returns calls of other functions, the most expensive first.
func calls(weights map[string]int64, own map[string]bool, total int64) []Call {
	var list []Call
	for name, w := range weights {
		if !own[name] && w > 0 && total > 0 {
			list = append(list, Call{name, float64(w) / float64(total)})
		}
	}
	slices.SortFunc(list, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Function, b.Function))
	})
	return list[:min(len(list), maxCalls)]
}

// addAllocations adds the lines that allocate.
func (m *Maker) addAllocations(o *Order, first, last int) {
	for line := first; line <= last; line++ {
		a := Allocation{Line: line}
		evidence, _ := m.charged.Line(o.File, line)
		for _, e := range evidence {
			if e.Cost == find.AllocSpace {
				a.Bytes = e.Share
			} else if e.Cost == find.AllocObjects {
				a.Objects = e.Share
			}
		}
		if a.Bytes > 0 || a.Objects > 0 {
			o.Allocations = append(o.Allocations, a)
		}
	}
}

// addNotes adds what the compiler notes on some lines.
func (m *Maker) addNotes(ctx context.Context, o *Order, first, last int) {
	r, err := lines.List(ctx, lines.Options{
		Dir: m.charged.Dir, Packages: []string{"./" + path.Dir(o.File)}, Flags: m.o.Flags, Env: m.o.Env, Cache: m.o.Notes,
	})
	if err != nil {
		o.Warnings.Add(fmt.Errorf("no compiler notes: %w", err))
		return
	}
	left := 0
	for _, l := range r.Lines {
		if l.File != o.File || l.Line < first || l.Line > last {
			continue
		}
		if len(o.Notes) == maxNotes {
			left++
			continue
		}
		l.Evidence = nil // the order has its own
		o.Notes = append(o.Notes, l)
	}
	if left > 0 {
		o.LeftOut = append(o.LeftOut, fmt.Sprintf("the compiler's notes on %d lines", left))
	}
}
