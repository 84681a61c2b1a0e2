package makers

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A role is what the calls of a made function are to the code that makes them.
type role int

const (
	effect role = iota // what the code does: which calls, and in which order, can be seen
	answer             // a question: the same arguments get the same answer
	less               // a question: a strict weak order of its two arguments
	order              // a question: the same as a negative number, 0, or a positive one
	equal              // a question: an equivalence of its two arguments
	hash               // a question: values that are equal have the same answer
)

// roleOf returns the role of a function or method, which has a name, "" if it has none. A function is a question if
// it has arguments, and results that are nothing but values: booleans, numbers, texts, and structs and arrays of
// these. It is an effect if it takes something that it can act on: a writer, a context, a channel, a function. So is
// one whose name says that others tell it something: a visitor, or yield.
func roleOf(sig *types.Signature, name string) role {
	in, out := sig.Params(), sig.Results()
	if in.Len() == 0 || out.Len() == 0 || toldSomething(name) {
		return effect
	}
	for r := range out.Variables() {
		if !isValue(r.Type()) {
			return effect
		}
	}
	for p := range in.Variables() {
		if acts(p.Type()) {
			return effect
		}
	}
	b, isBasic := out.At(0).Type().Underlying().(*types.Basic)
	if !isBasic || out.Len() > 1 || sig.Variadic() {
		return answer
	}
	info := b.Info()
	isSigned := info&types.IsInteger != 0 && info&types.IsUnsigned == 0
	if in.Len() == 2 && types.Identical(in.At(0).Type(), in.At(1).Type()) {
		switch sameAsResult := types.Identical(in.At(0).Type(), out.At(0).Type()); {
		case info&types.IsBoolean != 0 && has(name, "eq", "equal", "equiv", "same", "match", "ident", "dup"):
			return equal
		case info&types.IsBoolean != 0:
			return less
		case isSigned && (!sameAsResult || has(name, "cmp", "comp", "order", "sort", "less")):
			return order
		}
		return answer
	}
	if in.Len() == 1 && (info&types.IsUnsigned != 0 || info&types.IsInteger != 0 && has(name, "hash")) {
		return hash
	}
	return answer
}

// toldSomething reports whether a name is one of functions that are called for what they do.
func toldSomething(name string) bool {
	return has(name, "yield", "visit", "walk", "iter", "handle", "callback", "cb", "each", "emit", "on", "do", "sink",
		"observe", "notify", "consume", "send", "publish", "report", "log")
}

// has reports whether one of the words of a name in camel case begins with one of the beginnings; those of two letters
// are whole words.
func has(name string, beginnings ...string) bool {
	var words []string
	from := 0
	runes := []rune(name)
	for i := range runes {
		if i > from && unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
			words, from = append(words, string(runes[from:i])), i
		}
	}
	for _, word := range append(words, string(runes[from:])) {
		word = strings.ToLower(word)
		if slices.ContainsFunc(beginnings, func(b string) bool {
			return word == b || len(b) > 2 && strings.HasPrefix(word, b)
		}) {
			return true
		}
	}
	return false
}

// isValue reports whether values of a type consist of booleans, numbers and texts.
func isValue(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return isValue(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isValue(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// acts reports whether a function can act on an argument of a type, as far as the type shows.
func acts(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	case *types.Interface:
		for m := range u.Methods() {
			switch m.Name() {
			case "Write", "WriteString", "Done":
				return true
			}
		}
	}
	return false
}

// label returns the name of a type; "" if it has none.
func label(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// makerFor is maker for a parameter or a field with a name: it says what a function is for.
func (g *Generator) makerFor(name string, t types.Type, depth int) (maker, why string) {
	t = types.Unalias(t)
	sig, ok := t.Underlying().(*types.Signature)
	if _, _, known := known(types.TypeString(t, nil)); !ok || known || name == "" || name == "_" {
		return g.maker(t, depth)
	}
	if toldSomething(label(t)) {
		name = label(t)
	}
	return g.keyed(name+" "+types.TypeString(t, nil), t, depth, func() (text, why string) {
		return g.function(sig, name, depth)
	})
}

// Sink returns the name of the function that makes functions of a type that others tell something: their calls
// are effects.
func (g *Generator) Sink(t types.Type) (maker, why string) { return g.makerFor("yield", t, 0) }

// function makes a function. Its answers are made up; a sequence has a few values.
func (g *Generator) function(sig *types.Signature, name string, depth int) (text, why string) {
	if sig.TypeParams().Len() > 0 {
		return "", "it is a generic function"
	}
	if yield := yields(sig); yield != nil {
		return g.sequence(sig, yield, name, depth)
	}
	a := answerer{label: name, role: roleOf(sig, name), asked: "whetF"}
	head, fields, body, why := g.answering(sig, a, depth)
	if why != "" {
		return "", why
	}
	if fields != "" {
		fields = "var x struct {\ndrawn bool\nat int\n" + fields + "}\n" +
			"if s.Size > 0 {\ns.Reset = append(s.Reset, func() { x.at = 0 })\n}\n"
	}
	if a.role != effect {
		fields += "whetF := " + asking(sig, name) + "\n"
	}
	return fmt.Sprintf("%sreturn func%s {\n%s\t}\n", fields, head, body), ""
}

// asking returns the code of the *whetlib.Func of a function with a name, "" if it has none.
func asking(sig *types.Signature, name string) string {
	if name == "" {
		name = "its " + TypeText(sig)
	}
	return fmt.Sprintf("s.Function(%q)", name)
}

// yields returns the function that a function calls with each value if it is a sequence, as iter.Seq and iter.Seq2 are;
// nil if it is none.
func yields(sig *types.Signature) *types.Signature {
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 {
		return nil
	}
	yield, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	if !ok || yield.Variadic() || yield.Params().Len() > 2 || yield.Results().Len() != 1 ||
		!types.Identical(yield.Results().At(0).Type(), types.Typ[types.Bool]) {
		return nil
	}
	return yield
}

// sequence makes a sequence of a few values. How many the code takes is a question: it may take fewer.
func (g *Generator) sequence(sig, yield *types.Signature, name string, depth int) (text, why string) {
	var fields, fill, args strings.Builder
	for i := range yield.Params().Len() {
		t := yield.Params().At(i).Type()
		m, why := g.maker(t, depth+1)
		if why != "" {
			return "", "a value of a sequence: " + why
		}
		fmt.Fprintf(&fields, "v%d %s\n", i, g.typeString(t))
		fmt.Fprintf(&fill, "list[i].v%d = %s(s)\n", i, m)
		fmt.Fprintf(&args, "x.v%d, ", i)
	}
	return fmt.Sprintf("whetF := %s\nn := s.Length()\nif n < 0 {\nn = 0\n}\n"+
		"list := make([]struct {\n%s}, n)\nfor i := range list {\n%s}\nreturn func(yield %s) {\n"+
		"for i, x := range list {\nif s.Size == 0 {\nwhetF.Question(i)\n}\nif !yield(%s) {\nreturn\n}\n}\n"+
		"if s.Size == 0 {\nwhetF.Question(n)\n}\n}\n",
		asking(sig, name), fields.String(), fill.String(), g.typeString(sig.Params().At(0).Type()),
		strings.TrimSuffix(args.String(), ", ")), ""
}

// draws is the number of values that a function or method of a benchmark's input returns in turn: code that calls
// it in a loop until it returns another one comes to an end.
const draws = 4

// An answerer is a function or method that answering writes.
type answerer struct {
	label  string
	role   role
	method bool   // what is recorded begins with its name
	prefix string // of fields of x
	asked  string // the *whetFunc, if it is a question
}

// answering returns the code of a function: its parameters and results, the fields of x that hold the results of a
// benchmark, and its body. An effect records its arguments and returns random values; a question returns what
// its arguments decide. In a benchmark, where s is typical, a few values are drawn, which come in turn, and nothing is
// recorded.
func (g *Generator) answering(
	sig *types.Signature, a answerer, depth int,
) (head, fields, body, why string) {
	var params, args []string
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		p := "p" + strconv.Itoa(i)
		if sl, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			params = append(params, p+" ..."+g.typeString(sl.Elem()))
		} else {
			params = append(params, p+" "+g.typeString(t))
		}
		args = append(args, p)
	}
	var results, made, last, values []string
	var draw, hold strings.Builder
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		m, why := g.maker(t, depth+1)
		if why != "" {
			return "", "", "", "a function's result: " + why
		}
		field := a.prefix + "r" + strconv.Itoa(i)
		results = append(results, g.typeString(t))
		made = append(made, m+"(s)")
		last = append(last, g.lastOf(t))
		values = append(values, "x."+field+"[i]")
		fmt.Fprintf(&hold, "%s [%d]%s\n", field, draws, g.typeString(t))
		fmt.Fprintf(&draw, "x.%s[i] = %s(s)\n", field, m)
	}
	head = "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
	all := strings.Join(args, ", ")
	answers := "return " + strings.Join(made, ", ") + "\n"
	switch a.role {
	case effect:
		if a.method {
			all = strings.Join(append([]string{strconv.Quote(a.label)}, args...), ", ")
		}
		if len(made) > 0 {
			answers = "if s.Tired() {\nreturn " + strings.Join(last, ", ") + "\n}\n" + answers
		}
		answers = "s.Called(" + all + ")\n" + answers
	case answer:
		answers = "s := " + a.asked + ".Asked(" + all + ")\n" + answers
	case hash:
		answers = "s := " + a.asked + ".Hashed(" + all + ")\n" + answers
	case less, order, equal:
		call := map[role]string{less: "Less", order: "Order", equal: "Equal"}[a.role]
		answers = fmt.Sprintf("return %s(%s.%s(%s))\n", results[0], a.asked, call, all)
	}
	if len(values) == 0 {
		return head, "", "if s.Size == 0 {\n" + strings.TrimSuffix(answers, "return \n") + "}\n", ""
	}
	body = fmt.Sprintf("if s.Size == 0 {\n%[1]s}\nfor i := 0; i < %[2]d && !x.%[3]sdrawn; i++ {\n%[4]s}\n"+
		"x.%[3]sdrawn = true\ni := x.%[3]sat %% %[2]d\nx.%[3]sat++\nreturn %[5]s\n", answers, draws, a.prefix,
		draw.String(), strings.Join(values, ", "))
	return head, hold.String(), body, ""
}

// lastOf returns the code of what a function returns that was called very often: a loop may wait for it.
func (g *Generator) lastOf(t types.Type) string {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		return g.typeString(t) + "(s.LastBool())"
	}
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return "s.LastError()"
	}
	return "*new(" + g.typeString(t) + ")"
}
