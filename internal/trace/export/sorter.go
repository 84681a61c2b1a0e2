package export

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// A sorter sorts packets by time; those of the same time remain in the order of arrival. Packets
// that exceed its memory go to a temporary file, in sorted runs.
type sorter struct {
	most    int // bytes in memory; 0 means 64 MB
	buf     []byte
	packets []sorted
	file    *os.File
	gone    bool // the file's name was removed
	end     int64
	runs    []int64 // where they begin in the file
}

// sorted is a packet in memory.
type sorted struct {
	at         uint64
	begin, end int
}

const inMemory = 64 << 20

// add adds a packet, whose bytes are copied.
func (s *sorter) add(at uint64, packet []byte) error {
	begin := len(s.buf)
	s.buf = append(s.buf, packet...)
	s.packets = append(s.packets, sorted{at, begin, len(s.buf)})
	if len(s.buf) < cmp.Or(s.most, inMemory) {
		return nil
	}
	return s.spill()
}

// spill writes a run.
//
//	run    = { packet }
//	packet = time, length, bytes
func (s *sorter) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "whet-export-*")
		if err != nil {
			return err
		}
		s.file = f
		s.gone = os.Remove(f.Name()) == nil // nothing is left when the process is killed; Windows keeps it
	}
	s.sort()
	s.runs = append(s.runs, s.end)
	w := bufio.NewWriterSize(s.file, 1<<20)
	for _, p := range s.packets {
		head := binary.AppendUvarint(binary.AppendUvarint(nil, p.at), uint64(p.end-p.begin))
		s.end += int64(len(head) + p.end - p.begin)
		_, _ = w.Write(head) // Flush has the first error
		_, _ = w.Write(s.buf[p.begin:p.end])
	}
	s.buf, s.packets = s.buf[:0], s.packets[:0]
	return w.Flush()
}

func (s *sorter) sort() {
	slices.SortStableFunc(s.packets, func(a, b sorted) int { return cmp.Compare(a.at, b.at) })
}

// each calls yield with all packets, in order. The bytes are valid until it returns.
func (s *sorter) each(yield func(packet []byte) error) error {
	if s.file == nil {
		s.sort()
		for _, p := range s.packets {
			if err := yield(s.buf[p.begin:p.end]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	var all runs
	for i, begin := range s.runs {
		end := s.end
		if i+1 < len(s.runs) {
			end = s.runs[i+1]
		}
		r := &run{number: i, r: bufio.NewReaderSize(io.NewSectionReader(s.file, begin, end-begin), 64<<10)}
		switch more, err := r.next(); {
		case err != nil:
			return err
		case more:
			all = append(all, r)
		}
	}
	heap.Init(&all)
	for len(all) > 0 {
		first := all[0]
		if err := yield(first.packet); err != nil {
			return err
		}
		switch more, err := first.next(); {
		case err != nil:
			return err
		case more:
			heap.Fix(&all, 0)
		default:
			heap.Pop(&all)
		}
	}
	return nil
}

// close removes the file.
func (s *sorter) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if !s.gone {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// A run is being read from the file.
type run struct {
	number int
	r      *bufio.Reader
	at     uint64
	packet []byte
}

// next reads the next packet, and reports whether there is one.
func (r *run) next() (bool, error) {
	at, err := binary.ReadUvarint(r.r)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	n, lengthErr := binary.ReadUvarint(r.r)
	if err := errors.Join(err, lengthErr); err != nil {
		return false, err
	}
	r.at, r.packet = at, slices.Grow(r.packet[:0], int(n))[:n]
	_, err = io.ReadFull(r.r, r.packet)
	return err == nil, err
}

// runs is a heap of the runs that have packets left, by their next one.
type runs []*run

func (r runs) Len() int { return len(r) }
func (r runs) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(r[i].at, r[j].at), cmp.Compare(r[i].number, r[j].number)) < 0
}
func (r runs) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)   { *r = append(*r, x.(*run)) } //nolint:forcetypeassert // heap's own

func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
