package local

import (
	"encoding/binary"
	"math"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
)

// columns are the samples of a profile, by the number of their stack.
type columns struct {
	main     uint32 // number of the main mapping, plus one; 0: none
	comments []string
	stacks   []uint32          // ascending
	sets     [][]profile.Label // the different sets of labels
	labels   []uint32          // per sample: index in sets, plus one; nil if no sample has labels
	values   [][]int64         // per sample type
}

// Forms of a column of values.
const (
	plainValues    = 0 // each
	multipleValues = 1 // of the first column: only the factor
)

// append appends the packed columns:
//
//	main | comments | number of samples | stacks, each less the previous one |
//	number of sets | labels of each: key, string, number, unit, whether numeric | label set of each sample |
//	per sample type: form | values, or factor
func (c *columns) append(dst []byte) []byte {
	uvarint := func(x uint64) { dst = binary.AppendUvarint(dst, x) }
	uvarint(uint64(c.main))
	uvarint(uint64(len(c.comments)))
	for _, comment := range c.comments {
		dst = packed.AppendText(dst, comment)
	}
	uvarint(uint64(len(c.stacks)))
	last := uint32(0)
	for _, stack := range c.stacks {
		uvarint(uint64(stack - last))
		last = stack
	}
	uvarint(uint64(len(c.sets)))
	for _, set := range c.sets {
		uvarint(uint64(len(set)))
		for _, l := range set {
			dst = packed.AppendLabel(dst, l)
		}
	}
	if len(c.sets) > 0 {
		for _, set := range c.labels {
			uvarint(uint64(set))
		}
	}
	for t, column := range c.values {
		if factor, ok := multiple(c.values[0], column); t > 0 && ok {
			dst = binary.AppendVarint(append(dst, multipleValues), factor)
			continue
		}
		dst = append(dst, plainValues)
		for _, v := range column {
			dst = binary.AppendVarint(dst, v)
		}
	}
	return dst
}

// multiple returns the factor by which all values of a column are those of the first one.
func multiple(first, column []int64) (factor int64, ok bool) {
	for i, x := range first {
		if x != 0 {
			factor = column[i] / x
			break
		}
	}
	for i, x := range first {
		if column[i] != x*factor {
			return 0, false
		}
	}
	return factor, true
}

// read unpacks columns for a number of sample types. It reuses the slices of c.
func (c *columns) read(b []byte, types int) error {
	d := &packed.Decoder{B: b}
	c.main, c.comments, c.sets, c.labels = d.Index(), c.comments[:0], c.sets[:0], c.labels[:0]
	for range d.Count() {
		c.comments = append(c.comments, d.Text())
	}
	n := d.Count()
	c.stacks = grow(c.stacks, n)
	last := uint64(0)
	for i := range c.stacks {
		last += d.Uvarint()
		if last >= math.MaxUint32 {
			d.Fail()
			break
		}
		c.stacks[i] = uint32(last)
	}
	for range d.Count() {
		var set []profile.Label
		for range d.Count() {
			set = append(set, d.Label())
		}
		c.sets = append(c.sets, set)
	}
	if len(c.sets) > 0 {
		c.labels = grow(c.labels, n)
		for i := range c.labels {
			if c.labels[i] = d.Index(); int64(c.labels[i]) > int64(len(c.sets)) {
				d.Fail()
				break
			}
		}
	}
	for len(c.values) < types {
		c.values = append(c.values, nil)
	}
	c.values = c.values[:types]
	for t := range c.values {
		c.values[t] = grow(c.values[t], n)
		switch column := c.values[t]; {
		case d.Err != nil:
			return d.Err
		case len(d.B) == 0 || d.B[0] > multipleValues || d.B[0] == multipleValues && t == 0:
			d.Fail()
		case d.B[0] == multipleValues:
			d.B = d.B[1:]
			factor := d.Varint()
			for i, x := range c.values[0] {
				column[i] = x * factor
			}
		default:
			d.B = d.B[1:]
			for i := range column {
				column[i] = d.Varint()
			}
		}
	}
	return d.End()
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
