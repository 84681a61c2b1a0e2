package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// The zip structures, as drawn in docs/formats/recording.md.
const (
	localSig   = "PK\x03\x04"
	centralSig = "PK\x01\x02"
	endSig     = "PK\x05\x06"

	localLen   = 30
	centralLen = 46
	endLen     = 22

	methodStore   = 0
	methodDeflate = 8

	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3 // sizes follow the data

	maxEntries = 1 << 16
	maxIndex   = 1 << 28 // bytes of the central directory
	// maxRatio is above what deflate can reach (1032:1).
	maxRatio = 1100
)

// An entry is one file of the archive.
type entry struct {
	name   string
	method uint16
	crc    uint32
	packed int64 // bytes in the archive
	raw    int64 // bytes when inflated
	offset int64 // of the data
	// open means that the sizes are unknown because the file ended, or was damaged, before they
	// were written: the data extends to packed and its checksum is unknown.
	open bool
}

func (e entry) same(f entry) bool {
	return e.name == f.name && e.method == f.method && e.crc == f.crc && e.packed == f.packed && e.raw == f.raw &&
		e.offset == f.offset
}

// check returns an error if e is impossible in a file of that size.
func (e entry) check(size int64) error {
	switch {
	case !validName(e.name):
		return fmt.Errorf("name %.80q is not allowed", e.name)
	case e.method != methodStore && e.method != methodDeflate:
		return fmt.Errorf("unknown compression method %d", e.method)
	case e.method == methodStore && e.packed != e.raw:
		return errors.New("stored part has two sizes")
	case e.raw > (e.packed+64)*maxRatio:
		return fmt.Errorf("claims to inflate from %d to %d bytes", e.packed, e.raw)
	case e.offset+e.packed > size:
		return errTruncated
	}
	return nil
}

var errTruncated = errors.New("file ends within it")

// readIndex reads the central directory. The error is the reason why it cannot be used.
func readIndex(r io.ReaderAt, size int64) ([]entry, error) {
	tail := make([]byte, min(size, endLen+1<<16))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return nil, err
	}
	at := bytes.LastIndex(tail, []byte(endSig))
	if at < 0 || len(tail)-at < endLen {
		return nil, errors.New("no zip index at its end")
	}
	end := tail[at:]
	n := int(binary.LittleEndian.Uint16(end[10:]))
	dirLen := int64(binary.LittleEndian.Uint32(end[12:]))
	dirOff := int64(binary.LittleEndian.Uint32(end[16:]))
	if dirOff+dirLen > size-int64(len(end)) || dirLen > maxIndex {
		return nil, errors.New("zip index points outside the file")
	}
	dir := make([]byte, dirLen)
	if _, err := r.ReadAt(dir, dirOff); err != nil {
		return nil, err
	}
	entries := make([]entry, 0, min(n, len(dir)/centralLen))
	for i := range n {
		if len(dir) < centralLen || string(dir[:4]) != centralSig {
			return entries, fmt.Errorf("zip index is damaged at entry %d", i)
		}
		le := binary.LittleEndian
		nameLen, extraLen, commentLen := int(le.Uint16(dir[28:])), int(le.Uint16(dir[30:])), int(le.Uint16(dir[32:]))
		if len(dir) < centralLen+nameLen+extraLen+commentLen {
			return entries, fmt.Errorf("zip index is damaged at entry %d", i)
		}
		e := entry{
			name:   string(dir[centralLen : centralLen+nameLen]),
			method: le.Uint16(dir[10:]),
			crc:    le.Uint32(dir[16:]),
			packed: int64(le.Uint32(dir[20:])),
			raw:    int64(le.Uint32(dir[24:])),
			offset: int64(le.Uint32(dir[42:])), // of the local header; localAt makes it the data's
		}
		dir = dir[centralLen+nameLen+extraLen+commentLen:]
		if e.name[max(0, len(e.name)-1):] == "/" {
			continue // a directory, which other zip tools add
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// localAt reads the local header at off. ok is false when there is none.
func localAt(r io.ReaderAt, off int64) (e entry, flags uint16, ok bool) {
	var h [localLen]byte
	if n, _ := r.ReadAt(h[:], off); n < localLen || string(h[:4]) != localSig {
		return e, 0, false
	}
	le := binary.LittleEndian
	nameLen, extraLen := int(le.Uint16(h[26:])), int(le.Uint16(h[28:]))
	if nameLen == 0 || nameLen > maxName {
		return e, 0, false
	}
	name := make([]byte, nameLen)
	if n, _ := r.ReadAt(name, off+localLen); n < nameLen {
		return e, 0, false
	}
	return entry{
		name:   string(name),
		method: le.Uint16(h[8:]),
		crc:    le.Uint32(h[14:]),
		packed: int64(le.Uint32(h[18:])),
		raw:    int64(le.Uint32(h[22:])),
		offset: off + localLen + int64(nameLen) + int64(extraLen),
	}, le.Uint16(h[6:]), true
}

// indexed resolves index entries to their data and reports whether every local header agrees with
// the index.
func indexed(r io.ReaderAt, index []entry) (entries []entry, agree bool) {
	agree = true
	for _, e := range index {
		local, flags, ok := localAt(r, e.offset)
		if !ok {
			agree = false
			continue
		}
		e.offset = local.offset
		if flags&flagDescriptor != 0 {
			local.crc, local.packed, local.raw = e.crc, e.packed, e.raw
		}
		agree = agree && e.same(local)
		entries = append(entries, e)
	}
	return entries, agree
}

// scan walks the local headers from the start of the file, without the index.
// Where no header is found it searches for the next one.
func scan(r io.ReaderAt, size int64) []entry {
	var entries []entry
	var m measurer
	buf := make([]byte, 64<<10)
	budget := int64(maxSalvage)
	for off := int64(0); off < size && len(entries) < maxEntries; {
		e, flags, ok := localAt(r, off)
		if ok && flags&flagEncrypted == 0 && validName(e.name) && (e.method == methodStore || e.method == methodDeflate) {
			if flags&flagDescriptor != 0 {
				m.measure(r, size, &e, &budget)
			} else if e.offset+e.packed > size {
				e.packed, e.open = max(0, size-e.offset), true
			}
			entries = append(entries, e)
			next := e.offset + e.packed
			if _, _, ok := localAt(r, next); ok {
				off = next
				continue
			}
		}
		off = findHeader(r, size, off+1, buf)
	}
	return entries
}

// A measurer inflates one entry after the other; a damaged file may seem to have tens
// of thousands.
type measurer struct {
	inflate io.ReadCloser
	buf     [4096]byte
	out     [32 << 10]byte
}

// measure finds the sizes of an entry whose header does not have them, by inflating it. It takes
// what it inflates from budget.
func (m *measurer) measure(r io.ReaderAt, size int64, e *entry, budget *int64) {
	e.packed, e.raw, e.open = max(0, size-e.offset), 0, true
	if e.method != methodDeflate {
		return
	}
	src := &countingReader{r: io.NewSectionReader(r, e.offset, e.packed), buf: &m.buf}
	if m.inflate == nil {
		m.inflate = flate.NewReader(src)
	} else if err := m.inflate.(flate.Resetter).Reset(src, nil); err != nil { //nolint:forcetypeassert // documented
		return
	}
	sum := crc32.NewIEEE()
	n, err := io.CopyBuffer(sum, io.LimitReader(m.inflate, *budget), m.out[:])
	if err == nil && n < *budget {
		err = io.EOF
	}
	*budget -= n
	e.raw = n
	if errors.Is(err, io.EOF) {
		e.packed, e.crc, e.open = src.n, sum.Sum32(), false
	}
}

// countingReader counts exactly what flate reads: an io.ByteReader is never read ahead.
type countingReader struct {
	r    io.Reader
	n    int64
	buf  *[4096]byte
	have []byte
}

func (c *countingReader) ReadByte() (byte, error) {
	if len(c.have) == 0 {
		n, err := c.r.Read(c.buf[:])
		if n == 0 {
			if err == nil {
				err = io.ErrNoProgress
			}
			return 0, err
		}
		c.have = c.buf[:n]
	}
	b := c.have[0]
	c.have = c.have[1:]
	c.n++
	return b, nil
}

func (c *countingReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := c.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

// findHeader returns the offset of the first local header at or after off, or
// size. It reads into buf.
func findHeader(r io.ReaderAt, size, off int64, buf []byte) int64 {
	for off < size {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), size-off)], off)
		if i := bytes.Index(buf[:n], []byte(localSig)); i >= 0 {
			return off + int64(i)
		}
		if err != nil || n < len(localSig) {
			break
		}
		off += int64(n - len(localSig) + 1)
	}
	return size
}
