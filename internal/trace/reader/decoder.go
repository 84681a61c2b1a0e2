package reader

import "encoding/binary"

// A decoder reads the parts of a trace's wire format. After a read beyond the end, or of an
// impossible value, it returns zeros and sets bad.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

// skip skips a text preceded by its length.
func (d *decoder) skip() {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return
	}
	d.b = d.b[n:]
}
