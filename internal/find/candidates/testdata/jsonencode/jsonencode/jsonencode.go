package jsonencode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"test/values"
)

type Kind string

type Size struct {
	W, H  int
	Scale float32 `json:"scale,omitempty"`
}

type Item struct {
	Name   string   `json:"name"`
	Kind   Kind     `json:"kind,omitempty"`
	Count  uint16   `json:"count,omitempty"`
	Price  float64  `json:"price"`
	Sold   bool     `json:"sold,omitempty"`
	Tags   []string `json:"tags"`
	Size   Size     `json:"size"`
	Inner  *Size    `json:"inner,omitempty"`
	Next   []*Size
	Pair   [2]int
	Other  any            `json:"other,omitempty"`
	Counts map[string]int `json:"counts,omitempty"`
	Data   []byte
	Number json.Number   `json:"number,omitempty"`
	At     time.Time     `json:"at"`
	Wait   time.Duration `json:"-"`
	hidden int
}

func One(v Item) ([]byte, error) {
	return json.Marshal(v) // want `Encode Item without reflection`
}

func All(list []Item) (string, error) {
	data, err := json.Marshal(list) // want `Encode \[\]Item without reflection`
	return string(data), err
}

func Write(v *Item) (string, error) {
	var out bytes.Buffer
	err := json.NewEncoder(&out).Encode(v) // want `Encode \*Item without reflection`
	return out.String(), err
}

func Object(m map[string]any) (string, error) {
	data, err := json.Marshal(m) // want `Encode map\[string\]any without reflection`
	return string(data), err
}

func Counts(m map[string]*Size) ([]byte, error) {
	return json.Marshal(m) // want `Encode map\[string\]\*Size without reflection`
}

type node struct {
	Name  string
	Nodes []*node
}

type tree struct {
	Root node
	All  []string `json:",omitempty"`
}

// The first fields may all be left out, and a node refers to nodes.
type rare struct {
	A string `json:"a,omitempty"`
	B int    `json:"b,omitempty"`
	C *node  `json:"c,omitempty"`
}

func Rare(v rare) ([]byte, error) {
	return json.Marshal(v) // want `Encode rare without reflection`
}

type promoted struct {
	Size
	Name string
}

type quoted struct {
	ID int `json:",string"`
}

type own struct{ n int }

func (o *own) MarshalJSON() ([]byte, error) { return []byte("7"), nil }

type owner struct{ Own own }

// Fields are promoted or written as strings, a pointer has the method, the type is not known, or the keys are numbers; a
// node may have itself.
func Others(p promoted, q quoted, o owner, x any, m map[int]int) string {
	a, _ := json.Marshal(p)
	b, _ := json.Marshal(q)
	c, _ := json.Marshal(&o)
	d, _ := json.Marshal(x)
	e, _ := json.MarshalIndent(q, "", " ")
	f, _ := json.Marshal(m)
	return string(a) + string(b) + string(c) + string(d) + string(e) + string(f)
}

func Try(r *rand.Rand) string {
	name := []string{values.String(r), "plain", "a<b>&\"\\\n", "é\u2028", "\xff", ""}[r.IntN(6)]
	item := Item{
		Name: name, Kind: Kind(values.String(r)), Count: uint16(r.IntN(3)), Price: values.Float(r), Sold: values.Bool(r),
		Size: Size{values.Int(r), r.IntN(4), []float32{0, 1.5, 1e-7, 3e21, -0.25}[r.IntN(5)]}, Pair: [2]int{values.Int(r), 1},
		At: time.Unix(int64(r.IntN(1000)), 0).UTC(),
	}
	if values.Bool(r) {
		item.Tags, item.Next = values.Strings(r), []*Size{nil, {1, 2, 3}}
		item.Inner, item.Other, item.Data = &Size{1, 2, 0}, map[string]any{name: nil}, []byte(name)
		item.Counts, item.Number = map[string]int{name: 1}, "12.50"
	}
	if r.IntN(20) == 0 {
		item.Number = "x"
	}
	one, err1 := One(item)
	all, err2 := All([]Item{item, item}[:r.IntN(3)])
	written, err3 := Write(&item)
	none, err4 := Write(nil)
	nothing, err5 := All(nil)
	few, err6 := Rare([]rare{{}, {A: name}, {B: 1}, {C: &node{Name: name, Nodes: []*node{{}}}}}[r.IntN(4)])
	object, err7 := Object([]map[string]any{
		nil, {}, {name: 1, "b": []any{1.5, nil, true, int64(7), item.Size, []any(nil)}, "a": map[string]any{"x": name, "y": 1e-9}},
		{"f": func() {}}, {"m": map[string]any(nil), "s": []string{name}},
	}[r.IntN(5)])
	counts, err8 := Counts(map[string]*Size{name: &item.Size, "": nil})
	return fmt.Sprint(object, err7, string(counts), err8, string(one), err1, all, err2, written, err3, none, err4, nothing, err5, string(few), err6,
		Others(promoted{item.Size, name}, quoted{3}, owner{}, tree{}, nil))
}
