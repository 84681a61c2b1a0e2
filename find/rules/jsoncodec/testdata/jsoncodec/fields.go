package jsoncodec

import (
	"encoding/json"
	"io"
)

// A price has a method of its own.
type price float64

func (p price) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

type amount struct{ n int }

func (a *amount) UnmarshalJSON([]byte) error { return nil }

// parts have no fields: neither way out helps.
func parts(r io.Reader, text []byte, p price, a *amount, fields map[string]any) error {
	if err := json.Unmarshal(text, &[]any{&p, a}); err != nil {
		return err
	}
	if err := json.Unmarshal(text, a); err != nil {
		return err
	}
	if err := json.NewDecoder(r).Decode(&fields); err != nil {
		return err
	}
	var names []string
	return json.Unmarshal(text, &names)
}

type tree struct{ Children []tree }

func fields(text []byte) error {
	var byName map[string]*tree
	if err := json.Unmarshal(text, &byName); err != nil { // want `decodes structs here: building with GOEXPERIMENT` `decodes here by reflection`
		return err
	}
	var array [2]tree
	if err := json.Unmarshal(text, &array); err != nil { // want `decodes structs here: building with GOEXPERIMENT` `decodes here by reflection`
		return err
	}
	return nil
}

// what a helper is called with
func decode(r io.Reader, v any) error {
	return json.NewDecoder(r).Decode(v) // want `decodes structs here: building with GOEXPERIMENT` `decodes here by reflection`
}

func helped(r io.Reader) (t tree, err error) {
	var n int
	if err := decode(r, &n); err != nil {
		return t, err
	}
	return t, decode(r, &t)
}

func scalar(r io.Reader, v any) error { return json.NewDecoder(r).Decode(v) }

func scalars(r io.Reader) (n int, err error) { return n, scalar(r, &n) }

type reader struct{ value any }

func (d *reader) local(text []byte) error {
	var v any = d
	if err := json.Unmarshal(text, v); err != nil {
		return err
	}
	return json.Unmarshal(text, d.value)
}
