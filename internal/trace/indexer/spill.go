package indexer

import (
	"encoding/binary"
	"errors"
	"os"
)

// A spill is a file for data that need not be in memory until the end. It is created on first use.
type spill struct {
	dir  string
	name string // pattern
	file *os.File
	gone bool // its name was removed
	end  int64
	buf  []byte
}

// put writes bytes at a position, or at the end if at is 0, and returns where they are: never 0.
func (s *spill) put(at int64, b []byte) (int64, error) {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, s.name)
		if err != nil {
			return 0, err
		}
		s.file, s.end = f, 1
		s.gone = os.Remove(f.Name()) == nil // nothing is left when the process is killed; Windows keeps it
	}
	if at == 0 {
		at = s.end
		s.end += int64(len(b))
	}
	_, err := s.file.WriteAt(b, at)
	return at, err
}

// close removes the file.
func (s *spill) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if !s.gone {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// A chain is a list of bytes that grows at its end, most of which is in a spill. The zero value is
// empty.
type chain struct {
	last int64 // position of the last link
	rest []byte
}

// link is how many bytes of a chain are kept in memory.
const link = 512

// grown moves the bytes to the spill when there are enough of them.
//
//	link = position of the previous one (8 bytes), length (4), bytes
func (c *chain) grown(s *spill) error {
	if len(c.rest) < link {
		return nil
	}
	s.buf = binary.LittleEndian.AppendUint64(s.buf[:0], uint64(c.last))
	s.buf = binary.LittleEndian.AppendUint32(s.buf, uint32(len(c.rest)))
	s.buf = append(s.buf, c.rest...)
	at, err := s.put(0, s.buf)
	c.last, c.rest = at, c.rest[:0]
	return err
}

// appendTo appends the length of a chain and its bytes.
func (c *chain) appendTo(b []byte, s *spill) ([]byte, error) {
	if c.last == 0 {
		b = binary.AppendUvarint(b, uint64(len(c.rest)))
		return append(b, c.rest...), nil
	}
	var links [][]byte // last first
	n := len(c.rest)
	for at := c.last; at != 0; {
		head := make([]byte, 12)
		if _, err := s.file.ReadAt(head, at); err != nil {
			return nil, err
		}
		bytes := make([]byte, binary.LittleEndian.Uint32(head[8:]))
		if _, err := s.file.ReadAt(bytes, at+int64(len(head))); err != nil {
			return nil, err
		}
		links = append(links, bytes)
		n += len(bytes)
		at = int64(binary.LittleEndian.Uint64(head))
	}
	b = binary.AppendUvarint(b, uint64(n))
	for i := len(links) - 1; i >= 0; i-- {
		b = append(b, links[i]...)
	}
	return append(b, c.rest...), nil
}
