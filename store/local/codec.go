package local

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/whet-go/whet/profile"
)

// errDamaged is what all decoders return for bytes that this package did not write.
var errDamaged = errors.New("damaged: the packed columns are malformed")

// decoder reads numbers and texts of variable length. After an error it returns zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() { d.err, d.b = errDamaged, nil }

func (d *decoder) uvarint() uint64 {
	if len(d.b) > 0 && d.b[0] < 0x80 { // most are
		x := d.b[0]
		d.b = d.b[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) varint() int64 {
	x := d.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

// index reads a number less than 2^32-1.
func (d *decoder) index() uint32 {
	x := d.uvarint()
	if x >= math.MaxUint32 {
		d.fail()
		return 0
	}
	return uint32(x)
}

// count reads the number of entries that follow, of which each takes at least one byte.
func (d *decoder) count() int {
	x := d.uvarint()
	if x > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(x)
}

func (d *decoder) text() string {
	n := d.count()
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// end fails if anything is left.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.fail()
	}
	return d.err
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendHead appends what a profile has in common with others of its kind:
//
//	number of sample types | type, unit of each | default type | type, unit of the period | period |
//	drop frames | keep frames | URL of the documentation
func appendHead(dst []byte, p *profile.Profile) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.SampleTypes)))
	for _, t := range p.SampleTypes {
		dst = appendText(appendText(dst, t.Type), t.Unit)
	}
	dst = appendText(dst, p.DefaultSampleType)
	dst = appendText(appendText(dst, p.PeriodType.Type), p.PeriodType.Unit)
	dst = binary.AppendVarint(dst, p.Period)
	return appendText(appendText(appendText(dst, p.DropFrames), p.KeepFrames), p.DocURL)
}

// readHead returns a profile with these fields alone.
func readHead(b []byte) (*profile.Profile, error) {
	d := &decoder{b: b}
	valueType := func() profile.ValueType { return profile.ValueType{Type: d.text(), Unit: d.text()} }
	p := &profile.Profile{}
	for range d.count() {
		p.SampleTypes = append(p.SampleTypes, valueType())
	}
	p.DefaultSampleType, p.PeriodType, p.Period = d.text(), valueType(), d.varint()
	p.DropFrames, p.KeepFrames, p.DocURL = d.text(), d.text(), d.text()
	return p, d.end()
}

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
		dst = appendText(dst, comment)
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
			dst = appendText(appendText(dst, l.Key), l.Str)
			dst = appendText(binary.AppendVarint(dst, l.Num), l.Unit)
			numeric := byte(0)
			if l.Numeric {
				numeric = 1
			}
			dst = append(dst, numeric)
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
	d := &decoder{b: b}
	c.main, c.comments, c.sets, c.labels = d.index(), c.comments[:0], c.sets[:0], c.labels[:0]
	for range d.count() {
		c.comments = append(c.comments, d.text())
	}
	n := d.count()
	c.stacks = grow(c.stacks, n)
	last := uint64(0)
	for i := range c.stacks {
		last += d.uvarint()
		if last >= math.MaxUint32 {
			d.fail()
			break
		}
		c.stacks[i] = uint32(last)
	}
	for range d.count() {
		var set []profile.Label
		for range d.count() {
			l := profile.Label{Key: d.text(), Str: d.text(), Num: d.varint(), Unit: d.text()}
			l.Numeric = d.uvarint() == 1
			set = append(set, l)
		}
		c.sets = append(c.sets, set)
	}
	if len(c.sets) > 0 {
		c.labels = grow(c.labels, n)
		for i := range c.labels {
			if c.labels[i] = d.index(); int64(c.labels[i]) > int64(len(c.sets)) {
				d.fail()
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
		case d.err != nil:
			return d.err
		case len(d.b) == 0 || d.b[0] > multipleValues || d.b[0] == multipleValues && t == 0:
			d.fail()
		case d.b[0] == multipleValues:
			d.b = d.b[1:]
			factor := d.varint()
			for i, x := range c.values[0] {
				column[i] = x * factor
			}
		default:
			d.b = d.b[1:]
			for i := range column {
				column[i] = d.varint()
			}
		}
	}
	return d.end()
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
