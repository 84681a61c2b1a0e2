package jsondecode

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"test/values"
)

type Kind string

type Size struct {
	W, H  int8
	Scale float32 `json:"scale,omitempty"`
}

type Item struct {
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Count  uint16
	Price  float64
	Sold   bool
	Tags   []string `json:"tags"`
	Size   Size     `json:"size"`
	Inner  *Size    `json:"inner"`
	List   []Size
	Other  any
	Counts map[string]int
	Data   []byte
	At     time.Time
	Number json.Number
}

func One(data []byte) (v Item, err error) {
	err = json.Unmarshal(data, &v) // want `Decode Item without reflection`
	return v, err
}

func All(data []byte) ([]Item, error) {
	var list []Item
	if err := json.Unmarshal(data, &list); err != nil { // want `Decode \[\]Item without reflection`
		return nil, err
	}
	return list, nil
}

// Add decodes into what is there.
func Add(v *Item, text string) error {
	return json.NewDecoder(strings.NewReader(text)).Decode(&v.Size) // want `Decode Size without reflection`
}

func Claims(data []byte) (m map[string]any, err error) {
	err = json.Unmarshal(data, &m) // want `Decode map\[string\]any without reflection`
	return m, err
}

func Sizes(data []byte) (map[string]*Size, error) {
	m := map[string]*Size{}
	m = nil
	err := json.Unmarshal(data, &m) // want `Decode map\[string\]\*Size without reflection`
	return m, err
}

func Fill(v *Item, data []byte) error {
	item := *v
	err := json.Unmarshal(data, &item) // want `Decode Item without reflection`
	*v = item
	return err
}

type promoted struct {
	Size
	Name string
}

// Fields are promoted, the type is not known, or the decoder is asked for more.
func Others(data []byte, p *Item) string {
	var v promoted
	err := json.Unmarshal(data, &v)
	var x any
	err2 := json.Unmarshal(data, &x)
	err3 := json.Unmarshal(data, p)
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	var s Size
	err4 := d.Decode(&s)
	return fmt.Sprint(v, err, x, err2, err3, s, err4)
}

var numbers = []string{"0", "-1", "7", "1.5", "-0", "01", "1e2", "300", "-129", "1e400", "123456789012345678901", "null", "1.", "."}

func piece(r *rand.Rand) string {
	text, _ := json.Marshal(values.String(r))
	number := numbers[r.IntN(len(numbers))]
	size := fmt.Sprintf(`{"W": %s,"H":%s , "scale":%s}`, number, numbers[r.IntN(4)], numbers[r.IntN(6)])
	return []string{
		`"name":` + string(text), `"name": "plain"`, `"kind":"é"`, `"name":"\u00e9\n"`, "\"name\":\"\xff\"", `"NAME":"folded"`,
		`"Count":` + number, `"Price":` + number, `"Sold":true`, `"Sold": false`, `"Sold":null`, `"Sold":tru`,
		`"tags":["a", "b"]`, `"tags":[]`, `"tags":null`, `"tags":["a",]`, `"size":` + size, `"inner":` + size, `"inner":null`,
		`"List":[` + size + `,` + size + `]`, `"Other":{"a":[1,{"b":"}"}]}`, `"Other":` + number, `"Counts":{"a":1}`,
		`"Data":"YWJj"`, `"At":"2020-01-02T03:04:05Z"`, `"At":"x"`, `"Number":12.50`, `"unknown":{"a":[` + number + `]}`,
		`"unknown" : "a\"b"`, `"unknown":}`, `"Other":"\"]"`, `name:1`,
	}[r.IntN(32)]
}

func Try(r *rand.Rand) string {
	var pieces []string
	for range r.IntN(5) {
		pieces = append(pieces, piece(r))
	}
	data := []byte("{" + strings.Join(pieces, ", ") + []string{"}", "} ", "} x", "", "}{}"}[min(r.IntN(12), 4)])
	if r.IntN(3) > 0 {
		data = []byte("{" + strings.Join(pieces, ",") + "}")
	}
	one, err1 := One(data)
	all, err2 := All([]byte("[" + string(data) + "," + string(data) + "]"))
	none, err3 := All([]byte([]string{"[]", " [ ] ", "null", "", "{}", "[1]"}[r.IntN(6)]))
	item := Item{Name: "before", Tags: []string{"x", "y", "z"}, Inner: &Size{H: 5}, Counts: map[string]int{"z": 1}}
	err4 := Fill(&item, data)
	sized := Item{Size: Size{W: 9}}
	err5 := Add(&sized, []string{`{"W":3}`, `{"W":3}{"W":4}`, ` {"h":2} 7`, ``, `{"W":1000}`, `{`, `null`}[r.IntN(7)])
	claims, err6 := Claims(data)
	sizes, err7 := Sizes([]byte([]string{`{"a":{"W":1},"b":null}`, `{"a":1}`, `{}`, `null`, `{"a":{"W":1},}`, string(data)}[r.IntN(6)]))
	var sized1 string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		sized1 += name + fmt.Sprint(sizes[name] == nil)
	}
	err4 = fmt.Errorf("%w %#v %w %s %w", err4, claims, err6, sized1, err7)
	text := func(v Item) string {
		inner := ""
		if v.Inner != nil {
			inner = fmt.Sprint(*v.Inner)
		}
		v.Inner = nil
		return fmt.Sprintf("%+v %#v %#v %#v %s", v, v.Tags, v.List, v.Other, inner)
	}
	for _, v := range append(all, none...) {
		err1 = fmt.Errorf("%w %s", err1, text(v))
	}
	return fmt.Sprint(text(one), err1, len(all), all == nil, err2, none == nil, err3, text(item), err4, sized.Size, err5,
		Others(data, &Item{}))
}
