package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
)

// A message is a protobuf message.
type message []byte

func (m message) number(field int, v uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), v)
}

func (m message) bytes(field int, b []byte) message {
	m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(b)))
	return append(m, b...)
}

// head starts a profile: strings, one sample type, one mapping, one function and one location with
// id 1. Field numbers are those of profile.proto.
func head() message {
	var m message
	for _, s := range []string{"", "cpu", "nanoseconds", "main.work", "/src/app/main.go", "/bin/app", "samples", "count"} {
		m = m.bytes(6, []byte(s))
	}
	m = m.bytes(1, message(nil).number(1, 6).number(2, 7))
	m = m.bytes(1, message(nil).number(1, 1).number(2, 2))
	m = m.bytes(3, message(nil).number(1, 1).number(2, 0x1000).number(3, 0x7fffffff).number(5, 5).number(7, 1))
	m = m.bytes(5, message(nil).number(1, 1).number(2, 3).number(4, 4).number(5, 1))
	return m.bytes(4, message(nil).number(1, 1).number(2, 1).number(3, 0x1010).bytes(4,
		message(nil).number(1, 1).number(2, 7)))
}

func sample(locations ...uint64) message {
	var ids []byte
	for _, l := range locations {
		ids = binary.AppendUvarint(ids, l)
	}
	return message(nil).bytes(1, ids).bytes(2, []byte{1, 10})
}

// Gzip returns compressed data.
func Gzip(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// Bomb returns a valid profile of n equal samples, which compresses to a thousandth.
func Bomb(n int) []byte {
	return append(head(), bytes.Repeat(message(nil).bytes(2, sample(1)), n)...)
}

// Inlined returns a profile with one location of n inlined lines, in several different stacks.
func Inlined(n, stacks int) []byte {
	m := head()
	l := message(nil).number(1, 2).number(2, 1).number(3, 0x2000)
	for i := range n {
		l = l.bytes(4, message(nil).number(1, 1).number(2, uint64(i+1)))
	}
	m = m.bytes(4, l)
	for i := range stacks {
		id := uint64(3 + i)
		m = m.bytes(4, message(nil).number(1, id).number(2, 1).number(3, 0x3000+id).bytes(4,
			message(nil).number(1, 1).number(2, id)))
		m = m.bytes(2, sample(id, 2))
	}
	return m
}

// Deep returns a profile whose stacks each repeat one location depth times.
func Deep(depth, stacks int) []byte {
	m := head()
	for i := range stacks {
		ids := make([]uint64, depth+i)
		for j := range ids {
			ids[j] = 1
		}
		m = m.bytes(2, sample(ids...))
	}
	return m
}

// Labels returns a profile of n samples, each with a different label.
func Labels(n int) []byte {
	m := head()
	m = m.bytes(6, []byte("request"))
	for i := range n {
		m = m.bytes(2, append(sample(1), message(nil).bytes(3, message(nil).number(1, 8).number(3, uint64(i+1)))...))
	}
	return m
}

// LabelKeys returns a profile of n samples, each with another label.
func LabelKeys(n int) []byte {
	m := head()
	for i := range n {
		m = m.bytes(6, fmt.Appendf(nil, "key%d", i))
	}
	for i := range n {
		label := message(nil).number(1, uint64(8+i)).number(2, 3)
		m = m.bytes(2, append(sample(1), message(nil).bytes(3, label)...))
	}
	return m
}

// Strings returns a profile with text in all its strings.
func Strings(text string) []byte {
	var m message
	for i := range 14 {
		s := fmt.Sprintf("%d%s.go", i, text)
		if i == 0 {
			s = ""
		}
		m = m.bytes(6, []byte(s))
	}
	m = m.bytes(1, message(nil).number(1, 1).number(2, 2))
	m = m.bytes(1, message(nil).number(1, 3).number(2, 4))
	m = m.bytes(11, message(nil).number(1, 3).number(2, 4)).number(12, 1)
	m = m.bytes(3, message(nil).number(1, 1).number(2, 0x1000).number(3, 0x8000).number(5, 5).number(6, 6).number(7, 1))
	m = m.bytes(3, message(nil).number(1, 2).number(2, 0x8000).number(3, 0xf000).number(5, 7)) // without symbols
	m = m.bytes(5, message(nil).number(1, 1).number(2, 8).number(3, 8).number(4, 9).number(5, 1))
	m = m.bytes(5, message(nil).number(1, 2).number(2, 10).number(3, 10).number(4, 9).number(5, 5))
	m = m.bytes(4, message(nil).number(1, 1).number(2, 1).number(3, 0x1010).bytes(4,
		message(nil).number(1, 1).number(2, 3)))
	m = m.bytes(4, message(nil).number(1, 2).number(2, 1).number(3, 0x1020).
		bytes(4, message(nil).number(1, 1).number(2, 4)).bytes(4, message(nil).number(1, 2).number(2, 6)))
	m = m.bytes(4, message(nil).number(1, 3).number(2, 2).number(3, 0x8010))
	label := message(nil).bytes(3, message(nil).number(1, 11).number(2, 12)).bytes(3,
		message(nil).number(1, 11).number(3, 7).number(4, 13))
	for _, ids := range [][]uint64{{1, 2}, {2}, {3, 2}, {3}} {
		m = m.bytes(2, append(sample(ids...), label...))
	}
	return m.number(13, 5).number(14, 3).number(15, 6)
}

// CountText returns a profile in a text format from before protobuf: n stacks of one address.
func CountText(n int) []byte {
	var b bytes.Buffer
	b.WriteString("goroutine profile: total 1\n")
	for i := range n {
		fmt.Fprintf(&b, "1 @ 0x%x\n", 0x1000+i)
	}
	return b.Bytes()
}

// HeapText returns a heap profile in text: short, equal lines.
func HeapText(n int) []byte {
	return []byte("heap profile: 1: 1 [1: 1] @ heapprofile\n" + strings.Repeat("1: 1 [1: 1] @\n", n))
}

// JavaText returns a heap profile of Java in text.
func JavaText(n int) []byte {
	var b bytes.Buffer
	b.WriteString("--- heapz 1 ---\nformat = java\nresolution = bytes\n")
	for i := range n {
		fmt.Fprintf(&b, "1 1 @ 0x%x\n", 0x1000+i)
	}
	return b.Bytes()
}
