package captured

import (
	"fmt"
	"go/ast"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/prove/differ/generics"
	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// Limits of the source.
const (
	maxCalls  = 64       // of a function
	maxSource = 1 << 20  // bytes of a file
	maxCall   = 64 << 10 // bytes of the code of a call
	maxDepth  = 12
)

// Calls are calls by function. nil has none.
type Calls struct {
	functions map[string][]support.Call // by import path, a space and the name
}

// Of returns the calls of documents, of which nil has none; nil if all are nil. A function that several documents have
// has a call of each in turn, so that the first ones are of all of them.
func Of(documents ...*arguments.Document) *Calls {
	documents = slices.DeleteFunc(slices.Clone(documents), func(d *arguments.Document) bool { return d == nil })
	if len(documents) == 0 {
		return nil
	}
	all := map[string][][]support.Call{}
	for _, d := range documents {
		for i := range d.Functions {
			if f := &d.Functions[i]; len(f.Calls) > 0 {
				all[f.Package+" "+f.Name] = append(all[f.Package+" "+f.Name], f.Calls)
			}
		}
	}
	c := &Calls{functions: map[string][]support.Call{}}
	for name, lists := range all {
		c.functions[name] = inTurn(lists)
	}
	return c
}

// inTurn returns the elements of lists: the first of each, the second of each, and so on.
func inTurn[T any](lists [][]T) (all []T) {
	for i, left := 0, true; left; i++ {
		left = false
		for _, list := range lists {
			if i < len(list) {
				all, left = append(all, list[i]), true
			}
		}
	}
	return all
}

// In returns the calls of recordings; nil if they have none. Others that were opened are ignored.
func In(opened []*input.Opened) (*Calls, error) {
	var all []*arguments.Document
	for _, l := range opened {
		if l.Recording == nil {
			continue
		}
		d, err := documents.ReadArguments(l.Recording)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return Of(all...), nil
}

// Has reports whether there are calls of a function.
func (c *Calls) Has(pkg, function string) bool {
	return c != nil && len(c.functions[pkg+" "+function]) > 0
}

// Source returns the entries of a whetlib.Calls (package support) in a file of a package: the arguments of calls of its
// functions; "" if there are none. A function's arguments must have the types of the package. A generic function has
// the calls of each of its instances that g has, by [generics.Instance.Name].
func (c *Calls) Source(pkg *packages.Package, g *makers.Generator) string {
	if c == nil {
		return ""
	}
	var b strings.Builder
	receivers := c.receivers(pkg)
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			fn, ok := pkg.TypesInfo.Defs[d.Name].(*types.Func)
			name := instrument.FuncName(d)
			captured := c.functions[pkg.PkgPath+" "+name]
			if !ok || len(captured) == 0 && len(receivers[receiverOf(name)]) == 0 {
				continue
			}
			if len(captured) == 0 {
				if text := onReceivers(pkg, g, fn.Signature(), receivers[receiverOf(name)], maxSource-b.Len()); text != "" {
					fmt.Fprintf(&b, "%q: {\n%s},\n", name, text)
				}
				continue
			}
			instances, _ := generics.Instances(pkg, g, fn)
			for _, i := range instances {
				if text := calls(pkg, g, i, captured, maxSource-b.Len()); text != "" {
					fmt.Fprintf(&b, "%q: {\n%s},\n", i.Name(), text)
				}
			}
		}
	}
	return b.String()
}

// parameters returns the types of a function's receiver, if it has one, and parameters.
func parameters(sig *types.Signature) (all []types.Type) {
	if r := sig.Recv(); r != nil {
		all = append(all, r.Type())
	}
	for p := range sig.Params().Variables() {
		all = append(all, p.Type())
	}
	return all
}

// calls returns the code of the arguments of a function's calls.
func calls(pkg *packages.Package, g *makers.Generator, i generics.Instance, all []support.Call, left int) string {
	params, declared := parameters(i.Sig), parameters(i.Fn.Signature())
	var b strings.Builder
	for at := range all[:min(len(all), maxCalls)] {
		args := all[at].Arguments
		if len(args) != len(params) || !isOf(args, params, declared) {
			continue // of another version or instance
		}
		var line strings.Builder
		known := false
		for k := range args {
			w := &writer{pkg: pkg, namer: g}
			code := w.argument(params[k], &args[k])
			known = known || code != "nil"
			line.WriteString(code + ", ")
		}
		if known && line.Len() <= maxCall && b.Len()+line.Len() <= left {
			b.WriteString("{" + line.String() + "},\n")
		}
	}
	return b.String()
}

// A writer writes the code of one argument.
type writer struct {
	pkg   *packages.Package
	namer *makers.Generator
}

// argument returns the code of a function that returns an argument; "nil" if nothing is known of it.
func (w *writer) argument(t types.Type, v *support.Value) string {
	if !w.namer.Nameable(t) {
		return "nil"
	}
	if code, ok := w.value(t, v, 0); ok {
		if code == "nil" {
			return "nil"
		}
		return "func(s *whetlib.Source, _ func() any) any { return " + code + " }"
	}
	to, of, isPointer := t, v, false
	if p, ok := t.Underlying().(*types.Pointer); ok && v.Kind == support.KindPointer && len(v.Items) == 1 {
		to, of, isPointer = p.Elem(), &v.Items[0], true
	}
	set := w.fields("x", to, of, 0)
	if set == "" {
		if code, ok := w.partly(t, v, 0); ok {
			return "func(s *whetlib.Source, _ func() any) any { return " + code + " }"
		}
		return "nil"
	}
	code := "func(s *whetlib.Source, made func() any) any { x, ok := made().(" + w.name(t) + "); if !ok"
	if isPointer {
		code += " || x == nil"
	}
	return code + " { return nil }; " + set + "return x }"
}

func (w *writer) name(t types.Type) string { return types.TypeString(t, w.namer.Qualify) }

// typed returns code as a value of a type.
func (w *writer) typed(t types.Type, code string) string {
	name := w.name(t)
	if strings.HasPrefix(name, "*") || strings.HasPrefix(name, "<-") || strings.HasPrefix(name, "func") {
		name = "(" + name + ")"
	}
	return name + "(" + code + ")"
}

// fields returns code that sets the fields of a struct that are known.
func (w *writer) fields(x string, t types.Type, v *support.Value, depth int) string {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || v.Kind != support.KindStruct || depth > maxDepth || !w.namer.Alike(t) {
		return ""
	}
	var b strings.Builder
	for i := range v.Fields {
		f := &v.Fields[i]
		at := slices.IndexFunc(slices.Collect(s.Fields()), func(f2 *types.Var) bool { return f2.Name() == f.Name })
		if at < 0 || f.Name == "_" || f.Value.Why == support.Unread && f.Value.Kind == support.KindOmitted {
			continue
		}
		field := s.Field(at)
		if !field.Exported() && field.Pkg() != w.pkg.Types {
			continue
		}
		if f.Value.Kind == support.KindNil && types.IsInterface(field.Type()) {
			continue
		}
		path := x + "." + f.Name
		if code, ok := w.value(field.Type(), &f.Value, depth+1); ok {
			fmt.Fprintf(&b, "%s = %s; ", path, code)
			continue
		}
		switch u := field.Type().Underlying().(type) {
		case *types.Struct:
			b.WriteString(w.fields(path, field.Type(), &f.Value, depth+1))
		case *types.Slice, *types.Interface:
			if code, ok := w.partly(field.Type(), &f.Value, depth+1); ok {
				fmt.Fprintf(&b, "%s = %s; ", path, code)
			}
		case *types.Pointer:
			if len(f.Value.Items) == 1 {
				if set := w.fields(path, u.Elem(), &f.Value.Items[0], depth+1); set != "" {
					fmt.Fprintf(&b, "if %s != nil { %s}; ", path, set)
				}
			}
		}
	}
	return b.String()
}

// value returns the code of a value of a type. It is not ok if a part of the value is not known.
func (w *writer) value(t types.Type, v *support.Value, depth int) (code string, ok bool) {
	if depth > maxDepth || v.Kind == support.KindOmitted || !w.namer.Nameable(t) || !w.namer.Alike(t) {
		return "", false
	}
	if v.Kind == support.KindReflected {
		return w.reflected(t, v, depth)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		code, ok := w.basic(t, u, v)
		return nearNumber(u, code), ok
	case *types.Slice:
		return w.slice(t, u, v, depth)
	case *types.Array:
		if v.Kind != support.KindArray || int64(len(v.Items)) != u.Len() {
			return "", false
		}
		return w.list(t, u.Elem(), v, depth)
	case *types.Map:
		return w.mapping(t, u, v, depth)
	case *types.Pointer:
		return w.pointer(t, u, v, depth)
	case *types.Struct:
		return w.structure(t, u, v, depth)
	case *types.Interface:
		switch {
		case v.Kind == support.KindNil:
			return "nil", true
		case v.Kind == support.KindInterface && len(v.Items) == 1:
			return w.dynamic(v.Type, &v.Items[0], depth)
		case v.Type != "": // an argument that was passed as an interface
			return w.dynamic(v.Type, v, depth)
		}
	case *types.Signature, *types.Chan:
		if v.Kind == support.KindNil {
			return w.typed(t, "nil"), true
		}
	}
	return "", false
}

// dynamic returns the code of a value in an interface, by the name of its type.
func (w *writer) dynamic(name string, v *support.Value, depth int) (string, bool) {
	t := w.typeOf(name)
	if t == nil {
		return "", false
	}
	return w.value(t, v, depth+1)
}

// typeOf returns the type with a name as reflection prints it, of those that are easy to find.
func (w *writer) typeOf(name string) types.Type {
	if rest, ok := strings.CutPrefix(name, "*"); ok {
		if t := w.typeOf(rest); t != nil {
			return types.NewPointer(t)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(name, "[]"); ok {
		if t := w.typeOf(rest); t != nil {
			return types.NewSlice(t)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(name, "map["); ok {
		return w.mapOf(rest)
	}
	if name == "interface {}" {
		return types.Universe.Lookup("any").Type()
	}
	if obj, ok := types.Universe.Lookup(name).(*types.TypeName); ok {
		return obj.Type()
	}
	pkgName, typeName, ok := strings.Cut(name, ".")
	if !ok {
		return nil
	}
	for _, p := range append([]*types.Package{w.pkg.Types}, w.pkg.Types.Imports()...) {
		if p.Name() != pkgName {
			continue
		}
		if obj, ok := p.Scope().Lookup(typeName).(*types.TypeName); ok {
			if named, ok := obj.Type().(*types.Named); ok && named.TypeParams().Len() == 0 {
				return obj.Type()
			}
		}
	}
	return nil
}

// mapOf returns the type of a map whose name is map[ and rest; nil if a part of it is not known.
func (w *writer) mapOf(rest string) types.Type {
	open := 1
	for i := range len(rest) {
		switch rest[i] {
		case '[':
			open++
		case ']':
			open--
		}
		if open > 0 {
			continue
		}
		key, elem := w.typeOf(rest[:i]), w.typeOf(rest[i+1:])
		if key == nil || elem == nil || !types.Comparable(key) {
			return nil
		}
		return types.NewMap(key, elem)
	}
	return nil
}

// reflected returns the code of a reflect.Value with what is known of its value; the rest is made.
func (w *writer) reflected(t types.Type, v *support.Value, depth int) (string, bool) {
	name, ok := strings.CutSuffix(w.name(t), "Value")
	if types.TypeString(t, nil) != "reflect.Value" || !ok || len(v.Items) != 1 {
		return "", false
	}
	if v.Items[0].Kind == support.KindNil {
		return name + "Value{}", v.Type == ""
	}
	of := w.typeOf(v.Type)
	if of == nil {
		return "", false
	}
	code, ok := w.part(of, &v.Items[0], depth+1)
	return name + "ValueOf(" + code + ")", ok
}

func (w *writer) basic(t types.Type, u *types.Basic, v *support.Value) (string, bool) {
	switch info := u.Info(); {
	case info&types.IsString != 0 && v.Kind == support.KindString:
		return w.typed(t, text(v)), true
	case info&types.IsBoolean != 0 && v.Kind == support.KindBool,
		info&types.IsInteger != 0 && (v.Kind == support.KindInt || v.Kind == support.KindUint):
		if !isPlain(v.Text) || (v.Text == "true" || v.Text == "false") != (v.Kind == support.KindBool) {
			return "", false
		}
		return w.typed(t, v.Text), true
	case info&types.IsFloat != 0 && v.Kind == support.KindFloat:
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return "", false
		}
		return w.typed(t, v.Text), true
	}
	return "", false
}

// isPlain reports whether a text is a number or a boolean, and nothing else.
func isPlain(text string) bool {
	if text == "true" || text == "false" {
		return true
	}
	text = strings.TrimPrefix(text, "-")
	return text != "" && len(text) < 40 && strings.Trim(text, "0123456789") == ""
}

// text returns the code of a text, which is repeated if it was cut. The input decides whether it is changed a little.
func text(v *support.Value) string {
	s := v.Text + string(v.Data)
	switch {
	case strings.HasPrefix(v.Why, support.Redacted):
		return fmt.Sprintf("whetlib.Repeated(%q, %d)", "x", v.Len)
	case len(s) < v.Len:
		return fmt.Sprintf("s.Captured(whetlib.Repeated(%q, %d))", s, v.Len)
	}
	return "s.Captured(" + strconv.Quote(s) + ")"
}

func (w *writer) slice(t types.Type, u *types.Slice, v *support.Value, depth int) (string, bool) {
	switch {
	case v.Kind == support.KindNil:
		return w.typed(t, "nil"), true
	case v.Kind == support.KindBytes:
		if v.Why == support.Unread {
			return "", false
		}
		return w.typed(t, text(v)), true
	case v.Kind != support.KindSlice || len(v.Items) == 0 && v.Len > 0 || v.Why == support.Unread:
		return "", false
	}
	code, ok := w.list(t, u.Elem(), v, depth)
	if ok && len(v.Items) < v.Len {
		code = fmt.Sprintf("whetlib.Extended(%s, %d)", code, v.Len)
	}
	if elem, isBasic := u.Elem().Underlying().(*types.Basic); ok && isBasic && len(v.Items) > 0 {
		code = nearNumbers(elem, code)
	}
	return code, ok
}

// list returns the code of a list of elements.
func (w *writer) list(t, elem types.Type, v *support.Value, depth int) (string, bool) {
	var b strings.Builder
	number, isNumber := elem.Underlying().(*types.Basic)
	isNumber = isNumber && number.Info()&types.IsNumeric != 0 && w.namer.Nameable(elem) && w.namer.Alike(elem)
	for i := range v.Items {
		var code string
		ok := false
		if isNumber { // literals: the input changes one of the list, and calls for all of them would take long to compile
			code, ok = w.basic(elem, number, &v.Items[i])
		} else {
			code, ok = w.value(elem, &v.Items[i], depth+1)
		}
		if !ok || b.Len() > maxCall {
			return "", false
		}
		b.WriteString(code + ", ")
	}
	return w.name(t) + "{" + strings.TrimSuffix(b.String(), ", ") + "}", true
}

func (w *writer) mapping(t types.Type, u *types.Map, v *support.Value, depth int) (string, bool) {
	if v.Kind == support.KindNil {
		return w.typed(t, "nil"), true
	}
	if v.Kind != support.KindMap || v.Why == support.Unread {
		return "", false
	}
	var b strings.Builder
	seen := map[string]bool{}
	for i := 0; i+1 < len(v.Items); i += 2 {
		key, ok := w.value(u.Key(), &v.Items[i], depth+1)
		value, ok2 := w.value(u.Elem(), &v.Items[i+1], depth+1)
		if !ok || !ok2 || b.Len() > maxCall {
			return "", false
		}
		if seen[key] {
			continue // redacted keys of one length
		}
		seen[key] = true
		b.WriteString(key + ": " + value + ", ")
	}
	return w.name(t) + "{" + strings.TrimSuffix(b.String(), ", ") + "}", true
}

func (w *writer) pointer(t types.Type, u *types.Pointer, v *support.Value, depth int) (string, bool) {
	if v.Kind == support.KindNil {
		return w.typed(t, "nil"), true
	}
	if v.Kind != support.KindPointer || len(v.Items) != 1 {
		return "", false
	}
	code, ok := w.value(u.Elem(), &v.Items[0], depth+1)
	if !ok {
		return "", false
	}
	return "whetlib.Pointer(" + code + ")", true
}

func (w *writer) structure(t types.Type, u *types.Struct, v *support.Value, depth int) (string, bool) {
	if v.Kind != support.KindStruct || len(v.Fields) != u.NumFields() {
		return "", false
	}
	var b strings.Builder
	for i := range v.Fields {
		f := u.Field(i)
		if f.Name() != v.Fields[i].Name || !f.Exported() && f.Pkg() != w.pkg.Types {
			return "", false
		}
		if f.Name() == "_" {
			continue
		}
		code, ok := w.value(f.Type(), &v.Fields[i].Value, depth+1)
		if !ok {
			return "", false
		}
		b.WriteString(f.Name() + ": " + code + ", ")
	}
	return w.name(t) + "{" + strings.TrimSuffix(b.String(), ", ") + "}", true
}
