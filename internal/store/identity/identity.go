package identity

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// Of returns the first eight bytes of the SHA-256 of content. Within a service, which has at most
// some millions of stacks, the probability that two are equal is below 10^-6.
func Of(content []byte) uint64 {
	sum := sha256.Sum256(content)
	return binary.LittleEndian.Uint64(sum[:8])
}

// Frame returns the identity of a location: its mapping but for where it was loaded, the address
// in it, functions and lines. buf is for the content, and is returned for the next call.
func Frame(t *profile.StackTable, loc uint32, buf []byte) (uint64, []byte) {
	l := &t.Locations[loc]
	buf = buf[:0]
	address := l.Address
	if l.Mapping != profile.None {
		m := &t.Mappings[l.Mapping]
		const page = 0x1000
		address -= m.Start
		buf = binary.AppendUvarint(append(buf, 1), (m.Limit-m.Start+page-1)/page)
		buf = binary.AppendUvarint(buf, m.Offset)
		if m.BuildID != "" {
			buf = packed.AppendText(buf, m.BuildID)
		} else {
			buf = packed.AppendText(buf, m.File)
		}
	} else {
		buf = append(buf, 0)
	}
	buf = binary.AppendUvarint(buf, address)
	return Of(AppendLines(buf, t, l)), buf
}

// AppendLines appends the functions and lines of a location:
//
//	2 × number of lines, + 1 if folded | of each: whether it has a function |
//	name, linker's name, file, first line of the function | line | column
func AppendLines(dst []byte, t *profile.StackTable, l *profile.Location) []byte {
	x := uint64(l.Num) << 1
	if l.Folded {
		x |= 1
	}
	dst = binary.AppendUvarint(dst, x)
	for _, line := range t.Lines[l.First : l.First+l.Num] {
		if line.Function == profile.None {
			dst = append(dst, 0)
		} else {
			f := &t.Functions[line.Function]
			dst = packed.AppendText(append(dst, 1), f.Name)
			dst = packed.AppendText(packed.AppendText(dst, f.SystemName), f.File)
			dst = binary.AppendVarint(dst, f.StartLine)
		}
		dst = binary.AppendVarint(dst, int64(line.Line))
		dst = binary.AppendVarint(dst, int64(line.Column))
	}
	return dst
}

// ReadLines reads what AppendLines wrote.
func ReadLines(text string, b *profile.Builder) (lines []profile.Line, folded bool, err error) {
	d := &packed.Decoder{B: []byte(text)}
	x := d.Uvarint()
	if x>>1 > uint64(len(d.B)) {
		return nil, false, packed.ErrDamaged
	}
	for range x >> 1 {
		line := profile.Line{Function: profile.None}
		if d.Uvarint() != 0 {
			line.Function = b.Function(profile.Function{
				Name: d.Text(), SystemName: d.Text(), File: d.Text(), StartLine: d.Varint(),
			})
		}
		line.Line, line.Column = int32(d.Varint()), int32(d.Varint())
		lines = append(lines, line)
	}
	return lines, x&1 == 1, d.End()
}

// Series returns the identity of a series within its tenant.
func Series(service, kind string, labels store.Labels) uint64 {
	b := packed.AppendText(packed.AppendText(nil, service), kind)
	for _, l := range labels {
		b = packed.AppendText(packed.AppendText(b, l.Name), l.Value)
	}
	return Of(b)
}
