package support

import "reflect"

// A Plan is what of a value may be read besides its own words: what the function itself reads before it may
// synchronize with another goroutine. nil allows nothing.
//
// Reading that at the start of the call is as safe as the function: a goroutine that writes it at the same time
// would race with the function, too.
type Plan struct {
	// Self allows the words of a value in shared memory. An argument's own words are its own.
	Self bool
	// Whole allows all elements of a slice, an array or a map.
	Whole bool
	// Elem is the plan of each element, or of what a pointer refers to.
	Elem *Plan
	// Fields are the plans of the fields of a struct.
	Fields map[string]*Plan
	// Types are the plans of what an interface holds, by its dynamic type (typeName). Of a [reflect.Value], which is in
	// an interface, Elem is the plan of what it holds.
	Types map[string]*Plan
}

// A Case has the plans of a function's arguments if one of them has a dynamic type: a type switch then takes one way.
type Case struct {
	Argument int    // with the receiver, if there is one
	Type     string // typeName
	Plans    []*Plan
}

// typeName returns the name of a type in plans: with the import path of its package, or main.
func typeName(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return "*" + typeName(t.Elem())
	case t.PkgPath() != "":
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}

// held returns the plan of what an interface holds.
func (p *Plan) held(t reflect.Type) *Plan {
	if p == nil || p.Types == nil {
		return nil
	}
	return p.Types[typeName(t)]
}

// elem returns the plan of elements.
func (p *Plan) elem() *Plan {
	if p == nil {
		return nil
	}
	return p.Elem
}

// field returns the plan of a field.
func (p *Plan) field(name string) *Plan {
	if p == nil {
		return nil
	}
	return p.Fields[name]
}

// whole reports whether elements may be read.
func (p *Plan) whole() bool { return p != nil && p.Whole }

// self reports whether the words of a shared value may be read.
func (p *Plan) self() bool { return p != nil && p.Self }
