package openapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type base struct {
	ID string `json:"id"`
}

type sample struct {
	base
	Time  time.Time          `json:"time"`
	Wait  time.Duration      `json:"wait_ns,omitempty"`
	Data  []byte             `json:"data"`
	Parts []sample           `json:"parts,omitempty"`
	Sums  map[string]float64 `json:"sums"`
	Next  *sample            `json:"next"`
	Any   any                `json:"any"`
	Skip  string             `json:"-"`
	lower int
}

type failure struct {
	Detail string `json:"detail"`
}

func TestDocument(t *testing.T) {
	_ = sample{}.lower
	doc := Document("test", "1", "/api", failure{}, []Operation{
		{
			Method: "GET", Path: "/x/{id}", ID: "x", Summary: "An x", Answer: sample{},
			Params: []Param{{Name: "id", In: "path"}, {Name: "n", Type: "integer"}},
		},
		{
			Method: "POST", Path: "/x/{id}", ID: "make", Summary: "Makes an x", Request: failure{}, Later: failure{},
			Media: []string{"text/plain"},
		},
	})
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"openapi":"3.1.0"`, `"$ref":"#/components/schemas/Sample"`, `"wait_ns":{"type":"integer"}`,
		`"time":{"format":"date-time","type":"string"}`, `"required":["id","time","data","sums","next","any"]`,
		`"data":{"contentEncoding":"base64","type":"string"}`, `"application/problem+json"`,
		`"in":"path","name":"id","required":true`, `"text/plain"`, `"requestBody"`, `"202":{`,
		`"name":"Prefer"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	for _, not := range []string{"Skip", "lower"} {
		if strings.Contains(string(data), not) {
			t.Errorf("%s is in it", not)
		}
	}
	ts := string(TypeScript(doc))
	for _, want := range []string{
		"export interface Sample {", "  id: string;", "  next: Sample | null;", "  parts?: Sample[] | null;",
		"  sums: Record<string, number>;", "  wait_ns?: number;",
	} {
		if !strings.Contains(ts, want) {
			t.Errorf("no %q in\n%s", want, ts)
		}
	}
}
