package profile

import (
	"maps"
	"slices"
	"strconv"
)

// labelBuilder fills a profile's label columns sample by sample.
type labelBuilder struct {
	p   *Profile
	ids map[string]uint32
	any bool
}

func newLabelBuilder(p *Profile) *labelBuilder {
	p.strings = []string{""}
	return &labelBuilder{p: p, ids: map[string]uint32{"": 0}}
}

func (b *labelBuilder) str(s string) uint32 {
	id, ok := b.ids[s]
	if !ok {
		id = uint32(len(b.p.strings))
		b.ids[s] = id
		b.p.strings = append(b.p.strings, s)
	}
	return id
}

func (b *labelBuilder) add(l Label) {
	if !l.Numeric && l.Str == "" || l.Numeric && l.Num == 0 && l.Unit == "" {
		return // the format cannot represent it
	}
	b.p.labels = append(b.p.labels, label{b.str(l.Key), b.str(l.Str), b.str(l.Unit), l.Num})
	b.any = true
}

func (b *labelBuilder) endSample() {
	b.p.labelEnd = append(b.p.labelEnd, uint32(len(b.p.labels)))
}

func (b *labelBuilder) finish() {
	if !b.any {
		b.p.labelEnd, b.p.labels, b.p.strings = nil, nil, nil
	}
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Value returns the label's value as text: the string, or the number with its unit.
func (l Label) Value() string {
	if l.Numeric {
		return strconv.FormatInt(l.Num, 10) + l.Unit
	}
	return l.Str
}
