package fit

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the schema of a type, with descriptions of fields by the type and the name in JSON. Unlike the
// SDK's, it has one type for each value, since some clients accept no others: lists are never null, and optional
// values are left out.
func Schema[T any](descriptions map[string]string) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a type of this package, which tests use
	}
	oneType(schema)
	describe(schema, reflect.TypeFor[T](), descriptions)
	return schema
}

func oneType(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, of := range s.Properties {
		oneType(of)
	}
	oneType(s.Items)
	oneType(s.AdditionalProperties)
}

// describe adds descriptions to the schema of a type.
func describe(schema *jsonschema.Schema, t reflect.Type, all map[string]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice && schema.Items != nil {
			schema = schema.Items
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			describe(schema, f.Type, all)
			continue
		}
		property := schema.Properties[name]
		if property == nil {
			continue
		}
		if text, ok := all[t.Name()+"."+name]; ok {
			property.Description = text
		}
		describe(property, f.Type, all)
	}
}
