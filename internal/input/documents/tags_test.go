package documents

import (
	"testing"

	"github.com/whet-go/whet/profile"
)

// TestTagFilters keeps the samples of each value of a label with the filter that the document has for it.
func TestTagFilters(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	fn := b.Function(profile.Function{Name: "main.work"})
	at := b.Location(0, profile.None, false, profile.Line{Function: fn, Line: 1})
	labels := []profile.Label{
		{Key: "path", Str: "/order"},
		{Key: "path", Str: "/order/1,2"},
		{Key: "path", Str: "/(.*)"},
		{Key: "path", Str: "200"},
		{Key: "bytes", Num: 4096, Numeric: true},
		{Key: "bytes", Num: 16, Unit: "kilobytes", Numeric: true},
		{Key: "a=b", Str: "c"},
	}
	for i, l := range labels {
		if err := b.Sample([]uint32{at}, []profile.Label{l}, 1<<i); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile(nil)
	all, err := p.View(profile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, k := range NewTags(Header{}, all, 0).Keys {
		for _, v := range k.Values {
			n++
			if k.Key == "a=b" {
				if v.Filter != "" {
					t.Errorf("%s has the filter %q, which names another key", k.Key, v.Filter)
				}
				continue
			}
			kept, err := p.View(profile.Query{TagFocus: v.Filter})
			if err != nil {
				t.Fatal(err)
			}
			var got int64
			for s := range kept.Stacks() {
				got += s.Value
			}
			if got != v.Weight {
				t.Errorf("%s %q: %s keeps %d, want %d", k.Key, v.Value, v.Filter, got, v.Weight)
			}
		}
	}
	if n != len(labels) {
		t.Errorf("%d values, want %d", n, len(labels))
	}
}
