package otlp

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/whet-go/whet/profile"
)

// dictionary is the tables of a request.
type dictionary struct {
	strings    []string
	functions  []profile.Function
	mappings   []profile.Mapping
	locations  []location
	stacks     [][]int32
	attributes []attribute
	links      []link

	left int // entries that may still be added
}

type location struct {
	mapping int32
	address uint64
	lines   []line
}

type line struct {
	function     int32
	line, column int64
}

type attribute struct {
	key, value string
	number     int64
	numeric    bool
	unit       string
}

type link struct{ trace, span string }

// errTruncated is the error of a message that ends within a field.
var errTruncated = errors.New("the message ends within a field")

// A field is one field of a message: bytes, or a number.
type field struct {
	num   int
	bytes []byte
	n     uint64
}

// fields calls each for the fields of a message.
func fields(data []byte, each func(field) error) error {
	for len(data) > 0 {
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("%w: %w", errTruncated, protowire.ParseError(n))
		}
		data = data[n:]
		f := field{num: int(num)}
		switch typ {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			f.n, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.n, n = protowire.ConsumeFixed64(data)
		default:
			n = protowire.ConsumeFieldValue(num, typ, data)
		}
		if n < 0 {
			return fmt.Errorf("field %d: %w: %w", num, errTruncated, protowire.ParseError(n))
		}
		data = data[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// add reserves an entry.
func (d *dictionary) add() error {
	if d.left--; d.left < 0 {
		return &LimitError{What: "entries in the tables of a request"}
	}
	return nil
}

// numbers appends the numbers of a field, packed or not.
func (d *dictionary) numbers(to []int32, f field) ([]int32, error) {
	if f.bytes == nil {
		return append(to, int32(f.n)), d.add()
	}
	for data := f.bytes; len(data) > 0; {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", errTruncated, protowire.ParseError(n))
		}
		if err := d.add(); err != nil {
			return nil, err
		}
		to, data = append(to, int32(v)), data[n:]
	}
	return to, nil
}

// at returns an entry of a table.
func at[T any](table []T, name string, i int32) (T, error) {
	if i < 0 || int(i) >= len(table) {
		var none T
		return none, fmt.Errorf("index %d is not in the table of %s, which has %d", i, name, len(table))
	}
	return table[i], nil
}

// text returns a string by its index.
func (d *dictionary) text(i int32) (string, error) {
	if i == 0 && len(d.strings) == 0 {
		return "", nil
	}
	return at(d.strings, "strings", i)
}

// texts returns strings by their indices.
func (d *dictionary) texts(into ...any) error {
	for i := 0; i < len(into); i += 2 {
		s, err := d.text(into[i+1].(int32))
		if err != nil {
			return err
		}
		*into[i].(*string) = s
	}
	return nil
}

// read decodes the dictionary. Strings come first, then attributes, since the others refer to them.
func (d *dictionary) read(data []byte) error {
	passes := []map[int]func([]byte) error{
		{5: func(b []byte) error { d.strings = append(d.strings, string(b)); return nil }},
		{6: d.readAttribute},
		{1: d.readMapping, 2: d.readLocation, 3: d.readFunction, 4: d.readLink, 7: d.readStack},
	}
	for _, tables := range passes {
		err := fields(data, func(f field) error {
			read := tables[f.num]
			if read == nil {
				return nil
			}
			if err := d.add(); err != nil {
				return err
			}
			return read(f.bytes)
		})
		if err != nil {
			return fmt.Errorf("dictionary: %w", err)
		}
	}
	return nil
}

func (d *dictionary) readFunction(data []byte) error {
	var name, system, file int32
	var f profile.Function
	err := fields(data, func(v field) error {
		switch v.num {
		case 1:
			name = int32(v.n)
		case 2:
			system = int32(v.n)
		case 3:
			file = int32(v.n)
		case 4:
			f.StartLine = int64(v.n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.texts(&f.Name, name, &f.SystemName, system, &f.File, file); err != nil {
		return fmt.Errorf("function %d: %w", len(d.functions), err)
	}
	d.functions = append(d.functions, f)
	return nil
}

func (d *dictionary) readMapping(data []byte) error {
	var m profile.Mapping
	var file int32
	var attributes []int32
	err := fields(data, func(v field) (err error) {
		switch v.num {
		case 1:
			m.Start = v.n
		case 2:
			m.Limit = v.n
		case 3:
			m.Offset = v.n
		case 4:
			file = int32(v.n)
		case 5:
			attributes, err = d.numbers(attributes, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := d.texts(&m.File, file); err != nil {
		return fmt.Errorf("mapping %d: %w", len(d.mappings), err)
	}
	builds := map[string]string{}
	for _, i := range attributes {
		a, err := at(d.attributes, "attributes", i)
		if err != nil {
			return fmt.Errorf("mapping %d: %w", len(d.mappings), err)
		}
		builds[a.key] = a.value
	}
	for _, kind := range []string{"gnu", "go", "htlhash"} {
		if m.BuildID == "" {
			m.BuildID = builds["process.executable.build_id."+kind]
		}
	}
	d.mappings = append(d.mappings, m)
	return nil
}

func (d *dictionary) readLocation(data []byte) error {
	var l location
	err := fields(data, func(v field) error {
		switch v.num {
		case 1:
			l.mapping = int32(v.n)
		case 2:
			l.address = v.n
		case 3:
			if err := d.add(); err != nil {
				return err
			}
			var one line
			err := fields(v.bytes, func(v field) error {
				switch v.num {
				case 1:
					one.function = int32(v.n)
				case 2:
					one.line = int64(v.n)
				case 3:
					one.column = int64(v.n)
				}
				return nil
			})
			l.lines = append(l.lines, one)
			return err
		}
		return nil
	})
	d.locations = append(d.locations, l)
	return err
}

func (d *dictionary) readStack(data []byte) error {
	var stack []int32
	err := fields(data, func(v field) (err error) {
		if v.num == 1 {
			stack, err = d.numbers(stack, v)
		}
		return err
	})
	d.stacks = append(d.stacks, stack)
	return err
}

func (d *dictionary) readLink(data []byte) error {
	var l link
	err := fields(data, func(v field) error {
		switch v.num {
		case 1:
			l.trace = hex.EncodeToString(v.bytes[:min(len(v.bytes), 16)])
		case 2:
			l.span = hex.EncodeToString(v.bytes[:min(len(v.bytes), 8)])
		}
		return nil
	})
	d.links = append(d.links, l)
	return err
}

func (d *dictionary) readAttribute(data []byte) error {
	var a attribute
	var key, unit int32
	err := fields(data, func(v field) error {
		switch v.num {
		case 1:
			key = int32(v.n)
		case 2:
			return d.value(v.bytes, &a)
		case 3:
			unit = int32(v.n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.texts(&a.key, key, &a.unit, unit); err != nil {
		return fmt.Errorf("attribute %d: %w", len(d.attributes), err)
	}
	d.attributes = append(d.attributes, a)
	return nil
}

// value decodes an AnyValue. Lists, maps and bytes have no value.
func (d *dictionary) value(data []byte, a *attribute) error {
	return fields(data, func(v field) (err error) {
		switch v.num {
		case 1:
			a.value = string(v.bytes)
		case 2:
			a.value = strconv.FormatBool(v.n != 0)
		case 3:
			a.number, a.numeric = int64(v.n), true
			a.value = strconv.FormatInt(a.number, 10)
		case 4:
			a.value = strconv.FormatFloat(math.Float64frombits(v.n), 'g', -1, 64)
		case 8:
			a.value, err = d.text(int32(v.n))
		}
		return err
	})
}

// keyValue decodes a KeyValue of a resource.
func (d *dictionary) keyValue(data []byte) (a attribute, err error) {
	err = fields(data, func(v field) (err error) {
		switch v.num {
		case 1:
			a.key = string(v.bytes)
		case 2:
			err = d.value(v.bytes, &a)
		case 3:
			a.key, err = d.text(int32(v.n))
		}
		return err
	})
	return a, err
}
