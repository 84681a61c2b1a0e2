package patterns

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
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

	anywhere []int            // patterns that are not anchored
	begin    map[string][]int // the others, by what the names that they match begin with
	lengths  []int            // of these beginnings, in order
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
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0, err
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	i := len(p.exprs)
	p.index[expr] = i
	p.exprs = append(p.exprs, re)
	p.file(i, tree)
	return i, nil
}

// file files a pattern under what the names that it matches begin with.
func (p *Set) file(i int, tree *syntax.Regexp) {
	if !anchored(tree) {
		p.anywhere = append(p.anywhere, i)
		return
	}
	if p.begin == nil {
		p.begin = map[string][]int{}
	}
	list, _ := beginnings(tree)
	for _, b := range list {
		if !slices.Contains(p.begin[b], i) {
			p.begin[b] = append(p.begin[b], i)
		}
		if at, found := slices.BinarySearch(p.lengths, len(b)); !found {
			p.lengths = slices.Insert(p.lengths, at, len(b))
		}
	}
}

// Match returns the patterns that match a name. It only tries those that are filed under a beginning of the name, so
// that thousands of names take little time.
func (p *Set) Match(name string) Mask {
	var m Mask
	for _, i := range p.anywhere {
		if p.exprs[i].MatchString(name) {
			m.Set(i)
		}
	}
	for _, n := range p.lengths {
		if n > len(name) {
			break
		}
		for _, i := range p.begin[name[:n]] {
			if !m.Has(i) && p.exprs[i].MatchString(name) {
				m.Set(i)
			}
		}
	}
	return m
}

// anchored reports whether an expression only matches at the beginning of a text.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpConcat:
		return anchored(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !anchored(sub) })
	default:
		return false
	}
}

// mostBeginnings limits the texts of one pattern.
const mostBeginnings = 64

// beginnings returns texts of which each match of an expression begins with one. They are whole if a match is one of
// them.
func beginnings(re *syntax.Regexp) (list []string, whole bool) {
	switch re.Op { //nolint:exhaustive // the others may begin with anything
	case syntax.OpBeginText, syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}, true
		}
	case syntax.OpCapture:
		return beginnings(re.Sub[0])
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			texts, all := beginnings(sub)
			list, whole = append(list, texts...), whole && all
		}
		return list, whole
	case syntax.OpConcat:
		list, whole = []string{""}, true
		for _, sub := range re.Sub {
			texts, all := beginnings(sub)
			if len(list)*len(texts) > mostBeginnings {
				return list, false
			}
			var longer []string
			for _, a := range list {
				for _, b := range texts {
					longer = append(longer, a+b)
				}
			}
			if list = longer; !all {
				return list, false
			}
		}
		return list, whole
	}
	return []string{""}, false
}

// Len returns the number of patterns.
func (p *Set) Len() int { return len(p.exprs) }

// Unknown returns the mask of what may match any pattern.
func Unknown() Mask { return Mask{^uint64(0), ^uint64(0)} }
