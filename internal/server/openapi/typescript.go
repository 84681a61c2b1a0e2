package openapi

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// TypeScript returns the schemas of a document as interfaces of TypeScript, sorted by name.
func TypeScript(d Doc) []byte {
	components, _ := d["components"].(Doc)
	schemas, _ := components["schemas"].(Doc)
	var b bytes.Buffer
	b.WriteString("// Generated from Go by internal/server (make goldens). DO NOT EDIT.\n")
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema, _ := schemas[name].(Doc)
		props, _ := schema["properties"].(Doc)
		required, _ := schema["required"].([]string)
		fmt.Fprintf(&b, "\nexport interface %s {\n", name)
		for _, field := range slices.Sorted(maps.Keys(props)) {
			optional := "?"
			if slices.Contains(required, field) {
				optional = ""
			}
			p, _ := props[field].(Doc)
			fmt.Fprintf(&b, "  %s%s: %s;\n", quoted(field), optional, typeOf(p))
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func quoted(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// typeOf returns the TypeScript type of a schema.
func typeOf(p Doc) string {
	if ref, ok := p["$ref"].(string); ok {
		return ref[strings.LastIndexByte(ref, '/')+1:]
	}
	if choices, ok := p["anyOf"].([]Doc); ok {
		var types []string
		for _, a := range choices {
			types = append(types, typeOf(a))
		}
		return strings.Join(types, " | ")
	}
	switch t := p["type"].(type) {
	case []string: // a list that may be null
		items, _ := p["items"].(Doc)
		inner := typeOf(items)
		if strings.Contains(inner, " ") {
			inner = "(" + inner + ")"
		}
		return inner + "[] | null"
	case string:
		switch t {
		case "integer", "number":
			return "number"
		case "object":
			values, _ := p["additionalProperties"].(Doc)
			return "Record<string, " + typeOf(values) + ">"
		case "null":
			return "null"
		}
		return t // string, boolean
	}
	return "unknown"
}
