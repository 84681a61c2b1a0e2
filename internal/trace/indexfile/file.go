package indexfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The first and the last bytes of an index. The number is the version of the format: an index of
// another version is not read, but built again.
const (
	magic    = "whet trace index 6\n"
	endMagic = "\nend of index\n"
)

// tailLen is the length of what follows the tables: their position, length and checksum.
const tailLen = 8 + 8 + 4 + len(endMagic)

// A Ref is the position of a block.
type Ref struct {
	off int64
	len uint32
	sum uint32 // CRC-32C of its bytes
}

// maxBlock bounds a block, so that a damaged index cannot request more memory.
const maxBlock = 64 << 20

func castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// A Writer writes an index.
type Writer struct {
	w   *bufio.Writer
	off int64
}

// NewWriter begins an index.
func NewWriter(w io.Writer) (*Writer, error) {
	out := &Writer{w: bufio.NewWriterSize(w, 1<<20)}
	_, err := out.w.WriteString(magic)
	out.off = int64(len(magic))
	return out, err
}

// Block writes a block.
func (f *Writer) Block(b []byte) (Ref, error) {
	if len(b) > maxBlock {
		return Ref{}, fmt.Errorf("a part of %d bytes exceeds the limit of %d", len(b), maxBlock)
	}
	r := Ref{off: f.off, len: uint32(len(b)), sum: castagnoli(b)}
	_, err := f.w.Write(b)
	f.off += int64(len(b))
	return r, err
}

// End writes the encoded tables and what follows them.
func (f *Writer) End(tables []byte) error {
	tail := binary.LittleEndian.AppendUint64(nil, uint64(f.off))
	tail = binary.LittleEndian.AppendUint64(tail, uint64(len(tables)))
	tail = binary.LittleEndian.AppendUint32(tail, castagnoli(tables))
	tail = append(tail, endMagic...)
	if _, err := f.w.Write(tables); err != nil {
		return err
	}
	if _, err := f.w.Write(tail); err != nil {
		return err
	}
	return f.w.Flush()
}

// ErrNotIndex is wrapped by errors about a file that is not an index or is incomplete.
var ErrNotIndex = errors.New("not a trace index, or incomplete")

// ErrDamaged is wrapped by errors about a part of an index that differs from what was written.
var ErrDamaged = errors.New("the trace index is damaged")

// ReadTables finds and reads the tables of a file of the given size.
func ReadTables(r io.ReaderAt, size int64) (*Tables, error) {
	head := make([]byte, len(magic))
	tail := make([]byte, tailLen)
	if size < int64(len(head)+len(tail)) {
		return nil, ErrNotIndex
	}
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	if string(head) != magic || string(tail[20:]) != endMagic {
		return nil, ErrNotIndex
	}
	off, length := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:])
	if off > uint64(size) || length != uint64(size)-uint64(tailLen)-off || off < uint64(len(magic)) {
		return nil, ErrNotIndex
	}
	tables := make([]byte, length)
	if _, err := r.ReadAt(tables, int64(off)); err != nil {
		return nil, err
	}
	if castagnoli(tables) != binary.LittleEndian.Uint32(tail[16:]) {
		return nil, ErrDamaged
	}
	return decodeTables(tables)
}

// ReadBlock reads a block into buf, or into a larger buffer.
func ReadBlock(r io.ReaderAt, at Ref, buf []byte) ([]byte, error) {
	if cap(buf) < int(at.len) {
		buf = make([]byte, at.len)
	}
	buf = buf[:at.len]
	if _, err := r.ReadAt(buf, at.off); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if castagnoli(buf) != at.sum {
		return nil, ErrDamaged
	}
	return buf, nil
}

func appendRef(b []byte, r Ref) []byte {
	b = binary.AppendUvarint(b, uint64(r.off))
	b = binary.AppendUvarint(b, uint64(r.len))
	return binary.LittleEndian.AppendUint32(b, r.sum)
}

func (d *decoder) ref() Ref {
	r := Ref{off: int64(d.uint()), len: uint32(min(d.uint(), maxBlock))}
	if sum := d.bytes(4); sum != nil {
		r.sum = binary.LittleEndian.Uint32(sum)
	}
	return r
}
