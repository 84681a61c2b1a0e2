package slow

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

type item struct {
	A string `json:"str_a"`
	B string `json:"str_b"`
}

type answer struct {
	Hashes []string `json:"hashes"`
}

// Answer returns the hashes of the items in body, which is an array in JSON, in
// their order:
//
//	[{"str_a": "one", "str_b": "two"}]
//
// An array without items has the hashes null.
func Answer(body []byte) ([]byte, error) {
	var items []item
	if err := json.Unmarshal(body, &items); err != nil {
		return nil, fmt.Errorf("decode items: %w", err)
	}
	var hashes []string
	for _, it := range items {
		hashes = append(hashes, Sum(it.A, it.B))
	}
	return json.Marshal(answer{hashes})
}

// Sum is the SHA-256 of a followed by b, in base64.
func Sum(a, b string) string {
	h := sha256.New()
	h.Write([]byte(a))
	h.Write([]byte(b))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}
