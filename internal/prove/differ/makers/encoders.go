package makers

import (
	"fmt"
	"go/types"
	"strings"
)

// maxEncoders is the number of functions that encode values for texts.
const maxEncoders = 3

// encodes reports whether a function of a name encodes a value.
func encodes(name string) bool {
	for _, prefix := range []string{"Marshal", "Encode", "Serialize", "Dump"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Encoders returns the code of a list of functions that encode a value as the package does, for texts and bytes: what
// decodes them hardly ever takes others. Only exported functions of any value that return bytes or a text, and
// maybe an error, are of use.
func (g *Generator) Encoders() string {
	var b strings.Builder
	n := 0
	scope := g.pkg.Types.Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || !fn.Exported() || !encodes(name) || n == maxEncoders || g.Differs(fn) != "" {
			continue
		}
		sig := fn.Signature()
		in, out := sig.Params(), sig.Results()
		if sig.TypeParams() != nil || in.Len() != 1 || sig.Variadic() || out.Len() == 0 || out.Len() > 2 {
			continue
		}
		takes, isAny := in.At(0).Type().Underlying().(*types.Interface)
		if !isAny || !takes.Empty() || out.Len() == 2 && out.At(1).Type().String() != "error" {
			continue
		}
		if kind := out.At(0).Type().String(); kind != "[]byte" && kind != "string" {
			continue
		}
		n++
		results := "text"
		if out.Len() == 2 {
			results = "text, _"
		}
		fmt.Fprintf(&b, "func(v interface{}) []byte {\n%s := %s(v)\nreturn []byte(text)\n},\n", results, name)
	}
	return "[]func(interface{}) []byte{\n" + b.String() + "}"
}
