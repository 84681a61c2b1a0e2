package openapi

import (
	"encoding"
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Version is the version of OpenAPI.
const Version = "3.1.0"

// An Operation is a method of a path.
type Operation struct {
	Method, Path string // as http.ServeMux takes them: "/jobs/{id}"
	ID           string // unique
	Summary      string // a sentence
	Params       []Param
	// Request and Answer are values of the types of the bodies; nil for none.
	Request, Answer any
	// Media are the types of the answer besides JSON, such as "image/svg+xml".
	Media []string
	Code  int // of an answer without error; 0 is 200
	// Later is a value of the type of the answer with 202, which clients get that send Prefer: respond-async
	// (RFC 7240) if the answer takes longer than they wait; nil if there is none.
	Later any
}

// A Param is a parameter.
type Param struct {
	Name, About string
	In          string // "query", "path" or "header"; "" is query
	Type        string // "string", "integer", "boolean"; "" is string
	Enum        []string
	Required    bool
}

// Doc is a document, ready to encode as JSON.
type Doc map[string]any

// Document describes an API that is served below base. problem is a value of the type of errors.
func Document(title, version, base string, problem any, ops []Operation) Doc {
	s := schemas{defs: Doc{}, names: map[reflect.Type]string{}}
	paths := Doc{}
	failed := Doc{
		"description": "what is wrong, and what to do",
		"content":     Doc{"application/problem+json": Doc{"schema": s.of(reflect.TypeOf(problem))}},
	}
	for _, op := range ops {
		at, _ := paths[op.Path].(Doc)
		if at == nil {
			at = Doc{}
			paths[op.Path] = at
		}
		content := Doc{}
		if op.Answer != nil {
			content["application/json"] = Doc{"schema": s.of(reflect.TypeOf(op.Answer))}
		}
		for _, m := range op.Media {
			content[m] = Doc{"schema": Doc{"type": "string"}}
		}
		answer := Doc{"description": op.Summary}
		if len(content) > 0 {
			answer["content"] = content
		}
		code := op.Code
		if code == 0 {
			code = http.StatusOK
		}
		o := Doc{
			"operationId": op.ID, "summary": op.Summary,
			"responses": Doc{strconv.Itoa(code): answer, "default": failed},
		}
		params := parameters(op.Params)
		if op.Later != nil {
			o["responses"].(Doc)[strconv.Itoa(http.StatusAccepted)] = Doc{
				"description": "the answer takes longer: the work, after which the request is to be sent again",
				"content":     Doc{"application/json": Doc{"schema": s.of(reflect.TypeOf(op.Later))}},
			}
			params = append(params, parameters([]Param{{
				Name: "Prefer", In: "header", About: `"respond-async, wait=N": do not wait more than N seconds for the answer`,
			}})...)
		}
		if len(params) > 0 {
			o["parameters"] = params
		}
		if op.Request != nil {
			o["requestBody"] = Doc{
				"required": true,
				"content":  Doc{"application/json": Doc{"schema": s.of(reflect.TypeOf(op.Request))}},
			}
		}
		at[strings.ToLower(op.Method)] = o
	}
	return Doc{
		"openapi": Version, "info": Doc{"title": title, "version": version},
		"servers": []Doc{{"url": base}}, "paths": paths, "components": Doc{"schemas": s.defs},
	}
}

func parameters(params []Param) []Doc {
	var list []Doc
	for _, p := range params {
		schema := Doc{"type": "string"}
		if p.Type != "" {
			schema["type"] = p.Type
		}
		if len(p.Enum) > 0 {
			schema["enum"] = p.Enum
		}
		in := p.In
		if in == "" {
			in = "query"
		}
		d := Doc{"name": p.Name, "in": in, "description": p.About, "schema": schema}
		if p.Required || in == "path" {
			d["required"] = true
		}
		list = append(list, d)
	}
	return list
}

// schemas collects the structs that are mentioned.
type schemas struct {
	defs  Doc
	names map[reflect.Type]string
}

// of returns the schema of a type.
func (s *schemas) of(t reflect.Type) Doc {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Doc{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return Doc{}
	case t.Kind() != reflect.Pointer && marshalsText(t):
		return Doc{"type": "string"}
	case t.Kind() == reflect.Struct && marshalsJSON(t) && !s.plain(t):
		return Doc{} // written by its own method
	case t.Kind() == reflect.Slice && marshalsJSON(t) && !s.plain(t):
		if f, ok := pairValue(t.Elem()); ok {
			return Doc{"type": "object", "additionalProperties": s.of(f)} // such as store.Labels
		}
		return Doc{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Doc{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Doc{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Doc{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return Doc{"type": "number"}
	case reflect.String:
		return Doc{"type": "string"}
	case reflect.Pointer:
		return Doc{"anyOf": []Doc{s.of(t.Elem()), {"type": "null"}}}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return Doc{"type": "string", "contentEncoding": "base64"}
		}
		return Doc{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
	case reflect.Map:
		return Doc{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.ref(t)
	}
	return Doc{}
}

// pairValue returns the type of the values of a list of pairs, which a method writes as an object.
func pairValue(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || t.Field(0).Name != "Name" || t.Field(1).Name != "Value" {
		return nil, false
	}
	return t.Field(1).Type, true
}

// plain reports whether a type is encoded by a method that only decoding needs, that is, not at all.
func (*schemas) plain(t reflect.Type) bool {
	_, encodes := t.MethodByName("MarshalJSON")
	return !encodes
}

// ref returns a reference to a struct, whose schema is added once.
func (s *schemas) ref(t reflect.Type) Doc {
	name, ok := s.names[t]
	if !ok {
		name = s.name(t)
		s.names[t] = name
		s.defs[name] = Doc{} // for those that contain themselves
		s.defs[name] = s.object(t)
	}
	return Doc{"$ref": "#/components/schemas/" + name}
}

// name returns a unique name: with its package if another one has it.
func (s *schemas) name(t reflect.Type) string {
	name := t.Name()
	if name == "" {
		name = "Anonymous" + strconv.Itoa(len(s.names)+1)
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	if _, taken := s.defs[name]; taken {
		pkg := path.Base(t.PkgPath())
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	for _, taken := s.defs[name]; taken; _, taken = s.defs[name] {
		name += "2"
	}
	return name
}

func (s *schemas) object(t reflect.Type) Doc {
	props := Doc{}
	required := []string{}
	s.fields(t, props, &required)
	d := Doc{"type": "object", "properties": props}
	if len(required) > 0 {
		d["required"] = required
	}
	return d
}

// fields adds the fields of a struct, and those of structs embedded in it.
func (s *schemas) fields(t reflect.Type, props Doc, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, has := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && name == "":
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if embedded.Kind() == reflect.Struct {
				s.fields(embedded, props, required)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if !has || name == "" {
			name = f.Name
		}
		props[name] = s.of(f.Type)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

func marshalsText(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func marshalsJSON(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}
