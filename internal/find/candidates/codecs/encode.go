package codecs

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// encodeGenerator writes the JSON of a struct, field by field.
func encodeGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "jsonencode", Title: "JSON encoded by reflection",
		Why: "code that is written for the type knows its fields, and appends their text; strings with special " +
			"characters, maps and what has methods are still encoded by encoding/json",
		Assumes: "no other goroutine changes the value meanwhile, and the capacity of the text does not matter",
		Kinds: []diagnosis.Kind{
			diagnosis.Encoding, diagnosis.Reflection, diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying,
		},
		Propose: eachCall((*site).encoded, "encoding/json.Marshal", "(*encoding/json.Encoder).Encode"),
	}
}

// An encoder writes the functions of a candidate.
type encoder struct {
	*site
	at      ast.Node
	json    string // names of packages
	strconv string
	math    string
	slices  string
	any     string // name of the function for values of any type; "" if there are none
	texts   bool   // whether a string is written
	text    string // name of the function for strings
	declared
	code []string // of functions
}

// encoded declares functions that append the JSON of a value, and calls them.
func (s *site) encoded(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	var of *ast.CallExpr // json.NewEncoder(w)
	if len(call.Args) != 1 {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return p, false
	}
	if sel.Sel.Name == "Encode" {
		if of = s.receiverOf(call, "encoding/json.NewEncoder"); of == nil {
			return p, false
		}
	}
	t := s.Pass.TypesInfo.TypeOf(call.Args[0])
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), t)
	if !ok || !rewrite.Universe(s.Pass, "append", "make", "error", "byte", "string", "nil", "len", "true", "false",
		"any", "bool", "int", "int64", "uint64", "float32", "float64") {
		return p, false
	}
	e := &encoder{site: s, at: call}
	e.text = s.Names.Fresh("appendTextJSON")
	var edits []analysis.TextEdit
	e.json, edits, ok = rewrite.Import(s.Pass, call.Pos(), "encoding/json")
	if !ok {
		return p, false
	}
	numbers, ok1 := s.imported(call, "strconv", &e.strconv)
	floats, ok2 := s.imported(call, "math", &e.math)
	sorting, ok3 := s.imported(call, "slices", &e.slices)
	if !ok1 || !ok2 || !ok3 {
		return p, false
	}
	element, pointer := t, false
	if ptr, isPointer := t.Underlying().(*types.Pointer); isPointer {
		element, pointer = ptr.Elem(), true
	}
	if !e.readable(element) || hasMethod(element, "MarshalJSON", "MarshalText") {
		return p, false
	}
	// Only what a pointer refers to has an address, with which encoding/json finds the methods of pointers.
	appends, ok := e.function(element)
	if !ok {
		return p, false
	}
	name := s.Names.Fresh("marshal" + nameOf(element))
	body := "\treturn %[2]s(make([]byte, 0, %[3]d), &v)\n"
	if pointer {
		body = "\tif v == nil {\n\t\treturn []byte(\"null\"), nil\n\t}\n\treturn %[2]s(make([]byte, 0, %[3]d), v)\n"
	}
	code := fmt.Sprintf("// %[1]s returns what "+e.json+".Marshal does for v.\n"+
		"func %[1]s(v %[4]s) ([]byte, error) {\n"+body+"}", name, appends, firstCapacity, typ)
	replaced := rewrite.Replace(call.Fun, name)
	if of != nil {
		io, more, ok := rewrite.Import(s.Pass, call.Pos(), "io")
		if !ok {
			return p, false
		}
		edits = append(edits, more...)
		encode := s.Names.Fresh("encode" + nameOf(element))
		code += fmt.Sprintf("\n\n// %[1]s writes what an Encoder writes for v.\n"+
			"func %[1]s(w %[2]s.Writer, v %[3]s) error {\n"+
			"\tdata, err := %[4]s(v)\n\tif err != nil {\n\t\treturn err\n\t}\n\t_, err = w.Write(append(data, '\\n'))\n"+
			"\treturn err\n}", encode, io, typ, name)
		replaced = rewrite.Replace(call, fmt.Sprintf("%s(%s, %s)", encode, s.Text(of.Args[0]), s.Text(call.Args[0])))
	}
	all := append([]string{code}, e.code...)
	if e.any != "" {
		e.texts = true
		all = append(all, e.anything())
	}
	if e.texts {
		all = append(all, fmt.Sprintf(appendedText, e.text, e.json))
	}
	text := strings.Join(all, "\n\n")
	if strings.Contains(text, e.strconv+".") {
		edits = append(edits, numbers...)
	}
	if strings.Contains(text, e.math+".") {
		edits = append(edits, floats...)
	}
	if strings.Contains(text, e.slices+".Sort(") {
		edits = append(edits, sorting...)
	}
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), text)
	if !ok {
		return p, false
	}
	p.Message = "Encode " + typ + " without reflection"
	p.Edits = append(edits, declared, replaced)
	return p, true
}

// firstCapacity is the capacity of a text at first.
const firstCapacity = 512

// structured reports whether a type is a struct, or a slice or array of such.
func (s *site) structured(t types.Type) bool {
	if hasMethod(t, "MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText") {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return true
	case *types.Slice:
		return s.structured(u.Elem())
	case *types.Array:
		return s.structured(u.Elem())
	case *types.Pointer:
		return s.structured(u.Elem())
	}
	return false
}

// appendedText is declared for strings: its name, and that of encoding/json.
const appendedText = `// %[1]s appends a string as JSON.
func %[1]s(b []byte, text string) ([]byte, error) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ', c >= 0x80, c == '"', c == '\\', c == '<', c == '>', c == '&':
			special, err := %[2]s.Marshal(text)
			return append(b, special...), err
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"'), nil
}`

// appendedAny is declared for values of any type: its name, the function for strings, and packages json, strconv, math
// and slices.
const appendedAny = `// %[1]s appends a value of any type as JSON.
func %[1]s(b []byte, x any, depth int) (_ []byte, err error) {
	switch x := x.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return %[2]s(b, x)
	case bool:
		return %[4]s.AppendBool(b, x), nil
	case int:
		return %[4]s.AppendInt(b, int64(x), 10), nil
	case int64:
		return %[4]s.AppendInt(b, x, 10), nil
	case float64:
		if size := %[5]s.Abs(x); size == 0 || size >= 1e-6 && size < 1e21 {
			return %[4]s.AppendFloat(b, x, 'f', -1, 64), nil
		}
	case []any:
		if x == nil || depth > 1000 {
			break
		}
		b = append(b, '[')
		for i, one := range x {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = %[1]s(b, one, depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		if x == nil || depth > 1000 {
			break
		}
		keys := make([]string, 0, len(x))
		for key := range x {
			keys = append(keys, key)
		}
		%[6]s.Sort(keys)
		b = append(b, '{')
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = %[2]s(b, key); err != nil {
				return nil, err
			}
			if b, err = %[1]s(append(b, ':'), x[key], depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	more, err := %[3]s.Marshal(x)
	return append(b, more...), err
}`

// anything returns the source of the function for values of any type.
func (e *encoder) anything() string {
	return fmt.Sprintf(appendedAny, e.any, e.text, e.json, e.strconv, e.math, e.slices)
}

// function returns the name of the function that appends a struct, slice, array or map, which it declares.
func (e *encoder) function(t types.Type) (name string, ok bool) {
	return e.declare(e.site, e.at, t, "append", func(name, typ string) bool { return e.write(t, name, typ) })
}

// write writes the function of a type, and reports whether there is one.
func (e *encoder) write(t types.Type, name, typ string) bool {
	var body strings.Builder
	switch u := t.Underlying().(type) {
	case *types.Struct:
		list, ok := fields(u)
		if !ok {
			return false
		}
		if !e.members(&body, list) {
			return false
		}
	case *types.Slice:
		body.WriteString("\tif *v == nil {\n\t\treturn append(b, \"null\"...), nil\n\t}\n")
		if !e.elements(&body, u.Elem()) {
			return false
		}
	case *types.Array:
		if !e.elements(&body, u.Elem()) {
			return false
		}
	case *types.Map:
		if !e.entries(&body, u) {
			return false
		}
	default:
		return false
	}
	e.code = append(e.code, fmt.Sprintf(
		"// %[1]s appends v as JSON.\nfunc %[1]s(b []byte, v *%[2]s) (_ []byte, err error) {\n%[3]s}",
		name, typ, body.String()))
	return true
}

// members writes the statements for the fields of a struct, and reports whether all can be written.
func (e *encoder) members(body *strings.Builder, list []field) bool {
	body.WriteString("\tb = append(b, '{')\n")
	separated := false // whether a field is certain to be in front
	for i, f := range list {
		value := "v." + f.v.Name()
		condition := ""
		if f.omitEmpty {
			condition = e.present(value, f.v.Type())
		}
		if condition != "" {
			fmt.Fprintf(body, "\tif %s {\n", condition)
		}
		switch {
		case separated:
			fmt.Fprintf(body, "\tb = append(b, %s...)\n", strconv.Quote(`,"`+f.key+`":`))
		case i == 0:
			fmt.Fprintf(body, "\tb = append(b, %s...)\n", strconv.Quote(`"`+f.key+`":`))
		default:
			fmt.Fprintf(body, "\tif b[len(b)-1] != '{' {\n\tb = append(b, ',')\n\t}\n\tb = append(b, %s...)\n",
				strconv.Quote(`"`+f.key+`":`))
		}
		if !e.value(body, value, f.v.Type()) {
			return false
		}
		if condition != "" {
			body.WriteString("\t}\n")
		} else {
			separated = true
		}
	}
	body.WriteString("\treturn append(b, '}'), nil\n")
	return true
}

// present returns the condition that a field with omitempty is not empty; "" for types that are never empty.
func (e *encoder) present(value string, t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return value + ` != ""`
		case u.Info()&types.IsBoolean != 0:
			return "bool(" + value + ")"
		case u.Info()&(types.IsInteger|types.IsFloat) != 0:
			return value + " != 0"
		}
	case *types.Pointer, *types.Interface:
		return value + " != nil"
	case *types.Slice, *types.Map:
		return "len(" + value + ") != 0"
	}
	return ""
}

// elements writes the loop over a slice or array, and reports whether the elements can be written.
func (e *encoder) elements(body *strings.Builder, elem types.Type) bool {
	body.WriteString("\tb = append(b, '[')\n\tfor i := range *v {\n\tif i > 0 {\n\tb = append(b, ',')\n\t}\n")
	if !e.value(body, "(*v)[i]", elem) {
		return false
	}
	body.WriteString("\t}\n\treturn append(b, ']'), nil\n")
	return true
}

// entries writes the loop over a map with texts as keys, in their order, and reports whether it is one whose entries
// can be written.
func (e *encoder) entries(body *strings.Builder, u *types.Map) bool {
	if !types.Identical(u.Key(), types.Typ[types.String]) || !flow.Since(e.Pass, e.at.Pos(), "go1.21") {
		return false
	}
	e.texts = true
	fmt.Fprintf(body, "\tif *v == nil {\n\treturn append(b, \"null\"...), nil\n\t}\n"+
		"\tkeys := make([]string, 0, len(*v))\n"+
		"\tfor key := range *v {\n\tkeys = append(keys, key)\n\t}\n\t%[1]s.Sort(keys)\n\tb = append(b, '{')\n"+
		"\tfor i, key := range keys {\n\tif i > 0 {\n\tb = append(b, ',')\n\t}\n"+
		"\tif b, err = %[2]s(b, key); err != nil {\n\treturn nil, err\n\t}\n\tb = append(b, ':')\n\tvalue := (*v)[key]\n",
		e.slices, e.text)
	if !e.value(body, "value", u.Elem()) {
		return false
	}
	body.WriteString("\t}\n\treturn append(b, '}'), nil\n")
	return true
}

// value writes the statements that append a value, and reports whether its type can be written.
func (e *encoder) value(body *strings.Builder, value string, t types.Type) bool {
	if hasMethod(t, "MarshalJSON", "MarshalText") || isNumber(t) {
		return e.other(body, value, t)
	}
	call := func(f, arg string) {
		fmt.Fprintf(body, "\tif b, err = %s(b, %s); err != nil {\n\treturn nil, err\n\t}\n", f, arg)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			e.texts = true
			call(e.text, "string("+value+")")
		case info&types.IsBoolean != 0:
			fmt.Fprintf(body, "\tb = %s.AppendBool(b, bool(%s))\n", e.strconv, value)
		case info&types.IsUnsigned != 0:
			fmt.Fprintf(body, "\tb = %s.AppendUint(b, uint64(%s), 10)\n", e.strconv, value)
		case info&types.IsInteger != 0:
			fmt.Fprintf(body, "\tb = %s.AppendInt(b, int64(%s), 10)\n", e.strconv, value)
		case info&types.IsFloat != 0:
			bits, small := 64, "1e-6"
			if u.Kind() == types.Float32 {
				bits, small = 32, "float64(float32(1e-6))"
			}
			fmt.Fprintf(body, "\tif x := %[1]s.Abs(float64(%[2]s)); x == 0 || x >= %[3]s && x < 1e21 {\n"+
				"\tb = %[4]s.AppendFloat(b, float64(%[2]s), 'f', -1, %[5]d)\n\t} else {\n", e.math, value, small, e.strconv, bits)
			if !e.other(body, value, t) {
				return false
			}
			body.WriteString("\t}\n")
		default:
			return false
		}
		return true
	case *types.Struct, *types.Array:
		f, ok := e.function(t)
		call(f, "&"+value)
		return ok
	case *types.Slice:
		if sites.IsBytes(t) {
			return e.other(body, value, t)
		}
		f, ok := e.function(t)
		if !ok {
			return e.other(body, value, t)
		}
		call(f, "&"+value)
		return true
	case *types.Pointer:
		if hasMethod(u.Elem(), "MarshalJSON", "MarshalText") {
			return e.other(body, value, t)
		}
		if _, isPointer := u.Elem().Underlying().(*types.Pointer); isPointer {
			return e.other(body, value, t)
		}
		fmt.Fprintf(body, "\tif %s == nil {\n\tb = append(b, \"null\"...)\n\t} else {\n", value)
		if _, isStruct := u.Elem().Underlying().(*types.Struct); isStruct {
			f, ok := e.function(u.Elem())
			if ok {
				call(f, value)
			} else if !e.other(body, value, t) {
				return false
			}
		} else if !e.value(body, "(*"+value+")", u.Elem()) {
			return false
		}
		body.WriteString("\t}\n")
		return true
	case *types.Map:
		if addressed(u.Elem()) {
			return e.other(body, value, t)
		}
		f, ok := e.function(t)
		if !ok {
			return e.other(body, value, t)
		}
		call(f, "&"+value)
		return true
	case *types.Interface:
		if !u.Empty() || !flow.Since(e.Pass, e.at.Pos(), "go1.21") {
			return e.other(body, value, t)
		}
		if e.any == "" {
			e.any = e.Names.Fresh("appendAnyJSON")
		}
		call(e.any, value+", 0")
		return true
	}
	return false
}

// addressed reports whether encoding/json may treat a value of a type in another way if it has an address: structs and
// arrays may have fields with methods of pointers.
func addressed(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// other writes the statements that append what encoding/json writes for a value, and reports whether that is the same:
// a value that has no address to encoding/json must not get one.
func (e *encoder) other(body *strings.Builder, value string, t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return false
	}
	for _, method := range []string{"MarshalJSON", "MarshalText"} {
		own, _, _ := types.LookupFieldOrMethod(t, false, nil, method)
		if own == nil && hasMethod(t, method) {
			return false // only a pointer to it has the method
		}
	}
	fmt.Fprintf(body, "\tif more, err := %s.Marshal(%s); err != nil {\n\treturn nil, err\n"+
		"\t} else {\n\tb = append(b, more...)\n\t}\n",
		e.json, value)
	return true
}

// isNumber reports whether a type is json.Number, whose text is written without quotes.
func isNumber(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Number" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "encoding/json"
}
