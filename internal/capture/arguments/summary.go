package arguments

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/capture/support"
)

// A Summary describes the calls of a function.
type Summary struct {
	Package string  `json:"package"`
	Name    string  `json:"name"`
	Taken   int64   `json:"taken"` // calls that were copied
	Kept    int     `json:"kept"`  // of these, the calls in the recording
	Rate    float64 `json:"rate,omitempty"`
	Note    string  `json:"note,omitempty"`
	// Arguments are the receiver, if there is one, and the parameters; Results the results.
	Arguments []Argument `json:"arguments,omitempty"`
	Results   []Argument `json:"results,omitempty"`
}

// An Argument describes the values of an argument or a result.
type Argument struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type"`
	// Size describes the lengths of texts, slices and maps, or the values of numbers; nil if it has none.
	Size *Size `json:"size,omitempty"`
	// Values are the most frequent values, as Go writes them.
	Values []Frequent `json:"values,omitempty"`
	// Missing is why some values are incomplete, and how many.
	Missing map[string]int `json:"missing,omitempty"`
}

// A Size is a distribution of lengths or numbers.
type Size struct {
	Of     string  `json:"of"` // length or value
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Max    float64 `json:"max"`
}

// A Frequent is a value and how many of the calls have it.
type Frequent struct {
	Value string `json:"value"`
	Calls int    `json:"calls"`
}

// maxFrequent is the number of values that are listed.
const maxFrequent = 3

// Summarize describes the functions of a document.
func Summarize(d *Document) []Summary {
	var out []Summary
	for i := range d.Functions {
		f := &d.Functions[i]
		s := Summary{Package: f.Package, Name: f.Name, Taken: f.Taken, Kept: len(f.Calls), Rate: f.Rate, Note: f.Note}
		names := f.Parameters
		if f.Receiver {
			names = append([]string{"receiver"}, names...)
		}
		for at, name := range names {
			s.Arguments = append(s.Arguments, describe(name, f.Calls, func(c *support.Call) []support.Value {
				return c.Arguments
			}, at))
		}
		for at, name := range f.Results {
			s.Results = append(s.Results, describe(name, f.Calls, func(c *support.Call) []support.Value {
				return c.Results
			}, at))
		}
		out = append(out, s)
	}
	return out
}

// describe describes the values at a position of the lists that of returns.
func describe(name string, calls []support.Call, of func(*support.Call) []support.Value, at int) Argument {
	a := Argument{Name: name, Missing: map[string]int{}}
	var sizes []float64
	count := map[string]int{}
	kind := ""
	for i := range calls {
		list := of(&calls[i])
		if at >= len(list) {
			continue
		}
		v := &list[at]
		a.Type = cmp.Or(a.Type, v.Type)
		count[Text(v)]++
		if n, of, ok := size(v); ok {
			sizes, kind = append(sizes, n), of
		}
		seen := map[string]bool{}
		reasons(v, seen)
		for why := range seen {
			a.Missing[why]++
		}
	}
	if len(sizes) > 0 {
		slices.Sort(sizes)
		at := func(q float64) float64 { return sizes[int(q*float64(len(sizes)-1))] }
		a.Size = &Size{kind, sizes[0], at(0.5), at(0.9), sizes[len(sizes)-1]}
	}
	for _, text := range slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})[:min(maxFrequent, len(count))] {
		a.Values = append(a.Values, Frequent{text, count[text]})
	}
	return a
}

// size returns the length or number of a value.
func size(v *support.Value) (n float64, of string, ok bool) {
	switch v.Kind {
	case support.KindString, support.KindBytes, support.KindSlice:
		return float64(v.Len), "length", true
	case support.KindMap:
		return float64(v.Len), "length", v.Why == "" || len(v.Items) > 0
	case support.KindInt, support.KindUint, support.KindFloat:
		n, err := strconv.ParseFloat(v.Text, 64)
		return n, "value", err == nil
	case support.KindNil:
		return 0, "length", false
	}
	return 0, "", false
}

// reasons collects why parts of a value are missing.
func reasons(v *support.Value, seen map[string]bool) {
	if v.Why != "" {
		seen[v.Why] = true
	}
	for i := range v.Items {
		reasons(&v.Items[i], seen)
	}
	for i := range v.Fields {
		reasons(&v.Fields[i].Value, seen)
	}
}
