package workorder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/recording"
)

// callsPart is the part of a recording with sampled calls, and callsSchema its schema.
const (
	callsPart   = "arguments/calls.json"
	callsSchema = "whet.arguments/1"
	maxCallsDoc = 16 << 20 // bytes
)

// Captured describes the arguments of a function in sampled calls of the recorded program.
type Captured struct {
	Taken      int64      `json:"taken"` // number of calls that were copied
	Rate       float64    `json:"calls_per_second"`
	Parameters []Argument `json:"arguments"`
}

// An Argument is what was passed for a parameter, or as receiver.
type Argument struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	// Lengths are the smallest, the median and the largest length; empty for values without a length.
	Lengths []int `json:"lengths,omitempty"`
	// Values are the most frequent ones, shortened.
	Values []string `json:"values,omitempty"`
	// Missing is why values are missing, such as that they were redacted.
	Missing []string `json:"missing,omitempty"`
}

// A sampledValue is the part of a sampled value that is summarized.
type sampledValue struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Len  *int   `json:"len"`
	Why  string `json:"why"`
}

// Limits of what is shown of an argument.
const (
	maxValues = 5
	maxValue  = 80 // bytes
)

// CapturedIn returns what a recording has about the arguments of a function, named as in Go source; nil if it has none.
func CapturedIn(rec *recording.Recording, pkg, function string) (_ *Captured, err error) {
	if rec == nil || !rec.Has(callsPart) {
		return nil, nil
	}
	part, err := rec.Part(callsPart)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	text, err := io.ReadAll(io.LimitReader(part, maxCallsDoc+1))
	if err != nil {
		return nil, err
	}
	var doc struct {
		Schema    string `json:"schema"`
		Functions []struct {
			Package    string   `json:"package"`
			Name       string   `json:"name"`
			Receiver   bool     `json:"receiver"`
			Parameters []string `json:"parameters"`
			Taken      int64    `json:"taken"`
			Rate       float64  `json:"rate"`
			Calls      []struct {
				Arguments []sampledValue `json:"arguments"`
			} `json:"calls"`
		} `json:"functions"`
	}
	if len(text) > maxCallsDoc {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", callsPart, maxCallsDoc)
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read %s: %w", callsPart, err)
	}
	if doc.Schema != callsSchema {
		return nil, fmt.Errorf("read %s: unknown schema %q (want %s)", callsPart, doc.Schema, callsSchema)
	}
	for _, f := range doc.Functions {
		if f.Package != pkg || f.Name != function {
			continue
		}
		c := &Captured{Taken: f.Taken, Rate: f.Rate, Parameters: []Argument{}}
		names := f.Parameters
		if f.Receiver {
			names = append([]string{"receiver"}, names...)
		}
		for i, name := range names {
			var values []sampledValue
			for _, call := range f.Calls {
				if i < len(call.Arguments) {
					values = append(values, call.Arguments[i])
				}
			}
			c.Parameters = append(c.Parameters, summarize(name, values))
		}
		return c, nil
	}
	return nil, nil
}

// summarize returns the lengths and the most frequent values of an argument.
func summarize(name string, values []sampledValue) Argument {
	a := Argument{Name: name}
	var lengths []int
	times, missing := map[string]int{}, map[string]bool{}
	for _, v := range values {
		a.Type = cmp.Or(a.Type, v.Type)
		if v.Len != nil {
			lengths = append(lengths, *v.Len)
		}
		if v.Why != "" {
			missing[v.Why] = true
		}
		if v.Text != "" {
			shown := v.Text
			if len(shown) > maxValue {
				shown = strings.ToValidUTF8(shown[:maxValue], "") + "…"
			}
			times[shown]++
		}
	}
	if slices.Sort(lengths); len(lengths) > 0 {
		a.Lengths = []int{lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1]}
	}
	a.Values = slices.SortedFunc(maps.Keys(times), func(x, y string) int {
		return cmp.Or(cmp.Compare(times[y], times[x]), strings.Compare(x, y))
	})
	a.Values = a.Values[:min(len(a.Values), maxValues)]
	a.Missing = slices.Sorted(maps.Keys(missing))
	a.Missing = a.Missing[:min(len(a.Missing), maxValues)]
	return a
}
