package documents

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/internal/report/traces"
)

// TestWarnings checks that every document has warnings, and that they all have one type.
func TestWarnings(t *testing.T) {
	types := map[string]reflect.Type{ // documents that have no text
		"flame":    reflect.TypeFor[pictures.FlameTree](),
		"graph":    reflect.TypeFor[documents.CallGraph](),
		"timeline": reflect.TypeFor[traces.TimelineFile](),
	}
	for schema, w := range writers() {
		types[schema] = w.document
	}
	for name, typ := range types {
		if bad := misfits(typ); len(bad) > 0 {
			t.Errorf("%s: warnings of another type than diag.Warnings: %v", name, bad)
		}
		if _, ok := fields(typ)["warnings"]; !ok {
			t.Errorf("%s has no warnings", name)
		}
	}
}

// TestMisfits checks the check.
func TestMisfits(t *testing.T) {
	type inner struct {
		Warning  string        `json:"warning"`
		Warnings diag.Warnings `json:"warnings"`
	}
	type embedded struct {
		Warnings []string `json:"warnings"`
	}
	type document struct {
		*embedded
		Inner map[string][]*inner `json:"inner"`
		Self  *document           `json:"self"`
		Drop  embedded            `json:"-"`
	}
	want := map[string]bool{"document.warnings": true, "inner.warning": true}
	if got := misfits(reflect.TypeFor[*document]()); !maps.Equal(got, want) {
		t.Errorf("misfits %v, want %v", got, want)
	}
	if _, ok := fields(reflect.TypeFor[document]())["warnings"]; !ok {
		t.Error("an embedded field is not found")
	}
}

// misfits returns the fields in a document type and below that hold warnings of another type than
// [diag.Warnings], as "struct.key".
func misfits(typ reflect.Type) map[string]bool {
	bad := map[string]bool{}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(typ.Elem())
		case reflect.Struct:
			for key, field := range fields(typ) {
				switch key {
				case "warning", "warnings", "doubts":
					if field != reflect.TypeFor[diag.Warnings]() {
						bad[typ.Name()+"."+key] = true
					}
				}
				walk(field)
			}
		default:
		}
	}
	walk(typ)
	return bad
}

// fields returns the types of a struct's fields by their keys in JSON.
func fields(typ reflect.Type) map[string]reflect.Type {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	out := map[string]reflect.Type{}
	for f := range typ.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "-":
		case f.Anonymous && key == "":
			maps.Copy(out, fields(f.Type))
		case f.IsExported():
			out[key] = f.Type
		}
	}
	return out
}
