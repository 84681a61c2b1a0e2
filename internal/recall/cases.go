package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/whet-go/whet/find/diagnosis"
)

//go:embed cases.json
var casesJSON []byte

// A testCase is a change of a module's maintainers that made it faster.
type testCase struct {
	// Name is that of a case of internal/power.
	Name string `json:"name"`
	// Kinds are the kinds of cost that the change removes; a diagnosis with one of them is right.
	Kinds []diagnosis.Kind `json:"kinds"`
	// What is what the maintainers did, as a sentence.
	What string `json:"what"`
}

// held reports whether a case is held back: a third of them is.
func (c *testCase) held() bool {
	const parts = 3
	return sha256.Sum256([]byte("recall " + c.Name))[0]%parts == 0
}

// readCases reads cases, which are sorted by name.
func readCases(data []byte) (list []testCase, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	for i, c := range list {
		switch {
		case i > 0 && c.Name <= list[i-1].Name:
			return nil, fmt.Errorf("case %s: it is not after %s", c.Name, list[i-1].Name)
		case len(c.Kinds) == 0 || c.What == "":
			return nil, fmt.Errorf("case %s: it has no kinds, or no sentence", c.Name)
		}
		for _, k := range c.Kinds {
			if !slices.Contains(diagnosis.Kinds(), k) {
				return nil, fmt.Errorf("case %s: kind %q (want one of %v)", c.Name, k, diagnosis.Kinds())
			}
		}
	}
	return list, nil
}
