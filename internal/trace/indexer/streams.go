package indexer

import (
	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// streamBlock is the size of a full block of records: some thousand records.
const streamBlock = 16 << 10

// streamWriter writes the streams.
type streamWriter struct {
	out    *indexfile.Writer
	open   [model.Streams][indexfile.Classes]openBlock
	blocks []indexfile.RecordsRef
	totals [model.Streams]totals
}

// totals sum the records of each name of a stream.
type totals struct {
	all    []indexfile.NameSum
	byName map[uint32]int
}

// maxTotals bounds the names of a stream that have totals. Programs have a few, or one for each
// user.
const maxTotals = 10_000

func (t *totals) note(r *model.Record) {
	n, ok := t.byName[r.Name]
	if !ok {
		if len(t.all) == maxTotals {
			return
		}
		if t.byName == nil {
			t.byName = map[uint32]int{}
		}
		n = len(t.all)
		t.byName[r.Name] = n
		t.all = append(t.all, indexfile.NewNameSum(r))
	}
	t.all[n].Note(r)
}

// An openBlock is a block that is not written yet.
type openBlock struct {
	buf  []byte
	last int64 // end of the previous record
	ref  indexfile.RecordsRef
}

// add writes a record; records of a stream come in the order of To.
func (s *streamWriter) add(stream model.Stream, r *model.Record) error {
	class := indexfile.ClassOf(r.To - r.From)
	o := &s.open[stream][class]
	if o.ref.Records == 0 {
		o.ref, o.last = indexfile.RecordsRef{Stream: stream, Class: class}, 0
	}
	o.ref.Note(r)
	if indexfile.Summed(stream) {
		s.totals[stream].note(r)
	}
	o.buf = indexfile.AppendRecord(o.buf, stream, r, o.last)
	o.last = r.To
	if len(o.buf) < streamBlock {
		return nil
	}
	return s.write(o)
}

// flush writes the incomplete blocks.
func (s *streamWriter) flush() error {
	for stream := range s.open {
		for class := range s.open[stream] {
			if err := s.write(&s.open[stream][class]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *streamWriter) write(o *openBlock) error {
	if o.ref.Records == 0 {
		return nil
	}
	at, err := s.out.Block(o.buf)
	o.ref.Ref = at
	s.blocks = append(s.blocks, o.ref)
	o.ref, o.buf = indexfile.RecordsRef{}, o.buf[:0]
	return err
}
