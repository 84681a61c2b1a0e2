package instrument

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/procgroup/golist"
)

// directory is where the support is in the module, in the overlay only.
const directory = "zz_whet_capture"

// EndBenchmark is a benchmark of each tested package that writes what was copied until then: benchmarks are the last
// thing that a test binary runs.
const EndBenchmark = "BenchmarkWhetCaptured"

// MaxFunctions is the number of functions that are instrumented.
const MaxFunctions = 32

// maxPackages is the number of packages of a module that are loaded to see what functions read.
const maxPackages = 400

// Options configure [Make].
type Options struct {
	Dir      string   // within the module; "" is the current directory
	Packages []string // patterns of what is built: a main package, or the packages that are tested
	Flags    []string // of go build
	Env      []string // KEY=value, in addition to the process's environment
	// Rank returns the place of a function among those to copy, by its symbol as in profiles, without type arguments;
	// main packages have the symbols of "main", too. Negative means that it is not one of them.
	Rank func(symbol string) int
	// Small includes functions that are small enough for the compiler to inline, which they then are no longer.
	Small bool
	Tests bool   // Packages, which are import paths, are tested: with EndBenchmark
	Temp  string // an existing directory for files, which the caller removes when it has built
}

// A Program is what to build.
type Program struct {
	// Overlay is the file for the go command's flag -overlay.
	Overlay string
	// Files are the replaced files, and what replaces them.
	Files map[string]string
	// Functions are those that are copied, and Left those that are not.
	Functions []support.Function
	Left      []Left
}

// A Left is a function that is not copied.
type Left struct {
	Function string `json:"function"` // symbol
	Why      string `json:"why"`
}

// Make writes the overlay that builds packages with copies of calls. It is an error if there is no function to copy.
func Make(ctx context.Context, o Options) (*Program, error) {
	pkgs, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	m := &maker{options: o, program: &Program{Files: map[string]string{}}, reader: newReader(pkgs)}
	for _, pkg := range pkgs {
		m.choose(pkg)
		if o.Tests && slices.Contains(o.Packages, pkg.PkgPath) {
			m.tested = append(m.tested, pkg)
		}
	}
	slices.SortStableFunc(m.chosen, func(a, b *chosen) int { return cmp.Compare(a.rank, b.rank) })
	for _, c := range m.chosen[min(len(m.chosen), MaxFunctions):] {
		m.leave(c.symbol, fmt.Sprintf("only %d functions are copied", MaxFunctions))
	}
	m.chosen = m.chosen[:min(len(m.chosen), MaxFunctions)]
	if len(m.chosen) == 0 {
		return m.program, m.none()
	}
	return m.program, m.write()
}

// load loads the packages of the module that are built.
func load(ctx context.Context, o Options) ([]*packages.Package, error) {
	args := append([]string{
		"list", "-deps", "-test=" + strconv.FormatBool(o.Tests), "-f",
		"{{if and .Module .Module.Main (not .ForTest)}}{{.ImportPath}}{{end}}",
	}, o.Flags...)
	cmd := exec.CommandContext(ctx, "go", append(append(args, "--"), o.Packages...)...)
	cmd.Dir, cmd.Env = o.Dir, append(os.Environ(), o.Env...)
	var out, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := procgroup.RunGo(cmd); err != nil {
		return nil, &diag.Error{
			Op: "list packages", Subject: strings.Join(o.Packages, " "),
			Err: fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String())),
		}
	}
	var names []string
	for name := range strings.FieldsSeq(out.String()) {
		if !strings.HasSuffix(name, ".test") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, &diag.Error{
			Op: "capture", Err: errors.New("no package of the main module is built"),
			Hint: "run whet in the module of the program: functions of other modules are not copied",
		}
	}
	if len(names) > maxPackages {
		return nil, &diag.Error{
			Op: "capture", Err: fmt.Errorf("the program has %d packages of its module, more than %d", len(names), maxPackages),
		}
	}
	pkgs, err := golist.Load(ctx, &packages.Config{
		Dir: o.Dir, BuildFlags: o.Flags, Env: append(os.Environ(), o.Env...),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
			packages.NeedExportFile | packages.NeedModule,
	}, names...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			return nil, &diag.Error{Op: "load package", Subject: pkg.PkgPath, Err: pkg.Errors[0]}
		}
	}
	return pkgs, nil
}

type maker struct {
	options Options
	program *Program
	reader  *reader
	chosen  []*chosen
	tested  []*packages.Package
	module  *packages.Module
}

// A chosen is a function to copy.
type chosen struct {
	pkg    *packages.Package
	file   *ast.File
	decl   *ast.FuncDecl
	symbol string
	rank   int
	about  support.Function
	plans  []*support.Plan
	cases  []support.Case
	onlyIn string // why results are not copied; "" if they are
}

func (m *maker) leave(symbol, why string) {
	m.program.Left = append(m.program.Left, Left{symbol, why})
}

// none is the error if no function is copied.
func (m *maker) none() error {
	e := &diag.Error{
		Op: "capture", Err: errors.New("none of the functions of the program's module is one to copy"),
		Hint: "give a regular expression of their names as profiles have them: --capture '^main\\.'",
	}
	if len(m.program.Left) > 0 {
		left := m.program.Left[0]
		e.Err = fmt.Errorf("no function can be copied: %s: %s", left.Function, left.Why)
		if n := len(m.program.Left) - 1; n > 0 {
			e.Err = fmt.Errorf("%w; and %d more", e.Err, n)
		}
		e.Hint = "name the functions that call it: --capture REGEXP"
	}
	return e
}

// rank returns the rank of a function of a package by its name.
func (m *maker) rank(pkg *packages.Package, name string) int {
	rank := m.options.Rank(pkg.PkgPath + "." + name)
	if pkg.Name == "main" {
		if other := m.options.Rank("main." + name); rank < 0 || other >= 0 && other < rank {
			rank = other
		}
	}
	return rank
}

// choose adds the functions of a package to copy.
func (m *maker) choose(pkg *packages.Package) {
	if pkg.Module != nil && m.module == nil {
		m.module = pkg.Module
	}
	for name := range literals(pkg.Syntax) {
		if m.rank(pkg, name) >= 0 {
			m.leave(pkg.PkgPath+"."+name, "it is a function literal: only calls of declared functions are copied")
		}
	}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			symbol := pkg.PkgPath + "." + FuncName(d)
			rank := m.rank(pkg, FuncName(d))
			if rank < 0 {
				continue
			}
			if why := m.unfit(pkg, file, d); why != "" {
				m.leave(symbol, why)
				continue
			}
			c := &chosen{pkg: pkg, file: file, decl: d, symbol: symbol, rank: rank}
			c.about = support.Function{
				Package: pkg.PkgPath, Name: FuncName(d), Receiver: d.Recv != nil,
				Parameters: names(d.Type.Params), Results: names(d.Type.Results),
			}
			fn, _ := pkg.TypesInfo.Defs[d.Name].(*types.Func)
			read := m.reader.of(fn)
			c.plans, c.cases = read.plans, read.cases
			if c.onlyIn = noResults(pkg, d); c.onlyIn != "" {
				c.about.Note = "results are not copied: " + c.onlyIn
			}
			m.chosen = append(m.chosen, c)
		}
	}
}

// FuncName returns the name of a function in the form of Go source, without type parameters: (*T).Name.
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, false
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t, star = x.X, true
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			if star {
				return "(*" + x.Name + ")." + d.Name.Name
			}
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// names returns the names of fields, "" for those without.
func names(list *ast.FieldList) (all []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		if len(f.Names) == 0 {
			all = append(all, "")
		}
		for _, n := range f.Names {
			all = append(all, strings.TrimPrefix(n.Name, "_"))
		}
	}
	return all
}

// Functions with fewer nodes, without loops, calls and literals, are what the compiler inlines.
const smallNodes = 30

// unfit returns why calls of a function cannot be copied, or "".
func (m *maker) unfit(pkg *packages.Package, file *ast.File, d *ast.FuncDecl) string {
	switch {
	case d.Body == nil:
		return "it has no body in Go"
	case d.Name.Name == "_" || d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "main" && pkg.Name == "main"):
		return "it is called once"
	case d.Recv.NumFields()+d.Type.Params.NumFields() == 0:
		return "it has no arguments"
	case pkg.Module != nil && m.module != nil && pkg.Module.Path != m.module.Path:
		return "it is of another module"
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return "its file uses cgo"
		}
	}
	if d.Doc != nil {
		for _, c := range d.Doc.List {
			if rest, ok := strings.CutPrefix(c.Text, "//go:"); ok && rest != "noinline" {
				return "it has the directive //go:" + rest
			}
			if strings.HasPrefix(c.Text, "//export ") {
				return "it is exported to C"
			}
		}
	}
	if !m.options.Small && isSmall(pkg, d) {
		return "it is so small that the compiler inlines it, which copying would prevent"
	}
	return ""
}

// isSmall reports whether a function is small.
func isSmall(pkg *packages.Package, d *ast.FuncDecl) bool {
	nodes, small := 0, true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.SelectStmt, *ast.DeferStmt, *ast.GoStmt:
			small = false
		case *ast.CallExpr:
			w := &walker{info: pkg.TypesInfo}
			small = small && (pkg.TypesInfo.Types[n.Fun].IsType() || w.builtin(n) != "")
		}
		nodes++
		return small
	})
	return small && nodes < smallNodes
}

// noResults returns why a function is not called from within itself, which shows its results, or "".
func noResults(pkg *packages.Package, d *ast.FuncDecl) string {
	if pkg.TypesInfo.Defs[d.Name] == nil {
		return "it has no name"
	}
	for _, list := range []*ast.FieldList{d.Type.Params, d.Type.Results, d.Type.TypeParams, d.Recv} {
		for _, name := range names(list) {
			if d.Recv == nil && name == d.Name.Name {
				return "a parameter has its name"
			}
		}
	}
	why := ""
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return why == ""
		}
		w := &walker{info: pkg.TypesInfo}
		if w.builtin(call) == "recover" {
			why = "it calls recover"
		}
		if fn := called(pkg.TypesInfo, call); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "runtime" &&
			strings.HasPrefix(fn.Name(), "Caller") {
			why = "it looks at its callers"
		}
		return why == ""
	})
	return why
}

// write writes the files of the overlay.
func (m *maker) write() error {
	dir := m.module.Dir
	if dir == "" {
		return &diag.Error{Op: "capture", Err: errors.New("the module has no directory")}
	}
	if _, err := os.Lstat(filepath.Join(dir, directory)); err == nil {
		return &diag.Error{Op: "capture", Err: fmt.Errorf("the module has a directory %s", directory), Hint: "rename it"}
	}
	imported := path.Join(m.module.Path, directory)
	byFile := map[string][]edit{}
	for i, c := range m.chosen {
		name := c.pkg.Fset.Position(c.file.FileStart).Filename
		if byFile[name] == nil {
			at := c.pkg.Fset.Position(c.file.Name.End()).Offset
			byFile[name] = []edit{{at, at, fmt.Sprintf("; import whet_capture %q", imported)}}
		}
		byFile[name] = append(byFile[name], c.edits(i)...)
		m.program.Functions = append(m.program.Functions, c.about)
	}
	n := 0
	add := func(original string, text []byte) error {
		n++
		file := filepath.Join(m.options.Temp, fmt.Sprintf("%d_%s", n, filepath.Base(original)))
		m.program.Files[original] = file
		return os.WriteFile(file, text, 0o600)
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := add(name, apply(text, byFile[name])); err != nil {
			return err
		}
	}
	files, err := support.Files()
	if err != nil {
		return err
	}
	if files["functions.go"], err = m.functions(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		// The support may need a newer language version than the module has.
		text := files[name]
		if !bytes.HasPrefix(text, []byte("//go:build ")) {
			text = append([]byte("//go:build go1.24\n\n"), text...)
		}
		if err := add(filepath.Join(dir, directory, name), text); err != nil {
			return err
		}
	}
	for _, pkg := range m.tested {
		if len(pkg.GoFiles) == 0 {
			continue
		}
		text := fmt.Sprintf("package %s\n\nimport (\n\twhet_testing \"testing\"\n\n\twhet_capture %q\n)\n\n"+
			"func %s(*whet_testing.B) { whet_capture.R.Flush() }\n", pkg.Name, imported, EndBenchmark)
		if err := add(filepath.Join(filepath.Dir(pkg.GoFiles[0]), directory+"_test.go"), []byte(text)); err != nil {
			return err
		}
	}
	m.program.Overlay = filepath.Join(m.options.Temp, "overlay.json")
	data, err := json.Marshal(struct{ Replace map[string]string }{m.program.Files})
	if err != nil {
		return err
	}
	return os.WriteFile(m.program.Overlay, data, 0o600)
}

// An edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// edits returns the edits of a function. They add no lines, so that those of profiles and panics stay right.
func (c *chosen) edits(id int) (edits []edit) {
	offset := func(p token.Pos) int { return c.pkg.Fset.PositionFor(p, false).Offset }
	insert := func(p token.Pos, text string) { edits = append(edits, edit{offset(p), offset(p), text}) }
	n := 0
	named := func(list *ast.FieldList) (all []string) {
		if list == nil {
			return nil
		}
		for _, f := range list.List {
			if len(f.Names) == 0 {
				all = append(all, fmt.Sprintf("whet_p%d", n))
				insert(f.Type.Pos(), all[len(all)-1]+" ")
				n++
			}
			for _, id := range f.Names {
				name := id.Name
				if name == "_" {
					name = fmt.Sprintf("whet_p%d", n)
					edits = append(edits, edit{offset(id.Pos()), offset(id.End()), name})
					n++
				}
				all = append(all, name)
			}
		}
		return all
	}
	receiver, params := named(c.decl.Recv), named(c.decl.Type.Params)
	var b strings.Builder
	fmt.Fprintf(&b, " if whet_capture.G%d.Open() { if whet_c := whet_capture.R.Begin(%d); whet_c != nil { ", id, id)
	all := slices.Concat(receiver, params)
	for i, name := range all {
		if slices.ContainsFunc(c.cases, func(one support.Case) bool { return one.Argument == i }) {
			fmt.Fprintf(&b, "whet_c.Is(%d, %s); ", i, name)
		}
	}
	for i, name := range all {
		in := "In"
		if c.readsMap(i) {
			in = "InMap"
		}
		fmt.Fprintf(&b, "whet_c.%s(%s); ", in, name)
	}
	b.WriteString("whet_c.Called(); ")
	if c.onlyIn != "" {
		b.WriteString("whet_c.Returned(); whet_c.End() } };")
		insert(c.decl.Body.Lbrace+1, b.String())
		return edits
	}
	call := c.decl.Name.Name
	if len(receiver) > 0 {
		call = receiver[0] + "." + call
	} else if list := c.decl.Type.TypeParams; list != nil {
		call += "[" + strings.Join(names(list), ", ") + "]"
	}
	dots := ""
	if list := c.decl.Type.Params.List; len(list) > 0 {
		if _, ok := list[len(list)-1].Type.(*ast.Ellipsis); ok {
			dots = "..."
		}
	}
	call += "(" + strings.Join(params, ", ") + dots + ")"
	var results []string
	for i := range c.decl.Type.Results.NumFields() {
		results = append(results, "whet_r"+strconv.Itoa(i))
	}
	list := strings.Join(results, ", ")
	if list != "" {
		b.WriteString(list + " := ")
	}
	b.WriteString(call + "; whet_c.Returned(); ")
	for _, r := range results {
		b.WriteString("whet_c.Out(" + r + "); ")
	}
	b.WriteString("whet_c.End(); return " + list + " } };")
	insert(c.decl.Body.Lbrace+1, b.String())
	return edits
}

// readsMap reports whether a plan of an argument allows to iterate over a map.
func (c *chosen) readsMap(i int) bool {
	t := c.typeOf(i)
	return i < len(c.plans) && hasMap(c.plans[i], t) || slices.ContainsFunc(c.cases, func(one support.Case) bool {
		return i < len(one.Plans) && hasMap(one.Plans[i], t)
	})
}

// typeOf returns the type of an argument, of which the receiver is the first.
func (c *chosen) typeOf(i int) types.Type {
	fn, ok := c.pkg.TypesInfo.Defs[c.decl.Name].(*types.Func)
	if !ok {
		return nil
	}
	if r := fn.Signature().Recv(); r != nil {
		if i == 0 {
			return r.Type()
		}
		i--
	}
	return fn.Signature().Params().At(i).Type()
}

// hasMap reports whether a plan allows to iterate over a map.
func hasMap(p *support.Plan, t types.Type) bool {
	if p == nil || t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return p.Whole || hasMap(p.Elem, u.Elem())
	case *types.Pointer:
		return hasMap(p.Elem, u.Elem())
	case *types.Slice:
		return hasMap(p.Elem, u.Elem())
	case *types.Array:
		return hasMap(p.Elem, u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasMap(p.Fields[f.Name()], f.Type()) {
				return true
			}
		}
	case *types.Interface: // also a type parameter's constraint
		return hasWhole(p)
	}
	return false
}

// hasWhole reports whether a plan allows all elements of anything.
func hasWhole(p *support.Plan) bool {
	if p == nil {
		return false
	}
	for _, parts := range []map[string]*support.Plan{p.Fields, p.Types} {
		for _, part := range parts {
			if hasWhole(part) {
				return true
			}
		}
	}
	return p.Whole || hasWhole(p.Elem)
}

// functions returns the file that lists the functions.
func (m *maker) functions() ([]byte, error) {
	var b strings.Builder
	b.WriteString("package support\n\n// Gates of the functions.\nvar (\n")
	for i := range m.chosen {
		fmt.Fprintf(&b, "G%d Gate\n", i)
	}
	b.WriteString(")\n\n// R copies calls.\nvar R = Start([]Function{\n")
	for _, c := range m.chosen {
		a := c.about
		fmt.Fprintf(&b, "{Package: %q, Name: %q, Receiver: %t, Parameters: %#v, Results: %#v, Note: %q},\n",
			a.Package, a.Name, a.Receiver, a.Parameters, a.Results, a.Note)
	}
	b.WriteString("}, []*Gate{")
	for i := range m.chosen {
		fmt.Fprintf(&b, "&G%d, ", i)
	}
	b.WriteString("}, [][]*Plan{\n")
	for _, c := range m.chosen {
		b.WriteString("{")
		for _, p := range c.plans {
			b.WriteString(planCode(p) + ", ")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}, [][]Case{\n")
	for _, c := range m.chosen {
		b.WriteString("{")
		for _, one := range c.cases {
			fmt.Fprintf(&b, "{Argument: %d, Type: %q, Plans: []*Plan{", one.Argument, one.Type)
			for _, p := range one.Plans {
				b.WriteString(planCode(p) + ", ")
			}
			b.WriteString("}}, ")
		}
		b.WriteString("},\n")
	}
	b.WriteString("})\n")
	return format.Source([]byte(b.String()))
}

// planCode returns a plan as Go source.
func planCode(p *support.Plan) string {
	if p == nil {
		return "nil"
	}
	var parts []string
	if p.Self {
		parts = append(parts, "Self: true")
	}
	if p.Whole {
		parts = append(parts, "Whole: true")
	}
	if p.Elem != nil {
		parts = append(parts, "Elem: "+planCode(p.Elem))
	}
	named := func(what string, plans map[string]*support.Plan) {
		if len(plans) == 0 {
			return
		}
		var list []string
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			list = append(list, fmt.Sprintf("%q: %s", name, planCode(plans[name])))
		}
		parts = append(parts, what+": map[string]*Plan{"+strings.Join(list, ", ")+"}")
	}
	named("Fields", p.Fields)
	named("Types", p.Types)
	return "&Plan{" + strings.Join(parts, ", ") + "}"
}
