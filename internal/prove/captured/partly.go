package captured

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// maxMade is the number of elements that are made of a list of which only the length is known.
const maxMade = 1024

// partly returns the code of a value of which parts are missing: those are made, with the dynamic types and the lengths
// that are known. It is not ok if nothing but the type is known of the value, or a part cannot be made.
func (w *writer) partly(t types.Type, v *support.Value, depth int) (code string, ok bool) {
	if depth > maxDepth || !w.namer.Nameable(t) || !w.namer.Alike(t) {
		return "", false
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if dynamic, of := w.held(t, v); dynamic != nil {
			return w.partly(dynamic, of, depth+1)
		}
	case *types.Slice:
		return w.partlyList(t, u.Elem(), v, depth)
	case *types.Map:
		return w.partlyMap(t, u, v, depth)
	case *types.Pointer:
		if v.Kind == support.KindPointer && len(v.Items) == 1 {
			return w.completed(t, u.Elem(), &v.Items[0], depth)
		}
	case *types.Struct:
		return w.completed(t, t, v, depth)
	}
	return "", false
}

// part returns the code of a part of a value, which is made as far as it is not known.
func (w *writer) part(t types.Type, v *support.Value, depth int) (code string, ok bool) {
	if code, ok = w.value(t, v, depth); ok {
		return code, true
	}
	if code, ok = w.partly(t, v, depth); ok {
		return code, true
	}
	if _, isInterface := t.Underlying().(*types.Interface); isInterface {
		if dynamic, _ := w.held(t, v); dynamic != nil {
			return w.made(dynamic)
		}
	}
	return w.made(t)
}

// held returns the dynamic type of a value in an interface, and the value; a nil type if it is not known.
func (w *writer) held(t types.Type, v *support.Value) (dynamic types.Type, of *support.Value) {
	if dynamic = w.typeOf(v.Type); dynamic == nil || !types.AssignableTo(dynamic, t) {
		return nil, nil
	}
	if v.Kind == support.KindInterface && len(v.Items) == 1 {
		return dynamic, &v.Items[0]
	}
	return dynamic, v
}

// made returns the code of a value that is made.
func (w *writer) made(t types.Type) (code string, ok bool) {
	if !w.namer.Nameable(t) {
		return "", false
	}
	name, why := w.namer.Maker(t)
	return name + "(s)", why == ""
}

// partlyList returns the code of a list whose length is known, and some of its elements.
func (w *writer) partlyList(t, elem types.Type, v *support.Value, depth int) (string, bool) {
	if v.Kind != support.KindSlice || v.Len == 0 || v.Len > maxMade && len(v.Items) == 0 {
		return "", false
	}
	if len(v.Items) == 0 {
		one, ok := w.made(elem)
		return fmt.Sprintf("func() %[1]s { x := make(%[1]s, %d); for i := range x { x[i] = %s }; return x }()",
			w.name(t), v.Len, one), ok
	}
	var b strings.Builder
	for i := range v.Items {
		code, ok := w.part(elem, &v.Items[i], depth+1)
		if !ok || b.Len() > maxCall {
			return "", false
		}
		b.WriteString(code + ", ")
	}
	code := w.name(t) + "{" + strings.TrimSuffix(b.String(), ", ") + "}"
	if len(v.Items) < v.Len {
		code = fmt.Sprintf("whetlib.Extended(%s, %d)", code, v.Len)
	}
	return code, true
}

// partlyMap returns the code of a map whose keys are known.
func (w *writer) partlyMap(t types.Type, u *types.Map, v *support.Value, depth int) (string, bool) {
	if v.Kind != support.KindMap || len(v.Items) == 0 || len(v.Items)%2 != 0 {
		return "", false
	}
	var b strings.Builder
	seen := map[string]bool{}
	for i := 0; i < len(v.Items); i += 2 {
		key, ok := w.value(u.Key(), &v.Items[i], depth+1)
		value, ok2 := w.part(u.Elem(), &v.Items[i+1], depth+1)
		if !ok || !ok2 || b.Len() > maxCall {
			return "", false
		}
		if !seen[key] {
			b.WriteString(key + ": " + value + ", ")
		}
		seen[key] = true // redacted keys may be equal
	}
	return w.name(t) + "{" + strings.TrimSuffix(b.String(), ", ") + "}", true
}

// completed returns the code of a struct, or of a pointer to one, that is made and gets the fields that are known.
func (w *writer) completed(t, of types.Type, v *support.Value, depth int) (string, bool) {
	set := w.fields("x", of, v, depth+1)
	made, ok := w.made(t)
	if set == "" || !ok {
		return "", false
	}
	if _, isPointer := t.Underlying().(*types.Pointer); isPointer {
		set = "if x != nil { " + set + "}; "
	}
	return "func() " + w.name(t) + " { x := " + made + "; " + set + "return x }()", true
}

// maxReceivers is the number of receivers of other methods that a method's calls get.
const maxReceivers = 8

// receivers returns what methods of a type were called on, by its name as in (*T).
func (c *Calls) receivers(pkg *packages.Package) map[string][]support.Value {
	all := map[string][]support.Value{}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv == nil {
				continue
			}
			name := instrument.FuncName(d)
			of := receiverOf(name)
			var known []support.Value
			for _, call := range c.functions[pkg.PkgPath+" "+name] {
				if len(call.Arguments) > 0 && len(known) < maxReceivers {
					known = append(known, call.Arguments[0])
				}
			}
			all[of] = append(all[of], known...)
		}
	}
	return all
}

// receiverOf returns the type of a method's receiver in its name: (*T) of (*T).Name; "" for functions.
func receiverOf(function string) string {
	at := strings.LastIndexByte(function, '.')
	return function[:max(at, 0)]
}

// onReceivers returns calls of a method that was not recorded, or of which no receiver is known, on what other methods
// of its type were called on. All else is made. Of equal receivers there is one.
func onReceivers(
	pkg *packages.Package, g *makers.Generator, sig *types.Signature, receivers []support.Value, left int,
) string {
	if sig.Recv() == nil || sig.RecvTypeParams().Len() > 0 {
		return ""
	}
	var lines []string
	for i := range receivers {
		w := &writer{pkg: pkg, namer: g}
		code := w.argument(sig.Recv().Type(), &receivers[i])
		line := "{" + code + ", " + strings.Repeat("nil, ", sig.Params().Len()) + "},\n"
		if code == "nil" || len(line) > maxCall || len(line) > left || slices.Contains(lines, line) {
			continue
		}
		if lines = append(lines, line); len(lines) == maxReceivers {
			break
		}
		left -= len(line)
	}
	return strings.Join(lines, "")
}
