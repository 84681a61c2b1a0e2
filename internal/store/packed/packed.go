package packed

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/whet-go/whet/profile"
)

// ErrDamaged is what decoders return for bytes that were not written by this package.
var ErrDamaged = errors.New("damaged: the packed columns are malformed")

// A Decoder reads numbers and texts of variable length. After an error it returns zeros.
type Decoder struct {
	B   []byte // what is left
	Err error  // ErrDamaged after the first error
}

// Fail makes all further reads return zeros.
func (d *Decoder) Fail() { d.Err, d.B = ErrDamaged, nil }

// Uvarint reads an unsigned number.
func (d *Decoder) Uvarint() uint64 {
	if len(d.B) > 0 && d.B[0] < 0x80 { // most are
		x := d.B[0]
		d.B = d.B[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.B = d.B[n:]
	return x
}

// Varint reads a signed number.
func (d *Decoder) Varint() int64 {
	x := d.Uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

// Index reads a number less than 2^32-1.
func (d *Decoder) Index() uint32 {
	x := d.Uvarint()
	if x >= math.MaxUint32 {
		d.Fail()
		return 0
	}
	return uint32(x)
}

// Indices reads as many numbers less than 2^32-1 as dst has room for.
func (d *Decoder) Indices(dst []uint32) {
	b := d.B // not in memory, for speed
	for i := range dst {
		switch {
		case len(b) > 1 && b[0] >= 0x80 && b[1] < 0x80: // most are
			dst[i] = uint32(b[0]&0x7f) | uint32(b[1])<<7
			b = b[2:]
		case len(b) > 2 && b[0] >= 0x80 && b[1] >= 0x80 && b[2] < 0x80:
			dst[i] = uint32(b[0]&0x7f) | uint32(b[1]&0x7f)<<7 | uint32(b[2])<<14
			b = b[3:]
		default:
			d.B = b
			dst[i] = d.Index()
			b = d.B
		}
	}
	d.B = b
}

// Count reads the number of entries that follow, of which each takes at least one byte.
func (d *Decoder) Count() int {
	x := d.Uvarint()
	if x > uint64(len(d.B)) {
		d.Fail()
		return 0
	}
	return int(x)
}

// Text reads a text.
func (d *Decoder) Text() string {
	n := d.Count()
	s := string(d.B[:n])
	d.B = d.B[n:]
	return s
}

// End fails if anything is left, and returns Err.
func (d *Decoder) End() error {
	if d.Err == nil && len(d.B) > 0 {
		d.Fail()
	}
	return d.Err
}

// AppendText appends a text.
func AppendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// AppendHead appends what a profile has in common with others of its kind:
//
//	number of sample types | type, unit of each | default type | type, unit of the period | period |
//	drop frames | keep frames | URL of the documentation
func AppendHead(dst []byte, p *profile.Profile) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.SampleTypes)))
	for _, t := range p.SampleTypes {
		dst = AppendText(AppendText(dst, t.Type), t.Unit)
	}
	dst = AppendText(dst, p.DefaultSampleType)
	dst = AppendText(AppendText(dst, p.PeriodType.Type), p.PeriodType.Unit)
	dst = binary.AppendVarint(dst, p.Period)
	return AppendText(AppendText(AppendText(dst, p.DropFrames), p.KeepFrames), p.DocURL)
}

// Head returns a profile with the fields that AppendHead wrote, and no samples.
func Head(b []byte) (*profile.Profile, error) {
	d := &Decoder{B: b}
	valueType := func() profile.ValueType { return profile.ValueType{Type: d.Text(), Unit: d.Text()} }
	p := &profile.Profile{}
	for range d.Count() {
		p.SampleTypes = append(p.SampleTypes, valueType())
	}
	p.DefaultSampleType, p.PeriodType, p.Period = d.Text(), valueType(), d.Varint()
	p.DropFrames, p.KeepFrames, p.DocURL = d.Text(), d.Text(), d.Text()
	return p, d.End()
}

// AppendMapping appends a mapping: start, limit, offset, file, build ID, flags.
func AppendMapping(dst []byte, m *profile.Mapping) []byte {
	for _, x := range []uint64{m.Start, m.Limit, m.Offset} {
		dst = binary.AppendUvarint(dst, x)
	}
	dst = AppendText(AppendText(dst, m.File), m.BuildID)
	flags := uint64(0)
	for i, set := range []bool{m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames} {
		if set {
			flags |= 1 << i
		}
	}
	return binary.AppendUvarint(dst, flags)
}

// Mapping reads what AppendMapping wrote.
func (d *Decoder) Mapping() profile.Mapping {
	m := profile.Mapping{Start: d.Uvarint(), Limit: d.Uvarint(), Offset: d.Uvarint(), File: d.Text(), BuildID: d.Text()}
	flags := d.Uvarint()
	for i, set := range []*bool{&m.HasFunctions, &m.HasFilenames, &m.HasLineNumbers, &m.HasInlineFrames} {
		*set = flags>>i&1 == 1
	}
	return m
}

// AppendLabel appends a label of a sample: key, string, number, unit, whether it is numeric.
func AppendLabel(dst []byte, l profile.Label) []byte {
	dst = AppendText(AppendText(dst, l.Key), l.Str)
	dst = AppendText(binary.AppendVarint(dst, l.Num), l.Unit)
	numeric := byte(0)
	if l.Numeric {
		numeric = 1
	}
	return append(dst, numeric)
}

// Label reads what AppendLabel wrote.
func (d *Decoder) Label() profile.Label {
	l := profile.Label{Key: d.Text(), Str: d.Text(), Num: d.Varint(), Unit: d.Text()}
	l.Numeric = d.Uvarint() == 1
	return l
}
