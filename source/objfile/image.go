package objfile

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxInflate bounds compressed debug sections: together they may inflate to this
// many times the size of the file.
const maxInflate = 20

// An image is what the three file formats have in common.
type image struct {
	layout
	format    string // "ELF", "Mach-O", "PE"
	goarch    string // "" when unknown
	order     binary.ByteOrder
	ptrSize   int
	sections  []section
	gnuID     string
	symbols   func() ([]Symbol, error)
	dwarf     func() (*dwarf.Data, error)
	relocs    func() map[uint64]uint64 // pointers that only the loader sets, by address
	textName  string                   // name of the section that holds code
	pclnNames []string                 // names of the section with the function table
}

// A layout is the information about a file that Base needs.
type layout struct {
	// "elf": Segments apply; "image": ImageBase does; "rel": neither, a relocatable file
	Kind     string    `json:"kind"`
	Image    uint64    `json:"image_base,omitzero"` // link-time address of the file's first byte
	Segments []segment `json:"segments,omitempty"`
}

// A segment is a part of a file that is mapped.
type segment struct {
	Addr   uint64 `json:"addr"`
	Off    uint64 `json:"off"`
	Size   uint64 `json:"size"` // in memory
	Exec   bool   `json:"exec,omitzero"`
	Backed bool   `json:"backed,omitzero"` // has bytes in the file
}

// A section is a part of a file with an address. Sections without bytes in the file are omitted.
type section struct {
	name string
	addr uint64
	size uint64 // of the bytes in the file
	exec bool
	r    io.ReaderAt
}

func (s *section) contains(addr uint64) bool { return s.addr <= addr && addr-s.addr < s.size }

// section returns the first section with one of the names, or nil.
func (im *image) section(names ...string) *section {
	for _, n := range names {
		for i := range im.sections {
			if im.sections[i].name == n {
				return &im.sections[i]
			}
		}
	}
	return nil
}

// at returns the section that contains addr, or nil.
func (im *image) at(addr uint64) *section {
	for i := range im.sections {
		if im.sections[i].contains(addr) {
			return &im.sections[i]
		}
	}
	return nil
}

// bytes reads [start, end), which must be within one section.
func (im *image) bytes(start, end uint64) ([]byte, error) {
	s := im.at(start)
	if s == nil || end < start || end-s.addr > s.size {
		return nil, fmt.Errorf("read %#x-%#x: not within one section", start, end)
	}
	return s.read(start-s.addr, end-start)
}

// data reads a whole section.
func (s *section) data() ([]byte, error) { return s.read(0, s.size) }

// read grows its buffer with what the file really contains, so that a false size costs nothing.
func (s *section) read(off, n uint64) ([]byte, error) {
	const chunk = 1 << 20
	var out []byte
	for n > 0 {
		k := min(n, chunk)
		at := len(out)
		out = slices.Grow(out, int(k))[:at+int(k)]
		m, err := s.r.ReadAt(out[at:], int64(off))
		if uint64(m) < k {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("read section %s: %w", s.name, err)
		}
		off, n = off+k, n-k
	}
	return out, nil
}

// word reads a pointer of the image, with the value that it has after loading at the link-time
// base.
func (im *image) word(addr uint64) (uint64, error) {
	if v, ok := im.relocs()[addr]; ok {
		return v, nil
	}
	b, err := im.bytes(addr, addr+uint64(im.ptrSize))
	if err != nil {
		return 0, err
	}
	return im.pointer(b), nil
}

func (im *image) pointer(b []byte) uint64 {
	if im.ptrSize == 4 {
		return uint64(im.order.Uint32(b))
	}
	return im.order.Uint64(b)
}

// Base returns the difference between runtime addresses and file addresses for a mapping of a
// process: runtime address - Base = address in the file. It is 0 for an empty mapping (all zero, or
// the whole address space). ELF needs offset; for the other formats start alone is used.
func (l *layout) Base(start, limit, offset uint64) (uint64, error) {
	if start == 0 && offset == 0 && (limit == 0 || limit == ^uint64(0)) {
		return 0, nil
	}
	switch l.Kind {
	case "rel":
		if offset != 0 {
			return 0, fmt.Errorf("base of mapping %#x-%#x: a relocatable file with offset %#x", start, limit, offset)
		}
		return start, nil
	case "image":
		if start == 0 {
			return 0, nil
		}
		return start - l.Image, nil
	}
	seg := l.mapped(limit-start, offset)
	if seg == nil {
		return 0, fmt.Errorf("base of mapping %#x-%#x: no segment of the file holds offset %#x", start, limit, offset)
	}
	return start - offset + seg.Off - seg.Addr, nil
}

// mapped returns the segment for a mapping of size bytes at a file offset; an executable one if
// several share the pages.
func (l *layout) mapped(size, offset uint64) *segment {
	const page = 1 << 16 // the largest page size in use; loaders round segments to pages
	var best *segment
	for i := range l.Segments {
		s := &l.Segments[i]
		if !s.Backed || offset+size <= s.Off || s.Off+s.Size <= offset || offset < s.Off&^(page-1) {
			continue
		}
		if best == nil || s.Exec && !best.Exec {
			best = s
		}
	}
	return best
}

// guard turns a panic of one of the debug packages into an error.
func guard(what string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("read %s: malformed: %v", what, r)
	}
}

// names returns substrings of one string table, so that names share its memory.
type names string

// maxName is the maximum length of a name: without a limit, a table without any NUL would be
// searched to its end for each name.
const maxName = 64 << 10

// at returns the NUL-terminated name at off, or "" if off is out of range.
func (n names) at(off uint64) string {
	if off >= uint64(len(n)) {
		return ""
	}
	s := string(n[off:min(off+maxName, uint64(len(n)))])
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}
