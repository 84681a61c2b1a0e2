package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal encodes a message in protobuf. v is a pointer to a struct of this package.
func Marshal(v any) ([]byte, error) { return appendMessage(nil, reflect.ValueOf(v).Elem()) }

// number returns the number of field i of a message.
func number(t reflect.Type, i int) (protowire.Number, error) {
	n, err := strconv.Atoi(t.Field(i).Tag.Get("pb"))
	if err != nil {
		return 0, fmt.Errorf("field %s of %s has no number", t.Field(i).Name, t)
	}
	return protowire.Number(n), nil
}

func appendMessage(b []byte, m reflect.Value) ([]byte, error) {
	for i := range m.NumField() {
		num, err := number(m.Type(), i)
		if err != nil {
			return nil, err
		}
		if b, err = appendField(b, num, m.Field(i)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendField encodes a field, unless it is zero.
func appendField(b []byte, num protowire.Number, f reflect.Value) ([]byte, error) {
	if f.IsZero() {
		return b, nil
	}
	if f.Kind() != reflect.Slice {
		return appendValue(protowire.AppendTag(b, num, typeOf(f.Type())), f)
	}
	elem := f.Type().Elem()
	if wire := typeOf(elem); wire == protowire.BytesType {
		for i := range f.Len() {
			var err error
			if b, err = appendValue(protowire.AppendTag(b, num, wire), f.Index(i)); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	var packed []byte
	for i := range f.Len() {
		var err error
		if packed, err = appendValue(packed, f.Index(i)); err != nil {
			return nil, err
		}
	}
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), packed), nil
}

// typeOf returns the wire type of a single value.
func typeOf(t reflect.Type) protowire.Type {
	switch t.Kind() {
	case reflect.Float64:
		return protowire.Fixed64Type
	case reflect.String, reflect.Pointer:
		return protowire.BytesType
	default:
		return protowire.VarintType
	}
}

func appendValue(b []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.String:
		return protowire.AppendString(b, strings.ToValidUTF8(v.String(), "\uFFFD")), nil
	case reflect.Pointer:
		m, err := appendMessage(nil, v.Elem())
		return protowire.AppendBytes(b, m), err
	case reflect.Float64:
		return protowire.AppendFixed64(b, math.Float64bits(v.Float())), nil
	case reflect.Bool:
		return protowire.AppendVarint(b, protowire.EncodeBool(v.Bool())), nil
	case reflect.Int32, reflect.Int64:
		return protowire.AppendVarint(b, uint64(v.Int())), nil
	case reflect.Uint32, reflect.Uint64:
		return protowire.AppendVarint(b, v.Uint()), nil
	default:
		return nil, fmt.Errorf("encode %s", v.Type())
	}
}

// maxNesting is the depth of messages in messages. The deepest message has five levels.
const maxNesting = 8

// Unmarshal decodes a message in protobuf. v is a pointer to a struct of this package.
func Unmarshal(data []byte, v any) error {
	return readMessage(data, reflect.ValueOf(v).Elem(), maxNesting)
}

func readMessage(data []byte, m reflect.Value, depth int) error {
	if depth == 0 {
		return errors.New("messages are nested too deeply")
	}
	for len(data) > 0 {
		num, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		f := reflect.Value{}
		for i := range m.NumField() {
			at, err := number(m.Type(), i)
			if err != nil {
				return err
			}
			if at == num {
				f = m.Field(i)
			}
		}
		if !f.IsValid() {
			if n = protowire.ConsumeFieldValue(num, wire, data); n < 0 {
				return protowire.ParseError(n)
			}
			data = data[n:]
			continue
		}
		n, err := readField(data, wire, f, depth)
		if err != nil {
			return fmt.Errorf("field %d: %w", num, err)
		}
		data = data[n:]
	}
	return nil
}

// readField decodes a field and returns its length.
func readField(data []byte, wire protowire.Type, f reflect.Value, depth int) (int, error) {
	if f.Kind() != reflect.Slice {
		return readValue(data, wire, f, depth)
	}
	elem := f.Type().Elem()
	if typeOf(elem) == protowire.BytesType || wire != protowire.BytesType {
		v := reflect.New(elem).Elem()
		n, err := readValue(data, wire, v, depth)
		f.Set(reflect.Append(f, v))
		return n, err
	}
	packed, n := protowire.ConsumeBytes(data)
	if n < 0 {
		return 0, protowire.ParseError(n)
	}
	for len(packed) > 0 {
		v := reflect.New(elem).Elem()
		n, err := readValue(packed, typeOf(elem), v, depth)
		if err != nil {
			return 0, err
		}
		f.Set(reflect.Append(f, v))
		packed = packed[n:]
	}
	return n, nil
}

// readValue decodes one value and returns its length.
func readValue(data []byte, wire protowire.Type, v reflect.Value, depth int) (int, error) {
	if wire != typeOf(v.Type()) {
		return 0, fmt.Errorf("invalid wire type %d (want %d)", wire, typeOf(v.Type()))
	}
	switch wire {
	case protowire.BytesType:
		b, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		if v.Kind() == reflect.String {
			v.SetString(string(b))
			return n, nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return n, readMessage(b, v.Elem(), depth-1)
	case protowire.Fixed64Type:
		u, n := protowire.ConsumeFixed64(data)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		v.SetFloat(math.Float64frombits(u))
		return n, nil
	default:
		u, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(u != 0)
		case reflect.Int32:
			v.SetInt(int64(int32(u)))
		case reflect.Int64:
			v.SetInt(int64(u))
		case reflect.Uint32:
			v.SetUint(uint64(uint32(u)))
		case reflect.Uint64:
			v.SetUint(u)
		default:
			return 0, fmt.Errorf("decode %s", v.Type())
		}
		return n, nil
	}
}

// MarshalJSON encodes a message in protobuf's JSON.
func MarshalJSON(v any) ([]byte, error) { return json.Marshal(v) }

// UnmarshalJSON decodes a message in protobuf's JSON. Fields may have the names of the definition.
func UnmarshalJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return err
	}
	camel, err := json.Marshal(renamed(doc))
	if err != nil {
		return err
	}
	return json.Unmarshal(camel, v)
}

// renamed turns the names of fields into camel case: label_selector into labelSelector.
func renamed(doc any) any {
	switch doc := doc.(type) {
	case map[string]any:
		m := make(map[string]any, len(doc))
		for key, value := range doc {
			words := strings.Split(key, "_")
			for i, w := range words[1:] {
				if w != "" {
					words[i+1] = strings.ToUpper(w[:1]) + w[1:]
				}
			}
			m[strings.Join(words, "")] = renamed(value)
		}
		return m
	case []any:
		for i := range doc {
			doc[i] = renamed(doc[i])
		}
	}
	return doc
}
