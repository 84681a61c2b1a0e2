package documents

import (
	"cmp"
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
	Share  float64 `json:"share"` // of Header.Total, 0 to 1
}

// NewTags returns the document of all label keys with the n heaviest values of each (0: all).
func NewTags(h Header, v *profile.View, n int) Tags {
	type key struct {
		values map[string]int64
		total  int64
	}
	keys := map[string]*key{}
	for s := range v.Stacks() {
		for _, l := range s.Labels {
			k := keys[l.Key]
			if k == nil {
				k = &key{values: map[string]int64{}}
				keys[l.Key] = k
			}
			k.values[labelText(l)] += s.Value
			k.total += s.Value
		}
	}
	d := Tags{Schema: TagsSchema, Header: h, Keys: []TagKey{}, Empty: v.Samples() == 0}
	for name, k := range keys {
		tk := TagKey{Key: name, Total: k.total, Share: unit.Share(k.total, h.Total)}
		for value, weight := range k.values {
			tk.Values = append(tk.Values, TagValue{value, weight, unit.Share(weight, h.Total)})
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
		d.Keys = append(d.Keys, tk)
	}
	slices.SortFunc(d.Keys, func(a, b TagKey) int {
		return cmp.Or(cmp.Compare(max(b.Total, -b.Total), max(a.Total, -a.Total)), strings.Compare(a.Key, b.Key))
	})
	return d
}
