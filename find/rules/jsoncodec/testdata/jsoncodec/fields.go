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

// parts have no fields that a generated codec could know.
func parts(r io.Reader, text []byte, p price, a *amount, fields map[string]any) error {
	if err := json.Unmarshal(text, &[]any{&p, a}); err != nil { // want `decodes here: GOEXPERIMENT`
		return err
	}
	if err := json.Unmarshal(text, a); err != nil { // want `decodes here: GOEXPERIMENT`
		return err
	}
	if err := json.NewDecoder(r).Decode(&fields); err != nil { // want `decodes here: GOEXPERIMENT`
		return err
	}
	var names []string
	return json.Unmarshal(text, &names) // want `decodes here: GOEXPERIMENT`
}

type tree struct{ Children []tree }

func fields(r io.Reader, text []byte, v any) error {
	var byName map[string]*tree
	if err := json.Unmarshal(text, &byName); err != nil { // want `decodes here: GOEXPERIMENT` `decodes here by reflection`
		return err
	}
	var array [2]tree
	if err := json.Unmarshal(text, &array); err != nil { // want `decodes here: GOEXPERIMENT` `decodes here by reflection`
		return err
	}
	return json.NewDecoder(r).Decode(v) // want `decodes here: GOEXPERIMENT` `decodes here by reflection`
}
