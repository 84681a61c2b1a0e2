package support

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a copied call.
const (
	maxDepth = 10
	maxItems = 256      // of a container
	maxText  = 4 << 10  // bytes of a text
	maxLook  = 8 << 10  // bytes of a text that are searched for secrets
	maxNodes = 2000     // values in a call
	maxBytes = 32 << 10 // of all texts of a call
)

// Reasons why something is not copied.
const (
	whyLimit = "limit reached"
	whyCycle = "a cycle"
)

// A copier copies the values of one call. It keeps no reference to the program's memory: values may be on the stack
// of the goroutine that calls it, which moves when it grows.
type copier struct {
	redactor *Redactor
	names    map[string]bool // whether names are those of secrets, as far as known
	nodes    int
	bytes    int
	within   []uintptr // pointers on the way to the value, as numbers
}

func omitted(why string) Value { return Value{Kind: KindOmitted, Why: why} }

// top copies an argument or a result with a name.
func (c *copier) top(name string, v reflect.Value, plan *Plan) Value {
	if !v.IsValid() {
		return Value{Kind: KindNil}
	}
	if plan != nil && plan.Types != nil { // the argument is an interface, of which reflection has only the value
		plan = plan.held(v.Type())
	}
	out := c.named(name, v, place{plan: plan})
	if out.Kind != KindOmitted || out.Type == "" {
		out.Type = v.Type().String()
	}
	return out
}

// A place is where a value is: what may be read of it, how deep it is, and whether other goroutines may write it.
type place struct {
	plan   *Plan
	depth  int
	shared bool
}

// private reports whether the words of the value may be read.
func (p place) private() bool { return !p.shared || p.plan.self() }

// field is the place of a field.
func (p place) field(name string) place {
	return place{p.plan.field(name), p.depth + 1, !p.private()}
}

// element is the place of an element of an array.
func (p place) element() place { return place{p.plan.elem(), p.depth + 1, !p.private()} }

// behind is the place of what a pointer or a slice refers to.
func (p place) behind() place { return place{p.plan.elem(), p.depth + 1, true} }

// named copies a value with a name, which may be that of a secret.
func (c *copier) named(name string, v reflect.Value, at place) Value {
	if at.private() && c.isSecret(name) && v.Kind() != reflect.Bool && !isEmpty(v) {
		return c.secret(v, c.redactor.shown(name))
	}
	return c.value(v, at)
}

// isSecret reports whether a name is that of a secret.
func (c *copier) isSecret(name string) bool {
	secret, known := c.names[name]
	if !known {
		if c.names == nil {
			c.names = map[string]bool{}
		}
		secret = c.redactor.name(name)
		c.names[name] = secret
	}
	return secret
}

// isEmpty reports whether a text, list or pointer has no content that may be secret.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}

// secret stands for a value that is not copied. The length of a text is kept.
func (c *copier) secret(v reflect.Value, what string) Value {
	out := Value{Kind: KindOmitted, Why: Redacted + what}
	switch {
	case v.Kind() == reflect.String:
		out.Kind, out.Len = KindString, v.Len()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		out.Kind, out.Len = KindBytes, v.Len()
	}
	return out
}

// value copies a value. What it refers to is copied as far as the plan allows.
func (c *copier) value(v reflect.Value, at place) Value {
	c.nodes++
	if at.depth > maxDepth || c.nodes > maxNodes || c.bytes > maxBytes {
		return omitted(whyLimit)
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[reflect.Value]() {
			return c.reflected(v, at)
		}
		return c.structure(v, at)
	case reflect.Array:
		out := Value{Kind: KindArray, Len: v.Len()}
		if !at.private() && !at.plan.whole() {
			out.Why = Unread
			return out
		}
		return c.items(out, v, at.element())
	}
	if !at.private() {
		return omitted(Unread)
	}
	switch v.Kind() {
	case reflect.Bool:
		return Value{Kind: KindBool, Text: strconv.FormatBool(v.Bool())}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return c.number(Value{Kind: KindInt, Text: strconv.FormatInt(v.Int(), 10)})
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return c.number(Value{Kind: KindUint, Text: strconv.FormatUint(v.Uint(), 10)})
	case reflect.Float32, reflect.Float64:
		return Value{Kind: KindFloat, Text: strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())}
	case reflect.Complex64, reflect.Complex128:
		return Value{Kind: KindComplex, Text: strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())}
	case reflect.String:
		return c.text(v)
	case reflect.Slice:
		return c.slice(v, at)
	case reflect.Map:
		return c.mapping(v, at)
	case reflect.Pointer:
		return c.pointer(v, at)
	case reflect.Interface:
		if v.IsNil() {
			return Value{Kind: KindNil}
		}
		in := v.Elem() // never written: a box is made for each value
		out := Value{Kind: KindInterface, Type: in.Type().String()}
		out.Items = []Value{c.value(in, place{plan: at.plan.held(in.Type()), depth: at.depth + 1})}
		return out
	case reflect.Func:
		return c.unlike(v, "a function")
	case reflect.Chan:
		out := c.unlike(v, "a channel")
		if out.Kind == KindOmitted {
			out.Why += " with capacity " + strconv.Itoa(v.Cap())
		}
		return out
	default:
		return omitted("a value of kind " + v.Kind().String())
	}
}

// unlike names what cannot be copied; nil can.
func (c *copier) unlike(v reflect.Value, why string) Value {
	if v.IsNil() {
		return Value{Kind: KindNil}
	}
	return omitted(why)
}

// number leaves out a number that is a card's.
func (c *copier) number(v Value) Value {
	if len(v.Text) >= 13 && c.redactor.text(v.Text) != "" {
		return omitted(Redacted + "card number")
	}
	return v
}

// text copies a string, or its beginning.
func (c *copier) text(v reflect.Value) Value {
	n := v.Len()
	return c.checked(Value{Kind: KindString, Len: n}, strings.Clone(v.String()[:min(n, maxLook)]))
}

// checked sets the text of a value, unless it looks like a secret. look is the text, or its beginning.
func (c *copier) checked(out Value, look string) Value {
	if what := c.redactor.text(look); what != "" {
		out.Why = Redacted + what
		return out
	}
	if len(look) > maxText {
		look = look[:maxText]
		for len(look) > 0 && !utf8.RuneStart(look[len(look)-1]) { // no half of a rune
			look = look[:len(look)-1]
		}
	}
	c.bytes += len(look)
	if utf8.ValidString(look) {
		out.Text = look
	} else {
		out.Data = []byte(look)
	}
	return out
}

// slice copies the elements that the plan allows.
func (c *copier) slice(v reflect.Value, at place) Value {
	if v.IsNil() {
		return Value{Kind: KindNil}
	}
	out := Value{Kind: KindSlice, Len: v.Len()}
	isBytes := v.Type().Elem().Kind() == reflect.Uint8
	if isBytes {
		out.Kind = KindBytes
	}
	switch {
	case v.Len() == 0:
		return out
	case !at.plan.whole() || isBytes && !at.plan.elem().self():
		out.Why = Unread
		return out
	case isBytes:
		return c.checked(out, string(v.Bytes()[:min(v.Len(), maxLook)]))
	}
	return c.items(out, v, at.behind())
}

// items copies the elements of a slice or an array.
func (c *copier) items(out Value, v reflect.Value, elem place) Value {
	secret := false // the element follows the name of a secret, as in a command line
	for i := 0; i < v.Len(); i++ {
		if i == maxItems || c.nodes > maxNodes || c.bytes > maxBytes {
			out.Why = whyLimit
			break
		}
		item := v.Index(i)
		if secret {
			out.Items = append(out.Items, c.secret(item, "element after a name"))
		} else {
			out.Items = append(out.Items, c.value(item, elem))
		}
		secret = !secret && elem.private() && c.isName(item)
	}
	return out
}

// isName reports whether a value is a text that names a secret.
func (c *copier) isName(v reflect.Value) bool {
	return v.Kind() == reflect.String && v.Len() < 64 && c.isSecret(strings.Clone(v.String()))
}

// mapping copies the entries of a map, which the plan must allow: iterating over a map that another goroutine writes
// ends the process.
func (c *copier) mapping(v reflect.Value, at place) Value {
	switch {
	case v.IsNil():
		return Value{Kind: KindNil}
	case !at.plan.whole():
		return Value{Kind: KindMap, Why: Unread} // nor its length, which is written when it grows
	}
	out := Value{Kind: KindMap, Len: v.Len()}
	iter := v.MapRange()
	for n := 0; iter.Next(); n++ {
		if n == maxItems || c.nodes > maxNodes || c.bytes > maxBytes {
			out.Why = whyLimit
			break
		}
		key := c.value(iter.Key(), place{depth: at.depth + 1})
		name := ""
		if iter.Key().Kind() == reflect.String {
			name = strings.Clone(iter.Key().String())
		}
		out.Items = append(out.Items, key, c.named(name, iter.Value(), place{plan: at.plan.elem(), depth: at.depth + 1}))
	}
	return out
}

// structure copies the fields of a struct.
func (c *copier) structure(v reflect.Value, at place) Value {
	out := Value{Kind: KindStruct}
	t := v.Type()
	secret := false // the field Value of a struct whose field Name is that of a secret
	for i := 0; i < v.NumField(); i++ {
		f, name := v.Field(i), t.Field(i).Name
		in := at.field(name)
		switch lower := strings.ToLower(name); {
		case isSynchronization(f.Type()):
			out.Fields = append(out.Fields, Field{name, omitted("a value of " + f.Type().String())})
			continue
		case secret && in.private() && (lower == "value" || lower == "values" || lower == "val"):
			out.Fields = append(out.Fields, Field{name, c.secret(f, "value of a named secret")})
			continue
		case in.private() && (lower == "name" || lower == "key" || lower == "header"):
			secret = secret || c.isName(f)
		}
		out.Fields = append(out.Fields, Field{name, c.named(name, f, in)})
	}
	return out
}

// reflected copies what a reflect.Value holds. A type with methods may be one whose methods the function calls, which
// may synchronize; and what a pointer refers to may be read later.
func (c *copier) reflected(v reflect.Value, at place) Value {
	if !at.private() || !at.plan.elem().self() || !v.CanInterface() {
		return omitted(Unread)
	}
	in, _ := v.Interface().(reflect.Value)
	for in.IsValid() && in.Kind() == reflect.Interface {
		in = in.Elem()
	}
	if !in.IsValid() {
		return Value{Kind: KindReflected, Items: []Value{{Kind: KindNil}}}
	}
	out := Value{Kind: KindReflected, Type: in.Type().String()}
	if in.NumMethod() > 0 || in.Kind() == reflect.Pointer {
		out.Why = Unread
		return out
	}
	out.Items = []Value{c.value(in, place{plan: at.plan.elem(), depth: at.depth + 1, shared: true})}
	return out
}

// isSynchronization reports whether values of a type are for synchronizing goroutines.
func isSynchronization(t reflect.Type) bool {
	return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic"
}

// pointer copies what a pointer refers to, as far as the plan allows.
func (c *copier) pointer(v reflect.Value, at place) Value {
	if v.IsNil() {
		return Value{Kind: KindNil}
	}
	out := Value{Kind: KindPointer}
	to := v.Pointer()
	for _, p := range c.within {
		if p == to {
			out.Why = whyCycle
			return out
		}
	}
	if at.plan.elem() == nil {
		out.Why = Unread
		return out
	}
	c.within = append(c.within, to)
	out.Items = []Value{c.value(v.Elem(), at.behind())}
	c.within = c.within[:len(c.within)-1]
	return out
}
