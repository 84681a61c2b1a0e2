package codecs

import (
	"fmt"
	"go/ast"
	"go/token"
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

// decodeGenerator reads the JSON of a struct, field by field.
func decodeGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "jsondecode", Title: "JSON decoded by reflection",
		Why: "code that is written for the type reads the text once; it leaves texts that it does not understand, and " +
			"values that are not empty at first, to encoding/json",
		Assumes: "most texts have keys that are spelled as the fields, and strings without escapes",
		Kinds: []diagnosis.Kind{
			diagnosis.Encoding, diagnosis.Reflection, diagnosis.Allocation, diagnosis.Escape, diagnosis.Copying,
			diagnosis.SliceGrowth,
		},
		Propose: eachCall((*site).decoded, "encoding/json.Unmarshal", "(*encoding/json.Decoder).Decode"),
	}
}

// A decoder writes the functions of a candidate.
type decoder struct {
	*site
	at      ast.Node
	json    string // names of packages
	utf8    string
	strconv string
	strings string
	uses    map[string]string // names of the functions that read parts of a text, by what they read
	declared
	code []string // of functions
}

// decoded declares functions that read the JSON of a type, and calls them.
func (s *site) decoded(_ inspector.Cursor, call *ast.CallExpr) (p proposal, ok bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return p, false
	}
	var of *ast.CallExpr // json.NewDecoder(r)
	to := call.Args[len(call.Args)-1]
	if sel.Sel.Name == "Decode" {
		if of = s.receiverOf(call, "encoding/json.NewDecoder"); of == nil {
			return p, false
		}
	} else if len(call.Args) != 2 {
		return p, false
	}
	address, ok := ast.Unparen(to).(*ast.UnaryExpr)
	if !ok || address.Op != token.AND || s.SideEffects(address.X) {
		return p, false
	}
	t := s.Pass.TypesInfo.TypeOf(address.X)
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), t)
	if !ok || !s.readable(t) || !rewrite.Universe(s.Pass, "append", "any", "error", "byte", "string", "nil", "len", "int",
		"int64", "uint64", "float64", "bool", "true", "false") {
		return p, false
	}
	d := &decoder{site: s, at: call, uses: map[string]string{}}
	edits, ok := s.imported(call, "encoding/json", &d.json)
	needed := map[string][]analysis.TextEdit{}
	for _, one := range []struct {
		path string
		name *string
	}{{"unicode/utf8", &d.utf8}, {"strconv", &d.strconv}, {"strings", &d.strings}} {
		more, imported := s.imported(call, one.path, one.name)
		ok = ok && imported
		needed[*one.name] = more
	}
	if !ok {
		return p, false
	}
	reads, ok := d.function(t)
	if !ok {
		return p, false
	}
	name := s.Names.Fresh("unmarshal" + nameOf(t))
	code := fmt.Sprintf(unmarshal, name, typ, d.json, reads, d.part("space"))
	replaced := rewrite.Replace(call.Fun, name)
	if of != nil {
		io, bytes := "", ""
		more1, ok1 := s.imported(call, "io", &io)
		more2, ok2 := s.imported(call, "bytes", &bytes)
		if !ok1 || !ok2 {
			return p, false
		}
		edits = append(append(edits, more1...), more2...)
		decode := s.Names.Fresh("decode" + nameOf(t))
		code = fmt.Sprintf(decodeReader, decode, typ, d.json, reads, d.part("space"), io, bytes)
		replaced = rewrite.Replace(call, fmt.Sprintf("%s(%s, %s)", decode, s.Text(of.Args[0]), s.Text(to)))
	}
	all := append([]string{code}, d.code...)
	for _, name := range []string{
		"space", "quoted", "text", "integer", "natural", "number", "truth", "anything", "other", "end",
	} {
		if d.uses[name] != "" {
			all = append(all, d.written(name))
		}
	}
	text := strings.Join(all, "\n\n")
	if !flow.Since(s.Pass, call.Pos(), "go1.18") {
		text = withoutAny(text)
	}
	for _, pkg := range []string{d.utf8, d.strconv, d.strings} {
		if strings.Contains(text, pkg+".") {
			edits = append(edits, needed[pkg]...)
		}
	}
	declared, ok := rewrite.Declare(s.Pass, call.Pos(), text)
	if !ok {
		return p, false
	}
	p.Message = "Decode " + typ + " without reflection"
	p.Edits = append(edits, declared, replaced)
	return p, true
}

// withoutAny writes any as Go 1.17 does, in code.
func withoutAny(source string) string {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			lines[i] = strings.NewReplacer("]any", "]interface{}", " any", " interface{}").Replace(line)
		}
	}
	return strings.Join(lines, "\n")
}

// unmarshal is declared for Unmarshal: its name, the type, encoding/json, and the functions that read the type and
// skip space.
const unmarshal = `// %[1]s does what %[3]s.Unmarshal does.
func %[1]s(data []byte, v *%[2]s) error {
	value := *v
	if i := %[4]s(data, %[5]s(data, 0), &value); i >= 0 && %[5]s(data, i) == len(data) {
		*v = value
		return nil
	}
	return %[3]s.Unmarshal(data, v)
}`

// decodeReader is declared for the first Decode of a Decoder, which reads one value: as unmarshal, and io and bytes.
const decodeReader = `// %[1]s reads what a new Decoder reads first.
func %[1]s(r %[6]s.Reader, v *%[2]s) error {
	data, err := %[6]s.ReadAll(r)
	if err == nil {
		value := *v
		if i := %[4]s(data, %[5]s(data, 0), &value); i >= 0 && %[5]s(data, i) == len(data) {
			*v = value
			return nil
		}
	}
	return %[3]s.NewDecoder(%[6]s.MultiReader(%[7]s.NewReader(data), r)).Decode(v)
}`

// part returns the name of a function that reads a part of a text, and declares it.
func (d *decoder) part(what string) string {
	if d.uses[what] == "" {
		d.uses[what] = d.Names.Fresh("json" + strings.ToUpper(what[:1]) + what[1:])
		switch what {
		case "text":
			d.part("quoted")
		case "other":
			d.part("end")
		case "integer":
			d.part("natural")
		case "anything":
			d.part("space")
			d.part("quoted")
			d.part("number")
			d.part("truth")
			d.part("other")
		}
	}
	return d.uses[what]
}

// written returns the source of a function that reads a part of a text.
func (d *decoder) written(what string) string {
	source, inner, pkg := spacePart, "", ""
	switch what {
	case "quoted":
		source, pkg = quotedPart, d.utf8
	case "text":
		source, inner = textPart, d.uses["quoted"]
	case "natural":
		source = naturalPart
	case "integer":
		source, inner = integerPart, d.uses["natural"]
	case "number":
		source, pkg = numberPart, d.strconv
	case "truth":
		source = truthPart
	case "end":
		source = endPart
	case "other":
		source, inner, pkg = otherPart, d.uses["end"], d.json
	case "anything":
		source = anythingPart
		for name, use := range d.uses {
			source = strings.ReplaceAll(source, "%["+name+"]", use)
		}
	}
	source = strings.ReplaceAll(source, "%[1]s", d.uses[what])
	source = strings.ReplaceAll(source, "%[2]s", inner)
	return strings.ReplaceAll(source, "%[3]s", pkg)
}

// function returns the name of the function that reads a struct, slice or map, which it declares.
func (d *decoder) function(t types.Type) (name string, ok bool) {
	return d.declare(d.site, d.at, t, "read", func(name, typ string) bool { return d.write(t, name, typ) })
}

// write writes the function of a type, and reports whether there is one.
func (d *decoder) write(t types.Type, name, typ string) bool {
	body, ok := "", false
	switch u := t.Underlying().(type) {
	case *types.Struct:
		body, ok = d.members(u)
	case *types.Slice:
		body, ok = d.elements(typ, u.Elem())
	case *types.Map:
		body, ok = d.entries(typ, u)
	}
	if !ok {
		return false
	}
	d.code = append(d.code, fmt.Sprintf(
		"// %[1]s reads JSON into v. It returns the position after it; -1 if it does not understand it.\n"+
			"func %[1]s(data []byte, i int, v *%[2]s) int {\n%[3]s}", name, typ, body))
	return true
}

// members returns the statements that read a struct. A key that is only spelled in another way is not understood.
func (d *decoder) members(u *types.Struct) (string, bool) {
	list, ok := fields(u)
	if !ok {
		return "", false
	}
	space := d.part("space")
	var body strings.Builder
	fmt.Fprintf(&body, "\tif i >= len(data) || data[i] != '{' {\n\treturn -1\n\t}\n\ti = %[1]s(data, i+1)\n"+
		"\tif i < len(data) && data[i] == '}' {\n\treturn i + 1\n\t}\n\tfor {\n\tkey, end := %[2]s(data, i)\n"+
		"\tif end < 0 {\n\treturn -1\n\t}\n\ti = %[1]s(data, end)\n"+
		"\tif i >= len(data) || data[i] != ':' {\n\treturn -1\n\t}\n"+
		"\ti = %[1]s(data, i+1)\n\tswitch string(key) {\n", space, d.part("quoted"))
	var keys []string
	for _, f := range list {
		fmt.Fprintf(&body, "\tcase %q:\n", f.key)
		if !d.value(&body, "v."+f.v.Name(), f.v.Type()) {
			return "", false
		}
		keys = append(keys, strconv.Quote(f.key))
	}
	fmt.Fprintf(&body, "\tdefault:\n\tfor _, known := range [...]string{%[1]s} {\n"+
		"\tif %[2]s.EqualFold(known, string(key)) {\n\treturn -1\n\t}\n\t}\n\tend := %[3]s(data, i)\n"+
		"\tif end < 0 || end > len(data) || !%[4]s.Valid(data[i:end]) {\n\treturn -1\n\t}\n\ti = end\n\t}\n",
		strings.Join(keys, ", "), d.strings, d.part("end"), d.json)
	fmt.Fprintf(&body, "\tif i < 0 {\n\treturn -1\n\t}\n\ti = %[1]s(data, i)\n\tif i >= len(data) {\n\treturn -1\n\t}\n"+
		"\tif data[i] == '}' {\n\treturn i + 1\n\t}\n\tif data[i] != ',' {\n\treturn -1\n\t}\n"+
		"\ti = %[1]s(data, i+1)\n\t}\n", space)
	return body.String(), true
}

// elements returns the statements that read a slice, which must be nil.
func (d *decoder) elements(typ string, elem types.Type) (string, bool) {
	space := d.part("space")
	element, ok := rewrite.TypeText(d.Pass, d.at.Pos(), elem)
	if !ok {
		return "", false
	}
	var body strings.Builder
	fmt.Fprintf(&body, "\tif *v != nil || i >= len(data) || data[i] != '[' {\n\treturn -1\n\t}\n\tlist := %[1]s{}\n"+
		"\ti = %[2]s(data, i+1)\n\tif i < len(data) && data[i] == ']' {\n\t*v = list\n\treturn i + 1\n\t}\n"+
		"\tfor {\n\tvar x %[3]s\n", typ, space, element)
	if !d.value(&body, "x", elem) {
		return "", false
	}
	fmt.Fprintf(&body, "\tif i < 0 {\n\treturn -1\n\t}\n\tlist = append(list, x)\n\ti = %[1]s(data, i)\n"+
		"\tif i >= len(data) {\n\treturn -1\n\t}\n\tif data[i] == ']' {\n\t*v = list\n\treturn i + 1\n\t}\n"+
		"\tif data[i] != ',' {\n\treturn -1\n\t}\n\ti = %[1]s(data, i+1)\n\t}\n", space)
	return body.String(), true
}

// entries returns the statements that read a map with texts as keys, which must be nil.
func (d *decoder) entries(typ string, u *types.Map) (string, bool) {
	element, ok := rewrite.TypeText(d.Pass, d.at.Pos(), u.Elem())
	if !ok || !types.Identical(u.Key(), types.Typ[types.String]) {
		return "", false
	}
	space := d.part("space")
	var body strings.Builder
	fmt.Fprintf(&body, "\tif *v != nil || i >= len(data) || data[i] != '{' {\n\treturn -1\n\t}\n\tm := %[1]s{}\n"+
		"\ti = %[2]s(data, i+1)\n\tif i < len(data) && data[i] == '}' {\n\t*v = m\n\treturn i + 1\n\t}\n\tfor {\n"+
		"\tkey, end := %[3]s(data, i)\n\tif end < 0 {\n\treturn -1\n\t}\n\ti = %[2]s(data, end)\n"+
		"\tif i >= len(data) || data[i] != ':' {\n\treturn -1\n\t}\n\ti = %[2]s(data, i+1)\n\tvar x %[4]s\n",
		typ, space, d.part("quoted"), element)
	if !d.value(&body, "x", u.Elem()) {
		return "", false
	}
	fmt.Fprintf(&body, "\tif i < 0 {\n\treturn -1\n\t}\n\tm[string(key)] = x\n\ti = %[1]s(data, i)\n"+
		"\tif i >= len(data) {\n\treturn -1\n\t}\n\tif data[i] == '}' {\n\t*v = m\n\treturn i + 1\n\t}\n"+
		"\tif data[i] != ',' {\n\treturn -1\n\t}\n\ti = %[1]s(data, i+1)\n\t}\n", space)
	return body.String(), true
}

// readable reports whether a type is a struct, a slice, or a map with texts as keys.
func (s *site) readable(t types.Type) bool {
	if u, ok := t.Underlying().(*types.Map); ok {
		return !hasMethod(t, "UnmarshalJSON", "UnmarshalText") && types.Identical(u.Key(), types.Typ[types.String])
	}
	return s.structured(t)
}

// value writes the statements that read a value at i, and set i to the position after it, or to -1. It reports whether
// the type can be read.
func (d *decoder) value(body *strings.Builder, value string, t types.Type) bool {
	if hasMethod(t, "UnmarshalJSON", "UnmarshalText") || isNumber(t) {
		return d.other(body, value, t)
	}
	read := func(what, more, condition string) bool {
		typ, ok := rewrite.TypeText(d.Pass, d.at.Pos(), t)
		if !ok {
			return false
		}
		if condition != "" {
			condition = " && " + fmt.Sprintf(condition, typ)
		}
		fmt.Fprintf(body, "\tif got, end := %s(data, i%s); end >= 0%s {\n\t%s, i = %s(got), end\n"+
			"\t} else {\n\ti = %s(data, i, &%s)\n\t}\n",
			d.part(what), more, condition, value, typ, d.part("other"), value)
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			return read("text", "", "")
		case info&types.IsBoolean != 0:
			return read("truth", "", "")
		case info&types.IsUnsigned != 0:
			return read("natural", "", "uint64(%s(got)) == got")
		case info&types.IsInteger != 0:
			return read("integer", "", "int64(%s(got)) == got")
		case u.Kind() == types.Float32:
			return read("number", ", 32", "")
		case u.Kind() == types.Float64:
			return read("number", ", 64", "")
		}
		return false
	case *types.Struct:
		f, ok := d.function(t)
		fmt.Fprintf(body, "\ti = %s(data, i, &%s)\n", f, value)
		return ok
	case *types.Slice:
		if sites.IsBytes(t) {
			return d.other(body, value, t)
		}
		f, ok := d.function(t)
		if !ok {
			return d.other(body, value, t)
		}
		fmt.Fprintf(body, "\ti = %s(data, i, &%s)\n", f, value)
		return true
	case *types.Pointer:
		if _, isStruct := u.Elem().Underlying().(*types.Struct); !isStruct || hasMethod(t, "UnmarshalJSON", "UnmarshalText") {
			return d.other(body, value, t)
		}
		typ, ok1 := rewrite.TypeText(d.Pass, d.at.Pos(), u.Elem())
		f, ok2 := d.function(u.Elem())
		if !ok1 || !ok2 {
			return d.other(body, value, t)
		}
		fmt.Fprintf(body, "\tif %[1]s != nil {\n\treturn -1\n\t}\n\t%[1]s = new(%[2]s)\n\ti = %[3]s(data, i, %[1]s)\n",
			value, typ, f)
		return true
	case *types.Map:
		f, ok := d.function(t)
		if !ok {
			return d.other(body, value, t)
		}
		fmt.Fprintf(body, "\ti = %s(data, i, &%s)\n", f, value)
		return true
	case *types.Interface:
		if !u.Empty() || !types.Identical(u, t) && !types.Identical(types.Unalias(t), types.Universe.Lookup("any").Type()) {
			return d.other(body, value, t)
		}
		fmt.Fprintf(body, "\tif %[1]s != nil {\n\treturn -1\n\t}\n\t%[1]s, i = %[2]s(data, i, 0)\n",
			value, d.part("anything"))
		return true
	case *types.Array:
		return d.other(body, value, t)
	}
	return false
}

// other writes the statements that let encoding/json read a value, and reports whether they do. What would be changed
// in place must be empty: the text may be wrong further on.
func (d *decoder) other(body *strings.Builder, value string, t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Interface, *types.Pointer, *types.Slice:
		fmt.Fprintf(body, "\tif %s != nil {\n\treturn -1\n\t}\n", value)
	}
	fmt.Fprintf(body, "\ti = %s(data, i, &%s)\n", d.part("other"), value)
	return true
}
