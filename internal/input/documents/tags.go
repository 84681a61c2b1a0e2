package documents

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// TagsSchema is the schema of Tags.
const TagsSchema = "whet.tags/2"

// Tags is the document of whet tags: the labels of a profile's samples.
type Tags struct {
	Schema   string        `json:"schema"`
	Header   Header        `json:"profile"`
	Keys     []TagKey      `json:"keys"` // heaviest first
	Warnings diag.Warnings `json:"warnings,omitempty"`

	Empty bool `json:"-"` // no sample at all
}

// A TagKey is one label key with its values.
type TagKey struct {
	Key    string     `json:"key"`
	Total  int64      `json:"total"` // of the samples that have the label
	Share  float64    `json:"share"` // of Header.Total, 0 to 1
	Values []TagValue `json:"values"`
	Hidden int        `json:"hidden"` // lighter values left out
	Left   int64      `json:"left"`   // their weight
}

// A TagValue is one value of a label.
type TagValue struct {
	Value  string  `json:"value"` // a number has its unit
	Weight int64   `json:"weight"`
	Share  float64 `json:"share"`            // of Header.Total, 0 to 1
	Filter string  `json:"filter,omitempty"` // the tag filter that only these samples pass; "" if none can
}

// NewTags returns the document of all label keys with the n heaviest values of each (0: all).
func NewTags(h Header, v *profile.View, n int) Tags {
	type value struct {
		weight    int64
		low, high int64 // of numbers with the same text
		numeric   bool
	}
	type key struct {
		values map[string]value
		total  int64
	}
	keys := map[string]*key{}
	for s := range v.Stacks() {
		for _, l := range s.Labels {
			k := keys[l.Key]
			if k == nil {
				k = &key{values: map[string]value{}}
				keys[l.Key] = k
			}
			text := labelText(l)
			v, ok := k.values[text]
			if !ok {
				v = value{low: l.Num, high: l.Num}
			}
			k.values[text] = value{v.weight + s.Value, min(v.low, l.Num), max(v.high, l.Num), l.Numeric}
			k.total += s.Value
		}
	}
	d := Tags{Schema: TagsSchema, Header: h, Keys: []TagKey{}, Empty: v.Samples() == 0}
	for name, k := range keys {
		tk := TagKey{Key: name, Total: k.total, Share: unit.Share(k.total, h.Total)}
		for text, v := range k.values {
			tk.Values = append(tk.Values, TagValue{Value: text, Weight: v.weight, Share: unit.Share(v.weight, h.Total)})
		}
		slices.SortFunc(tk.Values, func(a, b TagValue) int {
			return cmp.Or(cmp.Compare(max(b.Weight, -b.Weight), max(a.Weight, -a.Weight)), strings.Compare(a.Value, b.Value))
		})
		if n > 0 && len(tk.Values) > n {
			for _, x := range tk.Values[n:] {
				tk.Left += x.Weight
			}
			tk.Hidden, tk.Values = len(tk.Values)-n, tk.Values[:n]
		}
		for i := range tk.Values {
			one := &tk.Values[i]
			if v := k.values[one.Value]; v.numeric {
				one.Filter = labelFilter(name, fmt.Sprintf("%d:%d", v.low, v.high))
			} else {
				// Commas separate expressions.
				one.Filter = labelFilter(name, "^"+strings.ReplaceAll(regexp.QuoteMeta(one.Value), ",", `\x2c`)+"$")
			}
		}
		d.Keys = append(d.Keys, tk)
	}
	slices.SortFunc(d.Keys, func(a, b TagKey) int {
		return cmp.Or(cmp.Compare(max(b.Total, -b.Total), max(a.Total, -a.Total)), strings.Compare(a.Key, b.Key))
	})
	return d
}

// labelFilter returns the tag filter of a label's values: an expression, or a range in the label's own unit. It is ""
// for a key that a filter cannot name.
func labelFilter(key, values string) string {
	if key == "" || strings.Contains(key, "=") {
		return ""
	}
	return key + "=" + values
}
