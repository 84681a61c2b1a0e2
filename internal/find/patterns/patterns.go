package patterns

import (
	"cmp"
	"regexp"
)

// A Mask has one bit for each pattern of a set.
type Mask [2]uint64

// Most is the number of bits in a Mask, and of patterns in a set.
const Most = 128

// Set adds a pattern.
func (m *Mask) Set(i int) { m[i/64] |= 1 << (i % 64) }

// Has reports whether a pattern matches.
func (m Mask) Has(i int) bool { return m[i/64]&(1<<(i%64)) != 0 }

// Or adds the patterns of another mask.
func (m *Mask) Or(o Mask) { m[0] |= o[0]; m[1] |= o[1] }

// Unknown reports whether it is not known what was called: all bits are set.
func (m Mask) Unknown() bool { return m == Mask{^uint64(0), ^uint64(0)} }

// Compare orders masks.
func (m Mask) Compare(o Mask) int { return cmp.Or(cmp.Compare(m[0], o[0]), cmp.Compare(m[1], o[1])) }

// A Set is regular expressions without duplicates. The zero value is empty.
type Set struct {
	exprs []*regexp.Regexp
	index map[string]int
}

// Add returns the index of a pattern.
func (p *Set) Add(expr string) (int, error) {
	if i, ok := p.index[expr]; ok {
		return i, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return 0, err
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	p.index[expr] = len(p.exprs)
	p.exprs = append(p.exprs, re)
	return len(p.exprs) - 1, nil
}

// Match returns the patterns that match a name.
func (p *Set) Match(name string) Mask {
	var m Mask
	for i, re := range p.exprs {
		if re.MatchString(name) {
			m.Set(i)
		}
	}
	return m
}

// Len returns the number of patterns.
func (p *Set) Len() int { return len(p.exprs) }

// Unknown returns the mask of what may match any pattern.
func Unknown() Mask { return Mask{^uint64(0), ^uint64(0)} }
