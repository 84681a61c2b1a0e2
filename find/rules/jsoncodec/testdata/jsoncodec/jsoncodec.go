package jsoncodec

import (
	"encoding/json"
	"io"
)

func answer(w io.Writer, body []byte) error {
	var items []struct{ Name string }
	if err := json.Unmarshal(body, &items); err != nil { // want `decodes structs here: building with GOEXPERIMENT` `decodes here by reflection`
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(items) // want `encodes here by reflection`
}

var configuration = func() (text []byte) {
	text, _ = json.Marshal(tree{}) // want `encodes`
	return text
}

func valid(body []byte) bool { return json.Valid(body) }

func init() {
	_ = json.Unmarshal([]byte("1"), new(int))
}
