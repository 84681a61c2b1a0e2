package syntax_test

import (
	"errors"
	"testing"

	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// TestRefuse rejects changes that add an unsafe conversion, under any name, and no others.
func TestRefuse(t *testing.T) {
	const safe = "package p\n\nfunc f(b []byte) string { return string(b) }\n"
	const unsafe = "package p\n\nimport \"unsafe\"\n\nfunc f(b []byte) string { return *(*string)(unsafe.Pointer(&b)) }\n"
	for name, c := range map[string]struct {
		before, after string
		refused       bool
	}{
		"unsafe": {safe, unsafe, true},
		"under a name": {
			safe,
			"package p\n\nimport u \"unsafe\"\n\nfunc f(b []byte) string { return u.String(u.SliceData(b), len(b)) }\n", true,
		},
		"dot": {
			safe,
			"package p\n\nimport . \"unsafe\"\n\nfunc f(b []byte) string { return String(SliceData(b), len(b)) }\n", true,
		},
		"header": {
			"package p\n\nimport \"reflect\"\n\nvar _ = reflect.TypeOf(0)\n",
			"package p\n\nimport \"reflect\"\n\nvar _ = reflect.TypeOf(0)\n\nvar h reflect.SliceHeader\n", true,
		},
		"kind": {
			"package p\n\nimport \"reflect\"\n\nvar k = reflect.Map\n",
			"package p\n\nimport \"reflect\"\n\nvar k = []reflect.Kind{reflect.Map, reflect.UnsafePointer}\n", false,
		},
		"address of a value": {
			"package p\n\nimport \"reflect\"\n\nfunc f(v reflect.Value) uintptr { return 0 }\n",
			"package p\n\nimport \"reflect\"\n\nfunc f(v reflect.Value) uintptr { return v.UnsafeAddr() }\n", true,
		},
		"linkname": {safe, "package p\n\nimport _ \"unsafe\"\n\n//go:linkname now time.now\nfunc now() int64\n", true},
		"one more": {unsafe, unsafe + "\nvar size = unsafe.Sizeof(0)\n", true},
		"as many":  {unsafe, unsafe + "\nvar size = 1\n", false},
		"less":     {unsafe, safe, false},
		"safe":     {safe, safe + "\n// unsafe.Pointer in a comment\nvar n = 1\n", false},
		"field of a type": {
			safe,
			safe + "\ntype t struct{ unsafe struct{ Pointer int } }\n\nfunc (x t) g() int { return x.unsafe.Pointer }\n", false,
		},
	} {
		err := syntax.Refuse(scratch.Changes{"p.go": {Before: []byte(c.before), After: []byte(c.after)}})
		if errors.Is(err, syntax.ErrUnsafe) != c.refused || !c.refused && err != nil {
			t.Errorf("%s: %v, want refused %v", name, err, c.refused)
		}
	}
}
