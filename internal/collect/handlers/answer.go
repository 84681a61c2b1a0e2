package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/unit"
)

// An Answer is the target's response to one request, in a temporary file.
type Answer struct {
	file *tempfile.File
	size int64
}

// NewAnswer creates an empty answer in a directory.
func NewAnswer(dir string) (*Answer, error) {
	f, err := tempfile.New(dir, ".whet-answer-*")
	if err != nil {
		return nil, err
	}
	return &Answer{file: f}, nil
}

// Size returns the answer's size in bytes.
func (a *Answer) Size() int64 { return a.size }

// Fill reads r to its end, or up to limit bytes.
func (a *Answer) Fill(r io.Reader, limit int64) error {
	n, err := io.Copy(a.file, io.LimitReader(r, limit+1))
	a.size = min(n, limit)
	if err == nil && n > limit {
		err = tooLarge(limit)
	}
	return err
}

// Reader returns a reader of the answer from its beginning.
func (a *Answer) Reader() io.Reader { return io.NewSectionReader(a.file, 0, a.size) }

// Head returns the first n bytes, or all if there are fewer.
func (a *Answer) Head(n int64) []byte {
	head := make([]byte, min(a.size, n))
	_, _ = a.file.ReadAt(head, 0) // a read error shows on decoding
	return head
}

// Gzipped reports whether the answer begins like a gzip file.
func (a *Answer) Gzipped() bool { return isGzip(a.Head(4)) }

// Close deletes the answer. It does nothing if the answer is nil.
func (a *Answer) Close() {
	if a != nil {
		_ = a.file.Close() // the file is temporary
	}
}

// errTooLarge is wrapped by the errors of answers that were cut off because of their size.
var errTooLarge = errors.New("too large")

func tooLarge(limit int64) error {
	return fmt.Errorf("cut off: answer %w (limit %v)", errTooLarge, unit.Bytes(limit))
}

// onePart is the fraction of the remaining quota that one answer may use, as a divisor, so that an
// endless answer leaves some for the others.
const onePart = 8

// A quota bounds the bytes of all answers of a recording.
type quota struct {
	total int64
	used  atomic.Int64
}

// metered counts an answer's bytes towards a quota.
type metered struct {
	io.ReadCloser
	q     *quota
	limit int64 // of this answer
	used  int64
}

func (m *metered) Read(p []byte) (int, error) {
	left := m.q.total - m.q.used.Load()
	if m.used == 0 {
		m.limit = left / onePart
	}
	if left = min(left, m.limit-m.used); left <= 0 {
		return 0, &diag.Error{
			Err: fmt.Errorf("cut off: answer %w (limit %v; %v for all answers)", errTooLarge, unit.Bytes(m.limit),
				unit.Bytes(m.q.total)),
			Hint: "if the target can be trusted, raise the limit: --max-size 8GB",
		}
	}
	n, err := m.ReadCloser.Read(p[:min(int64(len(p)), left)])
	m.used += int64(n)
	m.q.used.Add(int64(n))
	return n, err
}

// traceHead is how many bytes are shown of an answer that is not a trace; at least the length of a
// trace's header.
const traceHead = 40

// CheckTrace returns an error if an answer of the handler for kind cannot be an execution trace.
func CheckTrace(kind string, a *Answer) error { return checkTrace(kind, a.Head(traceHead)) }

// checkTrace is CheckTrace for the beginning of an answer.
func checkTrace(kind string, head []byte) error {
	if err := reader.CheckHead(head[:min(len(head), reader.HeadLen)]); err != nil {
		return &diag.Error{
			Err:  fmt.Errorf("the answer is %w; it begins with %q", err, head),
			Hint: "another service may be listening there: give the handler's path with --pprof-path " + kind + "=/path",
		}
	}
	return nil
}

// traceOnly reads an answer. It returns an error if the answer does not begin like an execution
// trace.
type traceOnly struct {
	r    io.Reader
	head []byte
	done bool
}

func (t *traceOnly) Read(p []byte) (int, error) {
	if !t.done {
		t.head = make([]byte, traceHead)
		n, err := io.ReadFull(t.r, t.head)
		if t.head = t.head[:n]; err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, err
		}
		if err := checkTrace("trace", t.head); err != nil {
			return 0, err
		}
		t.done = true
		t.r = io.MultiReader(bytes.NewReader(t.head), t.r)
	}
	return t.r.Read(p)
}
