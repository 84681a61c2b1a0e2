package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// Limits of a recording of a server, where [Options] are zero.
const (
	// DefaultGrace is how long answers may take beyond the window.
	DefaultGrace = 15 * time.Second
	// DefaultMaxSize bounds the size of all answers together, in bytes.
	DefaultMaxSize = 2 << 30
	// DefaultMaxMemory bounds the memory for decoding one profile, in bytes.
	DefaultMaxMemory = 128 << 20
)

// An answer is the target's response to one request, in a temporary file in the recording's
// directory.
type answer struct {
	file *tempfile.File
	size int64
}

// newAnswer creates the file for an answer.
func (s *session) newAnswer() (*answer, error) {
	f, err := tempfile.New(filepath.Dir(s.opt.Out), ".whet-answer-*")
	if err != nil {
		return nil, &diag.Error{Op: "record", Err: err, Hint: "choose a writable directory with -o FILE.whet"}
	}
	return &answer{file: f}, nil
}

// fill reads r to its end, or up to limit bytes.
func (a *answer) fill(r io.Reader, limit int64) error {
	n, err := io.Copy(a.file, io.LimitReader(r, limit+1))
	a.size = min(n, limit)
	if err == nil && n > limit {
		err = tooLarge(limit)
	}
	return err
}

// reader returns a reader of the answer from its beginning.
func (a *answer) reader() io.Reader { return io.NewSectionReader(a.file, 0, a.size) }

// head returns the first n bytes, or all if there are fewer.
func (a *answer) head(n int64) []byte {
	head := make([]byte, min(a.size, n))
	_, _ = a.file.ReadAt(head, 0) // a read error shows on decoding
	return head
}

// close discards the answer. It does nothing if the answer is nil.
func (a *answer) close() {
	if a != nil {
		_ = a.file.Close() // the file is temporary
	}
}

// errTooLarge is in the errors of answers that were cut off because of their size.
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

// errOverdue is the error of answers that took too long.
var errOverdue = errors.New("answer not complete in time")

// within returns a context for requests that may take d, which also ends with s.abort.
func (s *session) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(s.abort, d, errOverdue)
}

// cut returns the error of a request under ctx, or of its answer: if the context ended it, the
// error says so.
func (s *session) cut(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.abort.Err() != nil:
		return errAborted
	case errors.Is(context.Cause(ctx), errOverdue):
		return &diag.Error{
			Err:  fmt.Errorf("cut off: %w (grace period %v)", errOverdue, s.opt.Grace),
			Hint: "if the target is slow, give it more time: --grace 1m",
		}
	}
	return err
}

// cutAt is cut for errors of the recording itself.
func (t *serverRecording) cutAt(ctx context.Context, kind string, err error) error {
	if cut := t.cut(ctx, err); cut != err { //nolint:errorlint // another error, not one in it
		return t.c.explain(kind, t.c.url(kind, nil), cut)
	}
	return err
}

// decode decodes a profile within the memory that a recording may use for one.
func (s *session) decode(a *answer) (*profile.Profile, error) {
	p, err := profile.Read(a.reader(), profile.ReadOptions{MaxBytes: s.decoding(a.size)})
	if limit := (*profile.LimitError)(nil); errors.As(err, &limit) {
		return nil, &diag.Error{Err: err, Hint: "if the target can be trusted, raise the limit: --max-memory 2GB"}
	}
	return p, err
}

// decoding returns how much memory a profile of this size may take.
func (s *session) decoding(size int64) int64 {
	if s.opt.MaxMemory > 0 {
		return s.opt.MaxMemory
	}
	return min(DefaultMaxMemory, profile.LimitBase+profile.LimitFactor*size)
}

// profile decodes a recorded profile again; nil if there is none. Only one is in memory at a time.
func (s *session) profile(name string) *profile.Profile {
	s.mu.Lock()
	limit, ok := s.profiles[name]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	p, err := s.w.Profile(name, profile.ReadOptions{MaxBytes: limit})
	if err != nil {
		s.fail(err)
		return nil
	}
	return p
}

// beginning is how many bytes are shown of an answer that is not a trace; at least the length of a
// trace's header.
const beginning = 40

// notTrace returns an error if an answer that begins with head cannot be an execution trace.
func notTrace(kind string, head []byte) error {
	if err := reader.CheckHead(head[:min(len(head), reader.HeadLen)]); err != nil {
		return &diag.Error{
			Err:  fmt.Errorf("the answer is %w; it begins with %q", err, head),
			Hint: "another service may be listening there: give the handler's path with --pprof-path " + kind + "=/path",
		}
	}
	return nil
}

// traceOnly reads an answer, and fails if it does not begin as an execution trace does.
type traceOnly struct {
	r    io.Reader
	head []byte
	done bool
}

func (t *traceOnly) Read(p []byte) (int, error) {
	if !t.done {
		t.head = make([]byte, beginning)
		n, err := io.ReadFull(t.r, t.head)
		if t.head = t.head[:n]; err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, err
		}
		if err := notTrace("trace", t.head); err != nil {
			return 0, err
		}
		t.done = true
		t.r = io.MultiReader(bytes.NewReader(t.head), t.r)
	}
	return t.r.Read(p)
}
